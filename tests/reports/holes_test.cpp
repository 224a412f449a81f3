// Cells with probes that have no score, and results of which lines are lost.
#include "harness/base/files.h"
#include "reports/load.h"
#include "reports/registry.h"
#include "reports/tables/value_cells.h"
#include "reports/terminal.h"
#include "tests/catch.h"
#include "tests/reports/lookup.h"
#include "tests/reports/sweep_fixture.h"
#include "tests/support.h"

namespace lw {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using fixture::find;
using fixture::scored;
using fixture::Small;

/// 9 of 10 probes failed, the last is right.
Small nearly_empty(Status status = Status::kFailed) {
  Small run({16});
  for (int64_t i = 0; i < 9; ++i) fixture::unscored(run.add(16, i), status, "logits not finite");
  scored(run.add(16, 9), true);
  return run;
}

std::string results_of(const std::vector<Record>& records) {
  std::string lines;
  for (const auto& r : records) lines += to_json_line(r) + "\n";
  return lines;
}

/// A run folder of small_sweep() with other results.
struct Folder {
  test::TempFolder folder;
  fixture::Run run = fixture::small_sweep();

  std::string load_fails_with(const std::string& results) {
    write_file(folder / "summary.json", summary_json(summarise(run.manifest, {}, {})));
    write_file(folder / "results.jsonl", results);
    try {
      load_run(folder.path());
    } catch (const Error& e) {
      CHECK(e.exit_code() == 2);
      return e.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE("a share over a hole has the bounds of its failed probes, whatever their status", "[reports]") {
  for (const Status status : {Status::kFailed, Status::kTooLong, Status::kNoPosition}) {
    const Summary s = nearly_empty(status).summary();
    const Cell* c = find(s, "accuracy", 16);
    REQUIRE(c);
    CHECK_FALSE(c->complete());
    CHECK(c->value == 1.0);
    CHECK(*c->bound_low == Approx(0.1));
    CHECK(*c->bound_high == 1.0);
    CHECK_THAT(c->unscored, ContainsSubstring("9 ") && ContainsSubstring("logits not finite"));
    const Pooled* p = fixture::find_pooled(s, "rope", "needle", "accuracy", 16);
    CHECK_FALSE(p->complete());
    CHECK(*p->bound_low == Approx(0.1));
    CHECK(pooled_cell(p, 0.85).text == "0.10 to 1.00");
    CHECK(pooled_cell(p, 0.85).state == CellState::kWarn);  // never good
    const Cell* loss = find(s, "nll", 16);
    REQUIRE(loss);
    CHECK_FALSE(loss->complete());
    CHECK_FALSE(loss->bound_low);  // a failed probe may have any loss
  }
}

TEST_CASE("a pair with one failed probe is lost as a whole", "[reports]") {
  Small run({16});
  run.manifest.suites[0].pairs = true;
  for (int64_t i = 0; i < 8; ++i) {
    Record& r = run.add(16, i);
    r.group = "pair" + std::to_string(i / 2);
    scored(r, true);
  }
  Record& last = run.records.back();
  const std::string group = last.group;
  last = fixture::record(run.setting, "needle", 16, 7);
  last.group = group;
  fixture::unscored(last, Status::kFailed, "logits not finite");
  const Cell* c = find(run.summary(), "pair_accuracy", 16);
  const Summary s = run.summary();
  c = find(s, "pair_accuracy", 16);
  REQUIRE(c);
  CHECK(c->n == 3);
  CHECK(*c->bound_low == Approx(0.75));
  CHECK(*c->bound_high == 1.0);
}

TEST_CASE("a learned seed without any score may be all wrong or all right", "[reports]") {
  Small run({16});
  SettingInfo other = run.setting;
  other.id = "rope/s1";
  other.seed = 1;
  run.manifest.settings.push_back(other);
  for (int64_t i = 0; i < 4; ++i) {
    scored(run.add(16, i), true);
    run.records.push_back(fixture::record(other, "needle", 16, i));
    fixture::unscored(run.records.back(), Status::kFailed, "logits not finite");
  }
  const Summary s = run.summary();
  const Pooled* p = fixture::find_pooled(s, "rope", "needle", "accuracy", 16);
  CHECK(p->value == 1.0);
  CHECK(*p->bound_low == Approx(0.5));
  CHECK(*p->bound_high == 1.0);
}

TEST_CASE("complete cells have no bounds", "[reports]") {
  Small run({16});
  scored(run.add(16, 0), true);
  const Summary s = run.summary();
  CHECK(find(s, "accuracy", 16)->complete());
  CHECK_FALSE(find(s, "accuracy", 16)->bound_low);
  CHECK(find(s, "accuracy", 16)->unscored.empty());
}

TEST_CASE("every page says how many probes have no score, and why", "[reports]") {
  const Small run = nearly_empty();
  const Summary s = run.summary();
  for (const auto& format : report_formats()) {
    if (format.name != "md" && format.name != "html" && format.name != "tex") continue;
    const std::string page = format.make(s, run.records).front().bytes;
    INFO(format.name);
    CHECK_THAT(page, ContainsSubstring("rope at 16: 9 of 10 probes without a score"));
    CHECK_THAT(page, ContainsSubstring("9 failed: logits not finite"));
    CHECK_THAT(page, ContainsSubstring("0.10 to 1.00!"));
    CHECK_THAT(page, ContainsSubstring("some probes have no score"));
  }
  CHECK_THAT(terminal_tables(s, false), ContainsSubstring("9 of 10 probes without a score"));
}

TEST_CASE("lost results are refused, and what is missing is named", "[reports]") {
  Folder f;
  CHECK(f.load_fails_with(results_of(f.run.records)).empty());
  auto half = f.run.records;
  std::erase_if(half, [](const Record& r) {
    return r.setting == "v4 to 16/s0" && r.length == 32 && std::stoi(r.id.substr(r.id.rfind('/') + 1)) % 2 == 1;
  });
  CHECK_THAT(
      f.load_fails_with(results_of(half)),
      ContainsSubstring("results.jsonl: found 12 of 24 probes of needle at length 32 of v4 to 16/s0; allowed: "));
  auto suite = f.run.records;
  std::erase_if(suite, [](const Record& r) { return r.setting == "v16 to 16/s0"; });
  CHECK_THAT(f.load_fails_with(results_of(suite)),
             ContainsSubstring("0 of 24 probes of needle at length 16 of v16 to 16/s0"));
  CHECK_THAT(f.load_fails_with(""), ContainsSubstring("and too few in 5 more"));
  auto more = f.run.records;
  more.push_back(fixture::record(f.run.manifest.settings[0], "needle", 16, 24));
  scored(more.back(), true);
  CHECK_THAT(f.load_fails_with(results_of(more)), ContainsSubstring("found 25 probes of needle at length 16"));
}

TEST_CASE("a record of a length that its variant was not asked is refused with its line", "[reports]") {
  Folder f;
  auto records = f.run.records;
  records.push_back(fixture::record(f.run.manifest.settings[1], "needle", 64, 0));  // v16 is asked up to 32
  scored(records.back(), true);
  CHECK_THAT(f.load_fails_with(results_of(records)),
             ContainsSubstring("results.jsonl:" + std::to_string(records.size())) &&
                 ContainsSubstring("length: found 64; allowed: 16, 32, the lengths of needle"));
}

TEST_CASE("a record that does not fit its setting is refused with its line", "[reports]") {
  Folder f;
  auto records = f.run.records;
  records[3].seed = 7;
  CHECK_THAT(f.load_fails_with(results_of(records)), ContainsSubstring("results.jsonl:4: "));
}

TEST_CASE("a chance that cannot be is refused", "[reports]") {
  auto run = fixture::small_sweep();
  for (const double chance : {7.0, 0.0, -0.25}) {
    run.manifest.settings[0].suites[0].chance = chance;
    CHECK_THROWS_WITH(manifest_from_json(summary_json(summarise(run.manifest, {}, {})), "summary.json"),
                      ContainsSubstring("chance: found") && ContainsSubstring("allowed: above 0, up to 1"));
  }
}

}  // namespace lw
