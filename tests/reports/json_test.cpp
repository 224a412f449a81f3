// summary.json: strict, deterministic, read back to the same summary.
#include "harness/base/error.h"
#include "harness/base/json_read.h"
#include "reports/summary.h"
#include "tests/catch.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Matchers::ContainsSubstring;

Summary full() {
  const auto run = fixture::full_run();
  return summarise(run.manifest, run.records);
}

TEST_CASE("summary.json is strict json with the contract's keys") {
  const Json json = parse_json(summary_json(full()), "summary.json");
  CHECK(json.at("schema") == 1);
  for (const char* key : {"name", "settings", "suites", "cells", "pooled", "effective_length", "comparisons",
                          "protocol", "verdict", "cost", "options", "command"})
    CHECK(json.contains(key));
  const Json& cell = json.at("cells").at(0);
  for (const char* key : {"setting",   "suite",      "metric",  "length",   "distance",   "depth",         "in_length",
                          "n",         "k",          "value",   "low",      "high",       "nll",           "chance",
                          "baselines", "detectable", "n_total", "n_scored", "n_too_long", "n_no_position", "n_failed"})
    CHECK(cell.contains(key));
  for (const char* key : {"id", "model", "scheme", "scaling", "train_length", "seed", "learned", "card"})
    CHECK(json.at("settings").at(0).contains(key));
  for (const auto& c : json.at("cells")) {
    if (!c.at("distance").is_null()) CHECK(c.at("distance").size() == 2);
    if (c.at("value").is_null()) CHECK_FALSE(c.at("reason").get<std::string>().empty());
  }
}

TEST_CASE("summary.json has no NaN or Infinity") {
  const std::string text = summary_json(full());
  CHECK(text.find("NaN") == text.npos);
  CHECK(text.find("nan") == text.npos);
  CHECK(text.find("Infinity") == text.npos);
}

TEST_CASE("what came from the run is read back from summary.json, and gives the same bytes again") {
  const auto run = fixture::full_run();
  const std::string text = summary_json(full());
  CHECK(summary_json(full()) == text);
  const auto [manifest, options] = manifest_from_json(text, "summary.json");
  CHECK(summary_json(summarise(manifest, run.records, options)) == text);
  const std::string empty = summary_json(summarise({}, {}));
  const auto [nothing, defaults] = manifest_from_json(empty, "s");
  CHECK(summary_json(summarise(nothing, {}, defaults)) == empty);
}

TEST_CASE("options are kept, so that a report made again is the same") {
  const auto run = fixture::full_run();
  const SummaryOptions options{.bar = 0.9, .margin = 0.02, .distance_edges = {8, 64}};
  const std::string text = summary_json(summarise(run.manifest, run.records, options));
  const auto [manifest, read] = manifest_from_json(text, "summary.json");
  CHECK(read.bar == 0.9);
  CHECK(read.margin == 0.02);
  CHECK(read.distance_edges == std::vector<int64_t>{8, 64});
  CHECK(summary_json(summarise(manifest, run.records, read)) == text);
}

TEST_CASE("a broken summary.json is refused with the key") {
  const std::string text = summary_json(full());
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& why) {
    std::string broken = text;
    broken.replace(broken.find(from), from.size(), to);
    CHECK_THROWS_WITH(manifest_from_json(broken, "run/summary.json"),
                      ContainsSubstring("run/summary.json") && ContainsSubstring(why));
  };
  refused("\"schema\": 1", "\"schema\": 2", "schema: found 2; allowed: 1");
  refused("\"train_steps\":", "\"steps\":", "train_steps");
  refused("\"bar\":0.85", "\"bar\":\"high\"", "bar");
  refused("\"applies_to\":[", "\"applies_to\":[7,", "card of rope/s0: applies_to");
  refused("\"measured\":true", "\"measured\":\"yes\"", "measured");
  refused("\"loss\":[[0,", "\"loss\":[[\"x\",", "loss: found [\"x\",");
  refused("\"loss\":[[0,", "\"loss\":[[0,1,", "allowed: a step and its loss");
  refused("\"variant\":\"rope\"", "\"variant\":\"a\\u001b[31m\"", "variant: found the name 'a\\x1b[31m'; allowed: ");
  refused("\"name\":\"needle\"", "\"name\":\"a/b\"", "name: found the name 'a/b'; allowed: a word without '/'");
  refused("\"cells\": [", "\"cells\": {", "not JSON");
  CHECK_THROWS_WITH(manifest_from_json("[]", "x.json"), ContainsSubstring("found no object"));
}

}  // namespace
}  // namespace lw
