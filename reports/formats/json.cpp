// summary.json.
#include "reports/registry.h"

namespace lw {

std::vector<ReportFile> make_json_report(const Summary& summary, std::span<const Record> /*records*/) {
  return {{"summary.json", summary_json(summary)}};
}

}  // namespace lw
