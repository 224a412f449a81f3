// Records are checked against the manifest, and their order does not matter.
#include <cmath>

#include "harness/base/rng.h"
#include "reports/summary.h"
#include "tests/catch.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the order of records does not matter") {
  const auto run = fixture::full_run();
  const std::string first = summary_json(summarise(run.manifest, run.records));
  auto shuffled = run.records;
  Rng rng(7);
  rng.shuffle(shuffled);
  CHECK(summary_json(summarise(run.manifest, shuffled)) == first);
}

TEST_CASE("records that do not fit the manifest are refused") {
  const auto run = fixture::full_run();
  const auto refused = [&](const std::string& why, auto change) {
    auto records = run.records;
    change(records[0], records[1]);
    CHECK_THROWS_WITH(summarise(run.manifest, records), ContainsSubstring(why));
  };
  refused("setting", [](Record& r, Record&) { r.setting = "ghost/s0"; });
  refused("suite 'ghost'", [](Record& r, Record&) { r.suite = "ghost"; });
  refused("twice", [](Record& r, Record& other) { r.id = other.id; });
  refused("in_length", [](Record& r, Record&) { r.in_length = false; });
  refused("seed", [](Record& r, Record&) { r.seed = 9; });
  refused("without a score",
          [](Record& r, Record&) { r.correct.reset(), r.correct_free.reset(), r.nll.reset(), r.targets.clear(); });
  refused("found a score", [](Record& r, Record&) { r.status = Status::kFailed; });
  refused("not finite", [](Record& r, Record&) { r.nll = std::nan(""); });
  refused("not finite", [](Record& r, Record&) { r.targets[0].nll = INFINITY; });
  refused("depth", [](Record& r, Record&) { r.depth = 1.5; });
}

}  // namespace
}  // namespace lw
