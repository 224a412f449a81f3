// What the records of a suite hold decides which metrics it has, and whether its depths stand on a grid.
#include <algorithm>
#include <set>

#include "reports/cells.h"

namespace lw {

constexpr size_t kMostDepths = 11;  // more distinct depths than a grid of tenths: put into bins

SuiteFacts suite_facts(const Manifest& manifest, const RecordIndex& index, size_t suite) {
  SuiteFacts facts;
  bool scored = false;
  std::set<double> depths;
  for (size_t setting = 0; setting < manifest.settings.size(); ++setting)
    for (const Record* r : index.of(setting, suite)) {
      if (r->depth) depths.insert(*r->depth);
      for (const auto& t : r->targets)
        if (t.depth) depths.insert(*t.depth);
      scored = scored || r->status == Status::kScored;
      facts.candidates = facts.candidates || r->correct.has_value();
      facts.free = facts.free || r->correct_free.has_value();
      facts.likelihood = facts.likelihood || r->nll || !r->targets.empty();
      facts.ideal = facts.ideal || std::any_of(r->baselines.begin(), r->baselines.end(),
                                               [](const auto& b) { return b.first == kIdealNll; });
      if (r->targets.size() < 2) continue;
      facts.several = facts.several || std::any_of(r->targets.begin(), r->targets.end(),
                                                   [](const TargetScore& t) { return t.correct.has_value(); });
      facts.offsets_vary = facts.offsets_vary || r->targets.front().offset != r->targets.back().offset;
    }
  for (const auto& setting : manifest.settings)
    if (const SuiteMeta* meta = asked_suite(manifest, setting, manifest.suites[suite].name)) {
      facts.candidates = facts.candidates || meta->chance.has_value();
      facts.pairs = facts.pairs || meta->pairs;
    }
  facts.likelihood = facts.likelihood || !scored;
  facts.has_depth = !depths.empty();
  if (depths.size() <= kMostDepths) facts.depths.assign(depths.begin(), depths.end());
  return facts;
}

}  // namespace lw
