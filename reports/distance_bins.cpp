#include "reports/distance_bins.h"

#include <algorithm>
#include <map>
#include <set>

namespace lw {
namespace {

constexpr size_t kMostOnGrid = 16;  // distinct distances: more are no grid

/// How often each distance is asked.
using DistanceCounts = std::map<int64_t, int64_t>;

/// Of a probe with several targets, theirs count; they are known of scored ones alone.
DistanceCounts count_distances(std::span<const Record* const> records) {
  const bool several = std::any_of(records.begin(), records.end(), [](const auto* r) { return r->targets.size() > 1; });
  DistanceCounts counts;
  for (const Record* r : records) {
    if (!several && r->distance) ++counts[*r->distance];
    for (const auto& t : r->targets)
      if (t.distance && (several || !r->distance)) ++counts[*t.distance];
  }
  return counts;
}

/// The index of a probe chooses its distance in turn, so that no count differs by more than one.
bool in_turn(const DistanceCounts& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end(),
                                                 [](const auto& x, const auto& y) { return x.second < y.second; });
  return counts.empty() || most->second - least->second <= 1;
}

}  // namespace

DistanceBins::DistanceBins(const Manifest& manifest, const RecordIndex& index, size_t suite, int64_t length,
                           std::vector<int64_t> edges)
    : edges_(std::move(edges)), grid_(edges_.empty()) {
  if (!edges_.empty()) return;
  std::set<int64_t> distances;
  for (size_t setting = 0; setting < manifest.settings.size(); ++setting) {
    const DistanceCounts counts = count_distances(index.of(setting, suite, length));
    grid_ = grid_ && in_turn(counts);
    for (const auto& [distance, count] : counts) distances.insert(distance);
  }
  grid_ = grid_ && distances.size() <= kMostOnGrid;
  if (distances.empty()) return;
  const Bin last = bin_of(*distances.rbegin(), {});
  const int64_t middle = last.low + (last.high - last.low) / 2;
  if (*distances.rbegin() >= middle && middle > last.low) cut_ = middle;
}

Bin DistanceBins::of(int64_t distance) const {
  if (grid_) return {distance, distance + 1};
  Bin bin = bin_of(distance, edges_);
  if (cut_ && bin.low < *cut_ && *cut_ < bin.high) (distance < *cut_ ? bin.high : bin.low) = *cut_;
  return bin;
}

Bin bin_of(int64_t value, const std::vector<int64_t>& edges) {
  if (edges.empty()) {
    Bin bin{0, 1};
    while (value >= bin.high) bin = {bin.high, bin.high * 2};
    return bin;
  }
  if (value < edges.front()) return {0, edges.front()};
  const auto above = std::upper_bound(edges.begin(), edges.end(), value);
  if (above != edges.end()) return {*(above - 1), *above};
  Bin bin{edges.back(), std::max<int64_t>(edges.back(), 1) * 2};
  while (value >= bin.high) bin = {bin.high, bin.high * 2};
  return bin;
}

}  // namespace lw
