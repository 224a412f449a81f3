#include "harness/selfcheck/subjects.h"

#include <algorithm>

#include "harness/base/rng.h"
#include "harness/base/tree.h"
#include "harness/experiment/checkpoint_model.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

constexpr const char* kBuiltIn = R"(
name: selfcheck
model: {layers: 2, heads: 2, width: 32}
train: {length: {max: 24}}
position: {scheme: rope}
sweep:
  - {name: none, position: {scheme: none}}
  - {name: sinusoidal, position: {scheme: sinusoidal}}
  - {name: rope}
  - {name: rope dynamic, position: {scaling: {rope_type: dynamic, factor: 2}}}
  - {name: rope yarn, position: {scaling: {rope_type: yarn, factor: 4}}}
  - {name: alibi, position: {scheme: alibi}}
  - {name: t5, position: {scheme: t5}}
  - {name: shaw, position: {scheme: shaw}}
  - {name: encoder rope, model: {kind: encoder}}
)";

constexpr int64_t kDrawnVocabulary = 61;

ModelSubject loaded_subject(const Variant& v) {
  if (v.model.cross_attention)
    throw Error(ErrorKind::kUnsupported,
                "variant " + v.name + ": found an encoder-decoder; allowed: models of one stack");
  return {v.name,
          0,
          v.model.vocabulary,
          v.vocabulary ? v.vocabulary->mask().value_or(VocabularyPlan::kMask) : VocabularyPlan::kMask,
          [&v] {
            auto transformer = load_model(v).transformer;
            transformer->to(at::kFloat);
            return transformer;
          },
          v.position};
}

ModelSubject drawn_subject(const Variant& v) {
  return {v.name,
          0,
          kDrawnVocabulary,
          VocabularyPlan::kMask,
          [&v] {
            ModelConfig config = v.model;
            config.vocabulary = kDrawnVocabulary;
            auto transformer = std::make_shared<Transformer>(config, v.position.build());
            transformer->reset_parameters(Rng(3));
            return transformer;
          },
          v.position};
}

}  // namespace

Experiment built_in_subjects() { return read_experiment(parse_yaml(kBuiltIn, "<built in>"), ReadFor::kCard); }

std::vector<ModelSubject> subjects_of(const Experiment& experiment) {
  std::vector<ModelSubject> out;
  for (const auto& v : experiment.variants) {
    out.push_back(v.checkpoint ? loaded_subject(v) : drawn_subject(v));
    int64_t length = std::min(2 * v.train_length, kLongestChecked);
    if (const auto bound = v.position.build()->max_positions()) length = std::min(length, *bound);
    out.back().length = std::max<int64_t>(length, 2);
  }
  return out;
}

}  // namespace lw
