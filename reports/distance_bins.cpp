#include "reports/distance_bins.h"

#include <algorithm>
#include <map>
#include <set>

namespace lw {
namespace {

constexpr size_t kMostOnGrid = 16;  // distinct distances: more are no grid

/// The haystacks, or pairs, that ask each distance.
using DistanceGroups = std::map<int64_t, std::set<std::string_view>>;

/// Of a probe with several targets, theirs count; they are known of scored ones alone.
DistanceGroups groups_by_distance(std::span<const Record* const> records) {
  const bool several = std::any_of(records.begin(), records.end(), [](const auto* r) { return r->targets.size() > 1; });
  DistanceGroups groups;
  for (const Record* r : records) {
    const std::string_view group = r->group.empty() ? r->id : r->group;
    if (!several && r->distance) groups[*r->distance].insert(group);
    for (const auto& t : r->targets)
      if (t.distance && (several || !r->distance)) groups[*t.distance].insert(group);
  }
  return groups;
}

/// The index of a probe chooses its distance in turn: each comes again, and none more than once oftener than another.
bool in_turn(const DistanceGroups& groups) {
  if (groups.empty()) return true;
  const auto [least, most] = std::minmax_element(
      groups.begin(), groups.end(), [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); });
  return least->second.size() > 1 && most->second.size() - least->second.size() <= 1;
}

}  // namespace

DistanceBins::DistanceBins(const Manifest& manifest, const RecordIndex& index, size_t suite, int64_t length,
                           std::vector<int64_t> edges)
    : edges_(std::move(edges)), grid_(edges_.empty()) {
  if (!edges_.empty()) return;
  std::set<int64_t> distances;
  for (size_t setting = 0; setting < manifest.settings.size(); ++setting) {
    const DistanceGroups groups = groups_by_distance(index.of(setting, suite, length));
    grid_ = grid_ && in_turn(groups);
    for (const auto& [distance, group] : groups) distances.insert(distance);
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
