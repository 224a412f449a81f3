#include "reports/summary.h"

#include <map>

#include "harness/base/error.h"
#include "reports/cells.h"
#include "reports/comparisons.h"
#include "reports/pooled.h"
#include "reports/protocol.h"
#include "reports/statistics/growth.h"
#include "reports/verdict.h"

namespace lw {
namespace {

void check(const SummaryOptions& options) {
  int64_t last = 0;
  for (const int64_t edge : options.distance_edges) {
    if (edge <= last)
      throw Error(ErrorKind::kConfig, "distance edges: found " + std::to_string(edge) + " after " +
                                          std::to_string(last) + "; allowed: increasing, from 1");
    last = edge;
  }
}

std::vector<Cost> count_cost(const Manifest& manifest, const RecordIndex& index) {
  std::vector<Cost> costs;
  for (size_t setting = 0; setting < manifest.settings.size(); ++setting) {
    Cost cost;
    cost.setting = manifest.settings[setting].id;
    for (const auto& t : manifest.settings[setting].trainings) {
      cost.parameters = std::max(cost.parameters, t.parameters);
      cost.train_steps += t.steps;
    }
    for (size_t suite = 0; suite < manifest.suites.size(); ++suite)
      for (const Record* r : index.of(setting, suite)) {
        if (r->status != Status::kScored) continue;
        ++cost.probes;
        cost.tokens += r->length;
        cost.targets += std::max<int64_t>(1, static_cast<int64_t>(r->targets.size()));
      }
    cost.memory = manifest.settings[setting].memory;
    std::vector<std::pair<double, double>> points;
    for (const auto& at : cost.memory.attention) points.emplace_back(double(at.length), double(at.peak_bytes));
    cost.memory_growth = growth_exponent(points);
    costs.push_back(std::move(cost));
  }
  return costs;
}

}  // namespace

Summary summarise(const Manifest& manifest, std::span<const Record> records, const SummaryOptions& options) {
  check(options);
  const RecordIndex index(manifest, records);
  Summary s;
  s.manifest = manifest;
  s.options = options;
  s.cells = make_cells(manifest, index, options);
  s.pooled = pool_seeds(manifest, s.cells);
  s.effective_length = effective_lengths(manifest, s.cells, s.pooled, options.bar);
  s.curves = curves_of(manifest, s.pooled);
  s.comparisons = compare_scalings(manifest, index, options);
  s.protocol = check_protocol(View(s));
  s.cost = count_cost(manifest, index);
  s.verdict = derive_verdict(s);
  return s;
}

}  // namespace lw
