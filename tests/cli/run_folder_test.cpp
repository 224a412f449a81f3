// A run folder belongs to its config, and what others put into it stays.
#include "tests/cli/support.h"

namespace lw::cli_test {
namespace {

const std::string kRefused = "error: --out: found 'run', which belongs to a run of another config: ";
const std::string kAllowed = "; allowed: another folder, or --replace, which keeps the old run as run.old-1\n";

}  // namespace

TEST_CASE("another config, limit or seed set in a run's folder is refused, with what differs", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  const auto before = lasting_files(w / "run");
  const auto refused = [&](const std::string& more, const std::string& what) {
    const Result r = w("run config.yaml --out run " + more);
    INFO(r.err);
    CHECK(r.code == 2);
    CHECK(r.err == kRefused + what + kAllowed);
    CHECK(r.out.empty());
    CHECK(lasting_files(w / "run") == before);
  };
  refused("--limit 4", "limit is nothing there and 4 here");
  refused("--set seeds=[0,1]", "seeds is [0] there and [0, 1] here");
  refused("--set name=other --set eval.seed=3", "name is one there and other here, eval.seed is 0 there and 3 here");
  refused("--set suites.order_swap={}",
          "suites.order_swap is nothing there and {kind: order_swap, filler: 16, lengths: [8, 16], probes: 8} here");
  CHECK_FALSE(worked(w.good("run config.yaml --out run")));
  CHECK_FALSE(worked(w.good("run config.yaml --out run/ --replace")));  // its own config: nothing to replace
  CHECK_FALSE(fs::exists(w / "run.old-1"));
  CHECK(lasting_files(w / "run") == before);
}

TEST_CASE("--replace keeps the old run beside the new one", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  write_file(w / "run/notes.txt", "mine");
  const auto before = lasting_files(w / "run");
  const Result r = w.good("run config.yaml --out run --limit 4 --replace");
  CHECK(has(r.err,
            "warning: run belonged to another config (limit is nothing there and 4 here); the old run is kept as "
            "run.old-1\n"));
  CHECK(lasting_files(w / "run.old-1") == before);
  CHECK(records_of(w / "run").size() == 8);
  CHECK_FALSE(fs::exists(w / "run/notes.txt"));
  w.good("run config.yaml --out run --limit 2 --replace");
  CHECK(records_of(w / "run.old-2").size() == 8);
  CHECK(records_of(w / "run").size() == 4);
}

TEST_CASE("a run that has only begun owns its folder, too", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  for (const char* name : {"results.jsonl", "summary.json", "provenance.json"}) fs::remove(w / "run" / name);
  CHECK(w("run config.yaml --out run --limit 4").code == 2);
  w.good("run config.yaml --out run");
  fs::remove(w / "run/config.yaml");
  CHECK(has(w("run config.yaml --out run").err, "it has results without a config.yaml"));
  write_file(w / "run/config.yaml", "a: [");
  const Result r = w("run config.yaml --out run");
  CHECK(r.code == 2);
  CHECK(has(r.err, "its config.yaml cannot be read: "));
}

TEST_CASE("--limit is part of the resolved config, and every report says so", "[cli]") {
  const Workspace w(kOne);
  const Result r = w.good("run config.yaml --out run --limit 4");
  const std::string said = ", limited to 4 probes at each length";
  CHECK(has(r.out, said));
  for (const char* name : {"report.md", "report.html", "report.tex"}) {
    INFO(name);
    CHECK(has(read_file(w / "run" / name), said));
  }
  CHECK(Json::parse(read_file(w / "run/summary.json"))["limit"] == 4);
  CHECK(has(read_file(w / "run/config.yaml"), "limit: 4\n"));
  w.good("run run/config.yaml --out again");
  CHECK(difference(w / "run", w / "again") == "");
  w.good("run run/config.yaml --out less --limit 2");
  CHECK(records_of(w / "less").size() == 4);
  w.good("run config.yaml --out full");
  CHECK_FALSE(has(read_file(w / "full/report.md"), "limited"));
  CHECK(Json::parse(read_file(w / "full/summary.json"))["limit"].is_null());
}

TEST_CASE("results, summary and reports carry the config's hash", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  const std::string hash = sha256(read_file(w / "run/config.yaml"));
  CHECK(Json::parse(read_file(w / "run/summary.json"))["config_sha256"] == hash);
  for (const auto& r : records_of(w / "run")) CHECK(r["config"] == hash.substr(0, 16));
  for (const char* name : {"report.md", "report.html", "report.tex"}) {
    INFO(name);
    CHECK(has(read_file(w / "run" / name), "SHA-256 of config.yaml: " + hash));
  }
}

TEST_CASE("files of two runs in one folder are seen", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  w.good("run config.yaml --out other --limit 4");
  w.good("report run --check");
  const auto before = lasting_files(w / "run");
  const std::string ours = sha256(before.at("config.yaml")).substr(0, 16);
  const std::string theirs = sha256(read_file(w / "other/config.yaml")).substr(0, 16);
  const auto mixed = [&](const std::string& name, const std::string& error) {
    write_file(w / "run" / name, read_file(w / "other" / name));
    for (const char* command : {"report run --check", "report run", "diff run other"}) {
      const Result r = w(command);
      INFO(command << "\n" << r.err);
      CHECK(r.code == 2);
      CHECK(has(r.err, error));
    }
    write_file(w / "run" / name, before.at(name));
  };
  const std::string are_mixed = ", as in summary.json; files of two runs are mixed here\n";
  mixed("results.jsonl",
        "error: run/results.jsonl:1: config: found '" + theirs + "'; allowed: '" + ours + "'" + are_mixed);
  mixed("config.yaml", "error: run/config.yaml: config: found '" + theirs + "'; allowed: '" + ours + "'" + are_mixed);
  mixed("summary.json",
        "error: run/results.jsonl:1: config: found '" + ours + "'; allowed: '" + theirs + "'" + are_mixed);
  for (const char* name : {"report.md", "report.html", "tables/cells.csv"}) {
    write_file(w / "run" / name, read_file(w / "other" / name));
    CHECK(w("report run --check").code == 1);
    write_file(w / "run" / name, before.at(name));
  }
  std::string half = before.at("results.jsonl");
  half.replace(half.rfind(ours), ours.size(), theirs);
  write_file(w / "run/results.jsonl", half);
  CHECK(has(w("report run --check").err, "error: run/results.jsonl:16: config: found '" + theirs));
  write_file(w / "run/results.jsonl", before.at("results.jsonl"));
  fs::remove(w / "run/config.yaml");
  CHECK(w("report run --check").out == "run/config.yaml: is missing\n");
  write_file(w / "run/config.yaml", before.at("config.yaml"));
  w.good("report run --check");
}

TEST_CASE("files that the run did not write stay, whatever their names", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  const auto before = lasting_files(w / "run");
  const std::vector<std::string> mine = {"figures/mine.svg", "tables/mine.csv", "notes.txt", "report-old.md"};
  for (const auto& name : mine) write_file(w / ("run/" + name), "mine: " + name);
  w.good("run config.yaml --out run");
  w.good("run config.yaml --out run --fresh");
  w.good("report run");
  w.good("report run --format svg,csv");
  for (const auto& name : mine) {
    INFO(name);
    CHECK(read_file(w / ("run/" + name)) == "mine: " + name);
    fs::remove(w / ("run/" + name));
  }
  CHECK(lasting_files(w / "run") == before);
}

TEST_CASE("what a killed run left half written is gone after the next run", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  const auto before = lasting_files(w / "run");
  const std::string unit = files_below(w / "cache/units", ".jsonl")[0].filename().string();
  const std::string weights = files_below(w / "cache/weights", "model.safetensors")[0].string();
  for (const fs::path& part :
       {w / "run/results.jsonl.part99.1", w / "run/tables/cells.csv.part99.2", w / "run/figures/a.svg.part1.3",
        w / ("cache/units/" + unit + ".part99.0"), fs::path(weights + ".part99.4")})
    write_file(part, "half");
  w.good("run config.yaml --out run");
  for (const auto& file : files_below(w.path(), "")) CHECK_FALSE(has(file.filename().string(), ".part"));
  CHECK(lasting_files(w / "run") == before);
}

TEST_CASE("run.log keeps what earlier starts wrote", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  const std::string first = read_file(w / "run/run.log");
  w.good("run config.yaml --out run --threads 2");
  const std::string both = read_file(w / "run/run.log");
  CHECK(both.rfind(first, 0) == 0);
  CHECK(has(both.substr(first.size()), "started: "));
  CHECK(has(both.substr(first.size()), "--threads 2"));
}

}  // namespace lw::cli_test
