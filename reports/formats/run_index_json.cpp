// A list of runs as JSON.
#include "harness/results/field_json.h"
#include "reports/run_index.h"
#include "reports/summary_fields.h"

namespace lw {
namespace {

/// An empty text is what the run does not say.
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json reach_json(const EffectiveLength& e) {
  return Json{{"suite", e.suite},
              {"variant", e.variant},
              {"bar", e.bar},
              {"train_length", e.train_length},
              {"longest", e.longest},
              {"claimed", fields_to_json(e.claimed)},
              {"point", fields_to_json(e.point)},
              {"words", farthest_words(e)}};
}

Json run_json(const IndexedRun& run) {
  if (!run.fault.empty()) return Json{{"folder", run.folder}, {"error", run.fault}};
  Json farthest = Json::array();
  for (const auto& reach : run.reach) farthest.push_back(reach_json(reach));
  return Json{{"folder", run.folder},
              {"name", run.name},
              {"config_sha256", text_or_null(run.config)},
              {"finished", text_or_null(run.finished)},
              {"suites", run.suites},
              {"variants", run.variants},
              {"seeds", run.seeds},
              {"farthest", farthest},
              {"verdict", fields_to_json(run.verdict)},
              {"report", text_or_null(run.page)}};
}

}  // namespace

std::string run_index_json(const RunIndex& index) {
  Json runs = Json::array();
  for (const auto& run : index.runs) runs.push_back(run_json(run));
  // Names of folders may be no UTF-8, which JSON has to be.
  return Json{{"runs", runs}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lw
