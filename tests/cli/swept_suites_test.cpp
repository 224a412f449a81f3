// A sweep over a suite's options and over training lengths, from the config to the report; and results that lost lines.
#include "tests/cli/support.h"

namespace lw::cli_test {
namespace {

const std::string kSweep = R"(name: sweep
seeds: [0]
model: {layers: 1, width: 16, heads: 2}
train: {steps: 3, batch: 4, warmup: 1, length: {min: 8, max: 16}, gate: {accuracy: 0, probes: 4}}
eval: {lengths: [16, 32], probes: 6}
suites: {needle: {needles: 2, values: 4}}
position: {scheme: rope}
sweep:
  - {name: v4}
  - {name: v16, suites: {needle: {values: 16, keys: 16}}}
  - {name: far, train: {length: {max: 32}}, suites: {needle: {lengths: [32]}}}
)";

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("what a variant changes in a suite is its own in every number, and lost results are noticed", "[cli]") {
  const Workspace work(kSweep);
  REQUIRE(work("run config.yaml --out run").code == 0);
  const Json s = Json::parse(read_file(work.path() / "run/summary.json"));
  const std::map<std::string, double> chances = {{"v4/s0", 0.25}, {"v16/s0", 0.0625}, {"far/s0", 0.25}};
  for (const auto& c : s["cells"])
    if (c["metric"] == "accuracy" && c["n"] > 0) CHECK(c["chance"] == chances.at(c["setting"].get<std::string>()));
  CHECK(s["suites"][0]["chance"].is_null());  // no number that is true for all
  CHECK(s["suites"][0]["lengths"] == Json{16, 32});
  CHECK(s["settings"][1]["suites"][0]["chance"] == 0.0625);
  CHECK(s["settings"][2]["suites"][0]["lengths"] == Json{32});
  CHECK(s["settings"][2]["suites"][0]["probes"] == 6);
  const std::string md = read_file(work.path() / "run/report.md");
  CHECK(has(md, "Chance 0.25 (v4 and far), chance 0.0625 (v16)"));
  CHECK_FALSE(has(md, "(trained)"));
  CHECK(work("report run --check").code == 0);

  const auto results = work.path() / "run/results.jsonl";
  const auto whole = lines_of(read_file(results));
  const auto broken = [&](const std::vector<std::string>& lines, const std::string& why) {
    write_file(results, text_of(lines));
    for (const char* command : {"report run", "report run --check", "diff run run"}) {
      const Result r = work(command);
      INFO(command << ": " << r.err);
      CHECK(r.code == 2);
      CHECK(has(r.err, why));
      CHECK(lines_of(r.err).size() == 1);
    }
  };
  auto half = whole;
  half.erase(half.begin() + 1, half.begin() + 4);
  broken(half, "results.jsonl: found 3 of 6 probes of needle at length 16 of v4/s0; allowed: every probe");
  broken(std::vector<std::string>(whole.begin(), whole.end() - 6), "0 of 6 probes of needle at length 32 of far/s0");
  auto misspelt = whole;
  misspelt[4].replace(misspelt[4].find("\"correct\""), 9, "\"corect\"");
  broken(misspelt, "results.jsonl:5: corect: found an unknown key");
  auto elsewhere = whole;
  elsewhere[2].replace(elsewhere[2].find("\"length\":16"), 11, "\"length\":9");
  broken(elsewhere, "results.jsonl:3: ");
}

}  // namespace lw::cli_test
