// A run from end to end: its files, that it repeats to the byte, and that done work is not done again.
#include <set>

#include "tests/cli/support.h"

namespace lw::cli_test {

TEST_CASE("a run writes every file of its folder", "[cli]") {
  const Workspace& w = finished();
  for (const char* name :
       {"config.yaml", "results.jsonl", "summary.json", "report.md", "report.html", "provenance.json", "run.log"}) {
    INFO(name);
    CHECK(fs::file_size(w / ("run/" + std::string(name))) > 0);
  }
  CHECK(files_below(w / "run/tables", ".csv").size() >= 5);
  CHECK_FALSE(files_below(w / "run/figures", ".svg").empty());
  CHECK(files_below(w / "run", "").size() == lasting_files(w / "run").size() + 2);
  for (const auto& file : files_below(w.path(), "")) CHECK_FALSE(has(file.filename().string(), ".part"));
}

TEST_CASE("stdout has the tables and the report's path; stderr has the rest", "[cli]") {
  const Workspace w(kOne);
  const Result r = w.good("run config.yaml --out run");
  CHECK(has(r.out, "needle: "));
  CHECK(has(r.out, "report: run/report.html\n"));
  CHECK(has(r.err, "training 1 model: 20 steps in "));
  CHECK(has(r.err, "evaluating: 16 probes in "));
  CHECK_FALSE(has(r.out, "evaluating"));
  const Result quiet = w.good("run config.yaml --out quiet --fresh -q");
  CHECK(quiet.err.empty());
  CHECK(has(quiet.out, "report: quiet/report.html\n"));
}

TEST_CASE("two runs with caches of their own are equal to the byte, on one thread or two", "[cli]") {
  const Workspace w;
  w.good("run config.yaml --out run --threads 1");
  CHECK(difference(finished() / "run", w / "run") == "");
}

TEST_CASE("run again, nothing is done again, and nothing changes", "[cli]") {
  const Workspace w(kOne);
  CHECK(worked(w.good("run config.yaml --out a")));
  const auto before = lasting_files(w / "a");
  const Result again = w.good("run config.yaml --out a");
  CHECK_FALSE(worked(again));
  CHECK(lasting_files(w / "a") == before);
  CHECK_FALSE(worked(w.good("run config.yaml --out b")));
  CHECK(difference(w / "a", w / "b") == "");
  CHECK(worked(w.good("run config.yaml --out c --fresh")));
  CHECK(difference(w / "a", w / "c") == "");
}

TEST_CASE("the resolved config gives the same run", "[cli]") {
  const Workspace& w = finished();
  const Result r = w.good("run run/config.yaml --out again");
  CHECK_FALSE(worked(r));
  CHECK(difference(w / "run", w / "again") == "");
  const Workspace elsewhere(read_file(w / "run/config.yaml"));
  elsewhere.good("run config.yaml --out run");
  CHECK(difference(w / "run", elsewhere / "run") == "");
}

TEST_CASE("a run that lost half of what it kept makes it again, to the same bytes", "[cli]") {
  const Workspace w;
  w.good("run config.yaml --out whole");
  const auto units = files_below(w / "cache/units", ".jsonl");
  REQUIRE(units.size() > 10);
  for (size_t i = 0; i < units.size(); i += 2) fs::remove(units[i]);
  const auto weights = files_below(w / "cache/weights", "model.safetensors");
  REQUIRE(weights.size() == 8);
  fs::remove(weights[3]);
  fs::remove(w / "whole/results.jsonl");
  const Result r = w.good("run config.yaml --out whole");
  CHECK(has(r.err, "training: 7 of 8 models are there already"));
  CHECK(has(r.err, "training 1 model: 20 steps"));
  CHECK(difference(finished() / "run", w / "whole") == "");
}

TEST_CASE("a damaged unit of the cache is noticed and made again", "[cli][slow]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out a");
  const auto units = files_below(w / "cache/units", ".jsonl");
  REQUIRE(units.size() == 3);  // the gate and two lengths
  const std::string good = read_file(units[0]);
  for (const std::string& bad : {good.substr(0, good.size() / 2), good.substr(0, good.find('\n') + 1), std::string(),
                                 std::string("\n"), std::string("{}\n"), "garbage " + good, good + good}) {
    write_file(units[0], bad);
    const Result r = w.good("run config.yaml --out a2");
    INFO(bad.substr(0, 60));
    CHECK(has(r.err, ": this cache entry is damaged ("));
    CHECK(read_file(units[0]) == good);
    CHECK(difference(w / "a", w / "a2") == "");
  }
}

