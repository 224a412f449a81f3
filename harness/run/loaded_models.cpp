#include "harness/run/loaded_models.h"

#include <algorithm>
#include <mutex>

#include "encodings/tensor.h"
#include "harness/base/log.h"
#include "harness/base/parallel.h"
#include "harness/experiment/checkpoint_model.h"
#include "harness/model/encoder_decoder.h"
#include "harness/model/model.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

/// The checkpoint that is in memory, and the model that answers under its present setting.
class Loaded {
 public:
  explicit Loaded(std::string device) : device_(std::move(device)) {}

  Model& model_for(const Variant& v) {
    const CheckpointUse& use = *v.checkpoint;
    const bool same = model_ != nullptr && source_ == use.source.get() && dtype_ == use.dtype;
    if (!use.source->checkpoint().model.encoder.empty()) {
      load_two_stacks(v);
    } else if (same) {
      set_position(*transformer_, use.source->checkpoint(), v.position);
      transformer_->to(at::Device(device_), scalar_type(use.dtype));
      wrap(v);
    } else {
      model_.reset();
      transformer_.reset();  // before the next one takes its memory
      transformer_ = load_model(v).transformer;
      transformer_->to(at::Device(device_));
      wrap(v);
    }
    source_ = use.source.get();
    dtype_ = use.dtype;
    return *model_;
  }

 private:
  void wrap(const Variant& v) {
    transformer_->set_sampler(v.position.sampler());
    model_ = make_model(transformer_, v.vocabulary->mask().value_or(VocabularyPlan::kMask));
  }

  void load_two_stacks(const Variant& v) {
    const CheckpointSource& source = *v.checkpoint->source;
    model_.reset();
    transformer_.reset();
    auto both = load_encoder_decoder(source.checkpoint(), nullptr, &v.position);
    both->to(at::Device(device_), scalar_type(v.checkpoint->dtype));
    model_ = make_model(std::move(both), source.text().sentinels(), source.checkpoint().model.start_token);
  }

  std::string device_, dtype_;
  const CheckpointSource* source_ = nullptr;
  std::shared_ptr<Transformer> transformer_;
  std::unique_ptr<Model> model_;
};

/// The batches of a job's units, the costly ones first, so that no thread is left with a long one at the end.
struct Share {
  size_t unit = 0;  // into LoadedJob::units
  int64_t batch = 0;
  double work = 0;
};

}  // namespace

void evaluate_loaded(const std::vector<LoadedJob>& jobs, const std::string& device, int64_t threads,
                     const std::function<void(size_t, size_t, std::vector<Record>)>& unit_done,
                     const std::function<void(int64_t, double)>& probes_done) {
  Loaded loaded(device);
  std::mutex mutex;
  for (const auto& [which, job, units] : jobs) {
    Model& model = loaded.model_for(*job->variant);
    std::vector<std::unique_ptr<UnitEvaluation>> evaluations;
    std::vector<int64_t> left;
    std::vector<Share> shares;
    const auto work_of = [&, &job = job](const EvalUnit& unit, int64_t probes) {
      return double(probes) * pass_work(unit.length, job->variant->model.width);
    };
    for (size_t u = 0; u < units.size(); ++u) {
      evaluations.push_back(std::make_unique<UnitEvaluation>(model, job->units[units[u]]));
      left.push_back(evaluations[u]->batches());
      for (int64_t b = 0; b < left[u]; ++b)
        shares.push_back({u, b, work_of(job->units[units[u]], evaluations[u]->probes_in(b))});
    }
    std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.work > b.work; });
    const auto finish = [&, which = which, job = job, &units = units](size_t u) {
      const EvalUnit& unit = job->units[units[u]];
      unit_done(which, units[u], evaluations[u]->take());
      log_detail(unit.setting + " " + unit.suite_name + " at " + std::to_string(unit.length) + " is evaluated");
    };
    for (size_t u = 0; u < units.size(); ++u) {
      if (left[u] > 0) continue;
      const EvalUnit& unit = job->units[units[u]];
      finish(u);  // nothing can be asked: the records say why
      probes_done(unit.probes, work_of(unit, unit.probes));
    }
    run_jobs(static_cast<int64_t>(shares.size()), device == "cpu" ? threads : 1, [&](int64_t i) {
      throw_if_interrupted();
      const Share& share = shares[static_cast<size_t>(i)];
      evaluations[share.unit]->score(share.batch);
      probes_done(evaluations[share.unit]->probes_in(share.batch), share.work);
      const std::lock_guard lock(mutex);
      if (--left[share.unit] == 0) finish(share.unit);
    });
  }
}

}  // namespace lw
