#include "harness/run/export_models.h"

#include <cstdio>

#include "harness/base/error.h"
#include "harness/checkpoint/export.h"
#include "harness/model/transformer.h"
#include "harness/run/models.h"
#include "reports/figures/figures.h"

namespace lw {
namespace {

/// A setting's model as a Hugging Face folder. @returns why there is none, or "".
std::string export_model(const Work& work, const EvalJob& job, const Store& store,
                         const std::filesystem::path& folder) {
  try {
    export_checkpoint(*load_model(work, job, store), job.variant->position.resolved(), job.variant->train_length,
                      folder);
    return "";
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kUnsupported) throw;
    return e.what();
  }
}

}  // namespace

void export_models(const Work& work, const Store& store, const std::filesystem::path& out) {
  std::string last;
  size_t written = 0;
  std::set<std::string> taken;
  for (const auto& job : work.evals) {
    if (work.weights[job.weights].loaded()) continue;
    std::string name = slug(job.setting);
    if (job.units.size() > 0 && !job.variant->train.joint) name += "-" + slug(job.units.front().suite_name);
    name = untaken(name, taken);
    const std::string why = export_model(work, job, store, out / name);
    written += why.empty() ? 1 : 0;
    std::printf("%s %s\n", why.empty() ? "exported" : "not exported:",
                why.empty() ? (out / name).c_str() : (job.setting + ": " + why).c_str());
    if (!why.empty()) last = why;
  }
  if (written == 0) throw Error(ErrorKind::kUnsupported, "--export: no model could be exported: " + last);
}

}  // namespace lw