TEST_CASE("damaged weights are noticed and trained again", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out a");
  const auto weights = files_below(w / "cache/weights", "model.safetensors");
  REQUIRE(weights.size() == 1);
  const std::string good = read_file(weights[0]);
  fs::remove_all(w / "cache/units");
  write_file(weights[0], good.substr(0, good.size() - 100));
  const Result r = w.good("run config.yaml --out b");
  CHECK(has(r.err, "(the checksum of model.safetensors does not fit); it is kept as "));
  CHECK(has(r.err, "training 1 model"));
  CHECK(read_file(weights[0]) == good);
  CHECK(difference(w / "a", w / "b") == "");
}

TEST_CASE("--dry-run says what would be done and writes nothing", "[cli]") {
  const Workspace w;
  const Result r = w.good("run config.yaml --out run --dry-run");
  CHECK(has(r.out, "to train: 8 models, 160 steps"));
  CHECK(has(r.out, "to evaluate: 288 probes"));
  CHECK_FALSE(fs::exists(w / "run"));
  CHECK_FALSE(fs::exists(w / "cache"));
}

TEST_CASE("--limit takes fewer probes, whole pairs, and the same ones", "[cli]") {
  const Workspace& w = finished();
  w.good("run config.yaml --out limited --limit 3");
  std::map<std::string, std::set<std::string>> ids;
  std::map<std::string, Json> full;
  for (const auto& r : records_of(w / "run")) full[r["setting"].get<std::string>() + r["id"].get<std::string>()] = r;
  for (const auto& r : records_of(w / "limited")) {
    ids[r["suite"].get<std::string>()].insert(r["id"].get<std::string>());
    const Json& same = full.at(r["setting"].get<std::string>() + r["id"].get<std::string>());
    Json here = r, there = same;
    here.erase("config"), there.erase("config");
    CHECK(here == there);  // to the last digit of every loss
  }
  CHECK(ids["needle"].size() == 3 * 3);
  CHECK(ids["order_swap"].size() == 4 * 3);
}

TEST_CASE("a folder that holds other files is refused", "[cli]") {
  const Workspace w(kOne);
  write_file(w / "mine/notes.txt", "do not lose this");
  const Result r = w("run config.yaml --out mine");
  CHECK(r.code == 2);
  CHECK(
      r.err ==
      "error: --out: found 'mine', which holds other files; allowed: a new folder, an empty one, or an earlier run\n");
  CHECK(files_below(w / "mine", "").size() == 1);
  write_file(w / "project/config.yaml", "a config of something else");
  CHECK(w("run config.yaml --out project").code == 2);
  CHECK(read_file(w / "project/config.yaml") == "a config of something else");
  CHECK(w("run config.yaml --out mine/notes.txt").err ==
        "error: --out: found 'mine/notes.txt', which is a file; allowed: a folder\n");
  fs::create_directories(w / "empty");
  w.good("run config.yaml --out empty");
}

TEST_CASE("--set changes one value, in the config and in the result", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out a --set eval.probes=4 --set position.scheme=none --set name=other");
  CHECK(records_of(w / "a").size() == 8);
  const Json summary = Json::parse(read_file(w / "a/summary.json"));
  CHECK(summary["settings"][0]["scheme"] == "none");
  CHECK(summary["name"] == "other");
  CHECK(has(read_file(w / "a/config.yaml"), "scheme: none"));
}

TEST_CASE("without --out and LENGTHWISE_CACHE, everything is below runs", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml", "LENGTHWISE_CACHE=");
  CHECK(fs::exists(w / "runs/one/report.html"));
  CHECK(fs::exists(w / "runs/.cache/units"));
  CHECK_FALSE(fs::exists(w / "cache"));
}

TEST_CASE("json is written whatever the formats", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out a --set report.formats=[md]");
  CHECK(fs::exists(w / "a/report.md"));
  CHECK(fs::exists(w / "a/summary.json"));
  CHECK_FALSE(fs::exists(w / "a/report.html"));
  w.good("report a --format html");
  CHECK(fs::exists(w / "a/report.html"));
}

}  // namespace lw::cli_test
