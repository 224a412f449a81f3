// Runs read back from their folders and compared probe by probe.
#include "reports/diff.h"

#include <algorithm>
#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "reports/registry.h"
#include "reports/statistics/paired.h"
#include "tests/catch.h"
#include "tests/reports/approval.h"
#include "tests/reports/diff_support.h"
#include "tests/reports/markup.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using fixture::compared;
using fixture::one;
using fixture::row;
namespace fs = std::filesystem;

/// A folder that goes away with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / "lengthwise-diff-test";
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

void write_run(const fs::path& folder, const fixture::Run& run) {
  std::string lines;
  for (const auto& r : run.records) lines += to_json_line(r) + "\n";
  write_file(folder / "results.jsonl", lines);
  write_reports(folder, summarise(run.manifest, run.records), run.records, {"json"});
}

TEST_CASE("a run is read back from its folder") {
  const Folder folder;
  const auto run = fixture::full_run();
  write_run(folder.path, run);
  const LoadedRun read = load_run(folder.path);
  CHECK(read.records.size() == run.records.size());
  CHECK(summary_json(summarise(read.manifest, read.records, read.options)) == read_file(folder.path / "summary.json"));
}

TEST_CASE("a folder that is no finished run is one plain error") {
  const Folder folder;
  write_run(folder.path, fixture::full_run());
  const auto refused = [&](const std::string& why) {
    CHECK_THROWS_WITH(load_run(folder.path), ContainsSubstring(folder.path.string()) && ContainsSubstring(why));
  };
  const std::string summary = read_file(folder.path / "summary.json");
  write_file(folder.path / "summary.json", "{\"schema\": 7}");
  refused("schema: found 7; allowed: 1");
  write_file(folder.path / "summary.json", "{");
  refused("not JSON");
  fs::remove(folder.path / "summary.json");
  refused("no such file");
  write_file(folder.path / "summary.json", summary);
  fs::remove(folder.path / "results.jsonl");
  refused("no such file");
}

TEST_CASE("records of a setting that summary.json does not hold are refused") {
  const Folder folder;
  auto run = fixture::full_run();
  write_run(folder.path, run);
  run.manifest.settings.erase(run.manifest.settings.begin());
  std::erase_if(run.records, [](const Record& r) { return r.setting == "rope/s0"; });
  write_reports(folder.path, summarise(run.manifest, run.records), run.records, {"json"});
  CHECK_THROWS_WITH(load_run(folder.path), ContainsSubstring("rope/s0"));
}

TEST_CASE("one variant against another pairs their probes") {
  const Diff diff = compared(one("rope", 40, 10), one("rope-linear-4", 36, 30));
  const RunDiff& run = diff.runs.at(0);
  CHECK(run.paired == 80);
  CHECK(run.unpaired.total() == 0);
  const Comparison& beyond = row(diff, Scope::kLength, 64);
  CHECK(beyond.variant == "rope -> rope-linear-4");
  CHECK(beyond.baseline_value == 0.25);
  CHECK(beyond.value == 0.75);
  CHECK(beyond.difference == 0.5);
  CHECK(beyond.b == 20);
  CHECK(beyond.c == 0);
  CHECK(beyond.about == About::kWeights);
  CHECK(*beyond.p == Approx(mcnemar_exact(20, 0)));
  CHECK(*beyond.p_adjusted == Approx(8 * mcnemar_exact(20, 0)));  // two lengths, six distances: one table to explore
  CHECK(*beyond.low == Approx(tango({10, 20, 0, 10}).low));
  CHECK(beyond.verdict == Verdict::kBetter);
  const Comparison& brief = row(diff, Scope::kShort);
  CHECK(brief.n == 40);
  CHECK(brief.c == 4);
  CHECK(brief.verdict == Verdict::kUndecided);  // 4 against 0: p = 0.125
  CHECK_FALSE(has_regression(diff, RegressionScope::kAny));
}

TEST_CASE("regressions: short contexts alone, or anywhere") {
  const Diff shorter = compared(one("rope", 40, 10), one("rope", 20, 10));
  CHECK(has_regression(shorter, RegressionScope::kShort));
  CHECK(has_regression(shorter, RegressionScope::kAny));
  const Diff longer = compared(one("rope", 40, 30), one("rope", 40, 5));
  CHECK_FALSE(has_regression(longer, RegressionScope::kShort));
  CHECK(has_regression(longer, RegressionScope::kAny));
  CHECK_FALSE(has_regression(compared(one("rope", 40, 30), one("rope", 40, 30)), RegressionScope::kAny));
}

TEST_CASE("probes that the run can no longer score are a regression, not a gap") {
  auto run = one("rope", 40, 30);
  for (auto& r : run.records)
    if (r.length == 16 && r.id.ends_with("/3"))
      fixture::unscored(r = fixture::record(run.manifest.settings[0], "needle", 16, 3), Status::kFailed, "not finite");
  const Diff some = compared(one("rope", 40, 30), run);
  CHECK(some.runs[0].unpaired.unscored_run == 1);
  CHECK(row(some, Scope::kLength, 16).lost == 1);
  CHECK(has_regression(some, RegressionScope::kShort));
  for (auto& r : run.records)
    if (r.length == 64)
      fixture::unscored(r = fixture::record(run.manifest.settings[0], "needle", 64, std::stoi(r.id.substr(10))),
                        Status::kNoPosition, "none");
  const Diff all = compared(one("rope", 40, 30), run);
  CHECK(row(all, Scope::kLength, 64).verdict == Verdict::kLost);
  CHECK_FALSE(row(all, Scope::kLength, 64).difference);
  CHECK_THAT(diff_terminal(all, false), ContainsSubstring("lost (no score in the run)"));
}

