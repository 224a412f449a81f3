#include "harness/selfcheck/subject.h"

#include <algorithm>
#include <set>

#include "encodings/registry.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "encodings/tensor.h"
#include "harness/base/text.h"
#include "harness/experiment/checkpoint_model.h"
#include "harness/experiment/experiment.h"
#include "harness/inspect/scheme_options.h"
#include "harness/measure/position_measure.h"
#include "harness/model/transformer.h"
#include "harness/selfcheck/probing.h"

namespace lw {
namespace {

constexpr int64_t kTokens = 48, kProbes = 40;
/// Of models with more than kSmallModel parameters.
constexpr int64_t kFewTokens = 8, kFewProbes = 20;
/// Of models with random weights that have more parameters than that.
constexpr int64_t kFewLayers = 2;

ModelConfig small_model(ModelKind kind) {
  ModelConfig c;
  c.kind = kind;
  c.width = 32;
  c.heads = c.kv_heads = 2;
  c.ffn = 64;
  c.vocabulary = probing_vocabulary();
  return c;
}

/// About: matrices and embeddings, without vectors.
double parameters_of(const ModelConfig& c) {
  const double attention = double(c.width) * double(c.head_width) * double(2 * c.heads + 2 * c.kv_heads);
  const double feed_forward = double(c.width) * double(c.ffn) * (c.gated ? 3 : 2);
  return double(c.layers) * (attention + feed_forward) +
         double(c.vocabulary) * double(c.width) * (c.tied_embeddings ? 1 : 2);
}

/// How many tokens and probes, by the size of the model and the reach of its positions.
void set_size(Subject& s) {
  s.parameters = parameters_of(s.model);
  if (s.parameters > kMostParameters)
    s.without_model = text("it has ", int64_t(s.parameters / 1e6), " M parameters; models up to ",
                           int64_t(kMostParameters / 1e6), " M are checked whole");
  const bool small = s.parameters <= kSmallModel;
  s.tokens = small ? kTokens : kFewTokens;
  s.probes = small ? kProbes : kFewProbes;
  if (const auto bound = s.position.build()->max_positions()) s.tokens = std::min(s.tokens, *bound);
  if (const auto sampler = s.position.sampler()) s.tokens = std::min(s.tokens, sampler->max_position());
}

Subject random_subject(std::string name, const ModelConfig& model, const PositionSetting& position,
                       const std::string& device) {
  Subject s;
  s.name = std::move(name);
  s.model = model;
  s.position = position;
  s.device = device;
  s.make = random_model(model, position, device);
  set_size(s);
  return s;
}

std::function<std::shared_ptr<Transformer>()> checkpoint_model(const Variant& v, const std::string& device) {
  return [&v, device] {
    auto model = load_model(v).transformer;
    model->to(at::Device(device), at::kFloat);
    model->set_sampler(v.position.sampler());
    return model;
  };
}

/// Fewer layers where they are alike, and too many to draw in seconds.
void leave_out_layers(Subject& s) {
  const bool alike = s.position.build()->layers_of_each_kind().size() == 1 && s.model.windows.empty();
  if (!alike || s.model.layers <= kFewLayers || parameters_of(s.model) <= kSmallModel) return;
  ModelConfig fewer = s.model;
  fewer.layers = kFewLayers;
  try {
    s.position = s.position.on(fewer.shape(s.position.shape().train_length));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kConfig) throw;
    return;  // a setting that names layers one by one
  }
  s.model = fewer;
  s.fewer_layers = true;
}

Subject subject_of(const Variant& v, const std::string& device) {
  Subject s;
  s.name = v.name;
  s.model = v.model;
  s.position = v.position;
  s.device = device;
  s.trained_here = !v.checkpoint;
  if (v.checkpoint) {
    s.make = checkpoint_model(v, device);
    if (!v.checkpoint->source->checkpoint().model.encoder.empty())
      s.without_model = "it has an encoder and a decoder; only the decoder's positions are checked";
    else if (!v.model.head)
      s.without_model = "it has no output weights";
  } else {
    s.model.vocabulary = probing_vocabulary();
    leave_out_layers(s);
    s.make = random_model(s.model, s.position, device);
  }
  set_size(s);
  return s;
}

/// Equal for variants on which every check would find the same.
std::string identity_of(const Variant& v) { return to_yaml(v.model_tree) + to_yaml(v.position.resolved()); }

std::string names_where(const Subjects& subjects, const std::function<bool(const Subject&)>& chosen) {
  std::vector<std::string> names;
  for (const auto& s : subjects.all)
    if (chosen(s)) names.push_back(s.name);
  return join(names);
}

void state_bounds(Subjects& out) {
  const auto state = [&](const std::string& what, const std::function<bool(const Subject&)>& chosen) {
    const std::string names = names_where(out, chosen);
    if (!names.empty()) out.bounds.push_back(what + ": " + names + ".");
  };
  const auto large = [](const Subject& s) { return s.without_model.empty() && s.parameters > kSmallModel; };
  out.bounds.push_back(text("Models are checked in float32, on sequences of up to ", kTokens, " tokens and with up to ",
                            kProbes, " probes, whatever the config's dtype, lengths and probes."));
  state("Random weights of the config's shape", [](const Subject& s) { return s.trained_here; });
  state(text("Only ", kFewTokens, " tokens and ", kFewProbes, " probes, since they have more than ",
             int64_t(kSmallModel / 1e6), " M parameters"),
        large);
  state(text("Only ", kFewLayers, " of their layers"), [](const Subject& s) { return s.fewer_layers; });
}

}  // namespace

std::function<std::shared_ptr<Transformer>()> random_model(const ModelConfig& model, const PositionSetting& position,
                                                           const std::string& device) {
  return [model, position, device] {
    auto out = std::make_shared<Transformer>(model, position.build());
    out->reset_parameters(Rng(1).stream("selfcheck"));
    out->set_encoding(fresh_encoding([&] { return position.build(); }));  // tables of zeros would hide what they do
    out->to(at::Device(device), at::kFloat);
    out->set_sampler(position.sampler());
    return out;
  };
}

Subjects built_in_subjects(const std::string& device) {
  Subjects out;
  const ModelConfig decoder = small_model(ModelKind::kDecoder), encoder = small_model(ModelKind::kEncoder);
  const auto add = [&](const PlainSetting& setting) {
    // Every entry of the registries fits this shape; a test says so.
    if (setting.missing.empty()) out.all.push_back(random_subject(setting.name, decoder, setting.position, device));
  };
  const ModelShape shape = decoder.shape(32);
  for (const auto* info : encodings()) add(plain_setting(*info, shape));
  for (const auto* info : rope_scalings())
    if (info != &no_rope_scaling()) add(plain_setting(*info, shape));
  out.all.push_back(random_subject("none, encoder", encoder, PositionSetting::none(encoder.shape(32)), device));
  return out;
}

Subjects subjects_of(const Experiment& experiment, bool all) {
  Subjects out;
  std::set<std::string> seen;
  std::vector<std::string> beyond;
  for (const auto& v : experiment.variants) {
    if (!seen.insert(identity_of(v)).second) continue;
    if (all || out.all.size() < kMostSubjects)
      out.all.push_back(subject_of(v, experiment.device));
    else
      beyond.push_back(v.name);
  }
  state_bounds(out);
  if (!beyond.empty())
    out.bounds.push_back(text("The first ", kMostSubjects, " variants are checked. Left out, but for --all: ") +
                         join(beyond) + ".");
  return out;
}

}  // namespace lw
