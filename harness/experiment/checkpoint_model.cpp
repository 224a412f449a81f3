#include "harness/experiment/checkpoint_model.h"

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/experiment/checkpoint_position.h"
#include "harness/experiment/experiment.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

/// The position section that --set states.
Tree given_position(const std::vector<std::string>& sets) {
  Tree whole = Tree::map();
  for (const auto& set : sets) {
    if (set.rfind("position", 0) != 0)
      throw Error(ErrorKind::kUsage, "--set: " + found(set).allowed("position... of a checkpoint"));
    apply_set(whole, set, config_shape());
  }
  const Tree* position = whole.find("position");
  return position == nullptr ? Tree() : *position;
}

void load(CheckpointModel& model, const std::string& dtype) {
  model.transformer = load_transformer(model.checkpoint(), &model.weights, &model.position);
  model.transformer->to(scalar_type(dtype));
}

}  // namespace

c10::ScalarType scalar_type(const std::string& dtype) {
  if (dtype == "float64") return at::kDouble;
  if (dtype == "bfloat16") return at::kBFloat16;
  return dtype == "float16" ? at::kHalf : at::kFloat;
}

CheckpointModel load_model(const CheckpointOptions& options) {
  CheckpointModel out;
  out.source = std::make_shared<const CheckpointSource>(options.path, options.pre, options.add_bos);
  const FamilyModel& own = out.checkpoint().model;
  out.train_length = options.train_length > 0 ? options.train_length : own.train_length;
  out.own_position = position_on(out.checkpoint(), own.position, out.train_length);
  out.position = position_on(
      out.checkpoint(), merge_position(out.own_position.resolved(), given_position(options.sets)), out.train_length);
  load(out, options.dtype);
  return out;
}

CheckpointModel load_model(const Variant& v) {
  if (!v.checkpoint)
    throw Error(ErrorKind::kConfig, "variant " + v.name +
                                        ": found a model that is trained here; allowed: one with "
                                        "model.checkpoint");
  CheckpointModel out{v.checkpoint->source, v.checkpoint->own_position, v.position, v.train_length, {}, nullptr};
  load(out, v.checkpoint->dtype);
  return out;
}

}  // namespace lw