TEST_CASE("what could not be paired is counted by its reason") {
  auto base = one("rope", 40, 10), run = one("rope", 40, 10);
  base.records[0].prompt_hash = "other";
  base.records.erase(base.records.begin() + 1);
  run.records.erase(run.records.begin() + 2);
  const Diff diff = compared(base, run);
  const Unpaired& u = diff.runs[0].unpaired;
  CHECK(u.other_prompt == 1);
  CHECK(u.only_run == 1);
  CHECK(u.only_base == 1);
  CHECK(diff.runs[0].paired == 77);
  CHECK_THAT(diff_markdown(diff), ContainsSubstring("1 only in the base, 1 only in the run, 1 with another prompt"));
}

TEST_CASE("distance bins are rows of their own, adjusted together") {
  const Diff diff = compared(one("rope", 40, 10), one("rope", 40, 40));
  int bins = 0;
  for (const auto& r : diff.runs[0].rows)
    if (r.scope == Scope::kDistance && r.length == 64) {
      ++bins;
      REQUIRE(r.distance);
      CHECK(*r.p_adjusted >= *r.p);
    }
  CHECK(bins == 3);
}

TEST_CASE("settings pair by id, by being the only variant, or by name") {
  const auto full = fixture::full_run();
  const Diff same = compared(full, full);
  CHECK(same.runs[0].settings.size() == 12);
  CHECK(same.runs[0].unmatched.empty());
  CHECK(same.runs[0].unlearned == std::vector<std::string>{"alibi/s2 on needle, not learned on either side"});
  const Diff named = compared(full, full, {.names = {{"rope", "rope-linear-4"}}});
  CHECK(named.runs[0].settings.size() == 3);
  CHECK(named.runs[0].settings[1] == std::pair<std::string, std::string>{"rope/s1", "rope-linear-4/s1"});
  const Diff single = compared(full, full, {.names = {{"rope/s0", "alibi/s1"}}});
  CHECK(single.runs[0].settings.size() == 1);
  CHECK_THROWS_WITH(compared(full, full, {.names = {{"rope", "rope-linear-5"}}}),
                    ContainsSubstring("did you mean 'rope-linear-4'?"));
  CHECK_THROWS_WITH(compared(full, one("fire", 40, 10)), ContainsSubstring("found no setting in both"));
  auto other = one("rope", 40, 10);
  for (auto& r : other.records) r.prompt_hash += "!";
  CHECK_THROWS_WITH(compared(one("rope", 40, 10), other), ContainsSubstring("no probe in both"));
}

TEST_CASE("a seed that stopped learning is a regression and in no mean") {
  const auto base = fixture::full_run();
  auto run = base;
  run.manifest.settings[0].trainings[0].gates[0].passed = false;
  const Diff diff = compared(base, run);
  CHECK(diff.runs[0].gates_lost == 1);
  CHECK(has_regression(diff, RegressionScope::kShort));
  CHECK(row(diff, Scope::kLength, 16).n == 48);  // two seeds of rope
}

TEST_CASE("likelihood suites are compared by nll") {
  const auto base = fixture::full_run();
  auto run = base;
  for (auto& r : run.records)
    if (r.suite == "chain" && r.length == 16 && r.setting.starts_with("rope/")) {
      for (auto& t : r.targets) t.nll += 0.1;
      *r.nll += 0.1;
    }
  const Diff diff = compared(base, run);
  bool found = false;
  for (const auto& r : diff.runs[0].rows)
    if (r.suite == "chain" && r.variant == "rope" && r.scope == Scope::kLength && r.length == 16) {
      found = true;
      CHECK(r.metric == "nll");
      CHECK(*r.difference == Approx(0.1));
      CHECK(r.verdict == Verdict::kWorse);
    }
  CHECK(found);
}

TEST_CASE("approved: a comparison in every format") {
  const Diff diff = compared(one("rope", 40, 30), one("rope-linear-4", 20, 32));
  fixture::check_approved("diff.txt", diff_terminal(diff, false));
  fixture::check_approved("diff.md", diff_markdown(diff));
  fixture::check_approved("diff.html", diff_html(diff));
  fixture::check_approved("diff.tex", diff_latex(diff));
  fixture::check_approved("diff.csv", diff_csv(diff));
}

TEST_CASE("a comparison as text, markdown, html and json") {
  const Diff diff = compared(one("rope", 40, 30), one("rope", 20, 5));
  const std::string text = diff_terminal(diff, false);
  CHECK_THAT(text, ContainsSubstring("worse"));
  CHECK(text.find('\x1b') == text.npos);
  CHECK_THAT(diff_markdown(diff), ContainsSubstring("| rope | needle | up to trained | 40 | 1.00 | 0.50 | -0.50 ["));
  CHECK(fixture::markup_fault(diff_html(diff)) == "");
  const Json json = parse_json(diff_json(diff), "diff.json");
  CHECK(json.at("regression_short") == true);
  CHECK(json.at("runs").at(0).at("rows").size() == diff.runs[0].rows.size());
  CHECK(diff_json(diff) == diff_json(compared(one("rope", 40, 30), one("rope", 20, 5))));
}

}  // namespace
}  // namespace lw
