// Which distances stand together: a grid as it was asked, and never the start and the middle of a haystack.
#include "reports/distance_bins.h"

#include "harness/base/rng.h"
#include "tests/catch.h"
#include "tests/reports/lookup.h"

namespace lw {
namespace {

using fixture::scored;
using fixture::Small;

DistanceBins bins_of(const Small& run, int64_t length) {
  return {run.manifest, RecordIndex(run.manifest, run.records), 0, length, {}};
}

/// A probe of a haystack of its own at each of the distances, which go round.
Small run_over(int64_t length, const std::vector<int64_t>& distances, int64_t probes) {
  Small run({length});
  for (int64_t i = 0; i < probes; ++i) {
    Record& r = run.add(length, i);
    r.distance = distances[size_t(i) % distances.size()];
    r.group = "haystack" + std::to_string(i);
    scored(r, true);
  }
  return run;
}

}  // namespace

TEST_CASE("distances on a grid have a bin each", "[reports]") {
  const auto bins = bins_of(run_over(256, {2, 128, 254}, 100), 256);
  for (const int64_t d : {2, 128, 254}) CHECK(bins.of(d) == Bin{d, d + 1});
}

TEST_CASE("the start and the middle of a haystack never share a bin, at any length", "[reports]") {
  Rng rng(5);
  for (int64_t length = 12; length < 700; length += 1 + length / 16) {
    std::vector<int64_t> distances;
    for (int i = 0; i < 40; ++i) distances.push_back(2 + rng.below(length - 4));
    distances.push_back(length - 2);  // the start
    const auto bins = bins_of(run_over(length, distances, 41), length);
    INFO("length " << length);
    CHECK(bins.of(length - 2) != bins.of(length / 2));
    for (const int64_t d : distances) {
      CHECK(bins.of(d).low <= d);
      CHECK(d < bins.of(d).high);
    }
    for (int64_t d = 1; d + 1 < length; ++d)  // no gap, no overlap
      CHECK((bins.of(d) == bins.of(d + 1) || bins.of(d).high == bins.of(d + 1).low));
  }
}

TEST_CASE("pairs that share their distance are no grid", "[reports]") {
  Small run({64});
  for (int64_t i = 0; i < 12; ++i) {
    Record& r = run.add(64, i);
    r.distance = 20 + 3 * (i / 2);
    r.group = "pair" + std::to_string(i / 2);
    scored(r, true);
  }
  CHECK(bins_of(run, 64).of(20) == Bin{16, 32});
}

}  // namespace lw
