// What a run leaves behind, read as the contract promises it, and the commands that read it.
#include <set>

#include "tests/cli/support.h"

namespace lw::cli_test {
namespace {

void check_keys(const Json& object, const std::vector<std::string>& keys) {
  for (const auto& key : keys) {
    INFO(key);
    CHECK(object.contains(key));
  }
}

Json summary() { return Json::parse(read_file(finished() / "run/summary.json")); }

}  // namespace

TEST_CASE("every record has the promised keys, and its numbers agree", "[cli]") {
  const auto records = records_of(finished() / "run");
  REQUIRE(records.size() == 3 * 2 * 2 * 3 * 8);  // variants, seeds, suites, lengths, probes
  std::set<std::string> ids;
  for (const auto& r : records) {
    check_keys(r, {"id", "suite", "setting", "seed", "length", "prompt_tokens", "answer_budget", "in_length",
                   "distance", "depth", "needle_offsets", "query_offset", "prompt_hash", "status", "correct", "nll",
                   "gold", "answer", "baselines"});
    CHECK(ids.insert(r["setting"].get<std::string>() + " " + r["id"].get<std::string>()).second);
    CHECK(r["prompt_tokens"].get<int>() + r["answer_budget"].get<int>() == r["length"].get<int>());
    CHECK(r["in_length"].get<bool>() == (r["length"].get<int>() <= 16));
    CHECK(r["query_offset"].get<int>() - r["needle_offsets"][0].get<int>() == r["distance"].get<int>());
    if (r["status"] == "scored") CHECK(r["nll"].get<double>() > 0);
  }
}

TEST_CASE("every setting is asked the same probes", "[cli]") {
  std::map<std::string, std::map<std::string, std::string>> prompts;
  for (const auto& r : records_of(finished() / "run"))
    prompts[r["setting"].get<std::string>()][r["id"].get<std::string>()] = r["prompt_hash"].get<std::string>();
  REQUIRE(prompts.size() == 6);
  for (const auto& [setting, hashes] : prompts) CHECK(hashes == prompts.begin()->second);
}

TEST_CASE("beyond a learned table there is no position, and never a score", "[cli]") {
  int found = 0;
  for (const auto& r : records_of(finished() / "run")) {
    const bool beyond = r["setting"].get<std::string>().rfind("learned/", 0) == 0 && r["length"] == 32;
    CHECK(r["status"] == (beyond ? "no_position" : "scored"));
    if (!beyond) continue;
    ++found;
    CHECK(r["correct"].is_null());
    CHECK(r["nll"].is_null());
    CHECK(r["reason"] == "no vector for position 16 (table holds 16)");
  }
  CHECK(found == 2 * 2 * 8);
  for (const char* file : {"run/report.md", "run/report.html"}) CHECK(has(read_file(finished() / file), "n/a"));
  for (const auto& c : summary()["cells"]) {
    if (c["setting"] != "learned/s0" || c["length"] != 32) continue;
    CHECK(c["value"].is_null());
    CHECK(c["n_scored"] == 0);
    CHECK(c["n_no_position"] == c["n_total"]);
  }
}

TEST_CASE("the summary has the promised keys and counts every record", "[cli]") {
  const Json s = summary();
  check_keys(s, {"schema", "name", "settings", "cells", "effective_length", "protocol", "cost"});
  CHECK(s["name"] == "tiny");
  REQUIRE(s["settings"].size() == 6);
  for (const auto& setting : s["settings"])
    check_keys(setting, {"id", "model", "scheme", "scaling", "train_length", "seed", "learned", "card"});
  int64_t total = 0;
  for (const auto& c : s["cells"]) {
    check_keys(c, {"setting",   "suite",      "metric",  "length",   "distance",   "depth",         "in_length",
                   "n",         "k",          "value",   "low",      "high",       "nll",           "chance",
                   "baselines", "detectable", "n_total", "n_scored", "n_too_long", "n_no_position", "n_failed"});
    const auto n = [&](const char* key) { return c[key].get<int64_t>(); };
    CHECK(n("n_scored") + n("n_too_long") + n("n_no_position") + n("n_failed") == n("n_total"));
    if (c["distance"].is_null() && c["depth"].is_null() && c["metric"] == "accuracy") total += n("n_total");
  }
  CHECK(total == 288);
  for (const auto& cost : s["cost"]) CHECK_FALSE(has(cost.dump(), "seconds"));
}

TEST_CASE("report makes the same files again, and --check notices any change", "[cli][slow]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out run");
  const auto before = lasting_files(w / "run");
  CHECK(has(w.good("report run --check").out, "run: every report is what results.jsonl gives"));
  w.good("report run");
  CHECK(lasting_files(w / "run") == before);
  fs::remove_all(w / "run/figures");
  const Result missing = w("report run --check");
  CHECK(missing.code == 1);
  CHECK(has(missing.out, "is missing"));
  w.good("report run --format svg");
  CHECK(lasting_files(w / "run") == before);

  for (const std::string name : {"report.md", "report.html", "tables/cells.csv"}) {
    INFO(name);
    std::string bytes = before.at(name);
    const size_t at = bytes.find("0.");
    REQUIRE(at != std::string::npos);
    bytes[at] = '1';
    write_file(w / "run" / name, bytes);
    const Result r = w("report run --check");
    CHECK(r.code == 1);
    CHECK(has(r.out, "run/" + name + ": differs from what results.jsonl gives"));
    write_file(w / "run" / name, before.at(name));
  }
  w.good("report run --check");

  std::string results = before.at("results.jsonl");
  const size_t right = results.find("\"correct\":false");
  REQUIRE(right != std::string::npos);
  results.replace(right, 15, "\"correct\":true");
  write_file(w / "run/results.jsonl", results);
  const Result r = w("report run --check");  // a wrong answer that is called right cannot be
  CHECK(r.code == 2);
  CHECK(has(r.err, "results.jsonl:"));
}

TEST_CASE("diff compares runs probe by probe", "[cli]") {
  const Workspace& w = finished();
  const Result same = w.good("diff run run --md same.md --html same.html --json same.json --fail-on-regression any");
  CHECK(has(same.out, "run -> run"));
  CHECK(has(same.out, "256 probes paired"));  // the other 32 have no position
  const Json json = Json::parse(read_file(w / "same.json"));
  CHECK(json.is_object());
  CHECK(fs::file_size(w / "same.md") > 0);
  CHECK(has(read_file(w / "same.html"), "</html>"));
  w.good("run config.yaml --out other --set eval.seed=1");
  const Result other = w("diff run other");  // other probes: not counted as equal
  CHECK(other.code == 2);
  CHECK(other.err == "error: run and other: found no probe in both with the same prompt\n");
}

TEST_CASE("train leaves weights that run then uses", "[cli]") {
  const Workspace w(kOne);
  const Result trained = w.good("train config.yaml");
  CHECK(has(trained.out, "alibi/s0"));
  CHECK(files_below(w / "cache/weights", "model.safetensors").size() == 1);
  const Result run = w.good("run config.yaml --out run");
  CHECK_FALSE(has(run.err, " steps in "));
  CHECK(has(run.err, "training: 1 of 1 models are there already"));
}

}  // namespace lw::cli_test
