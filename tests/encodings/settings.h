// Every position setting that the tests run over: a new line in a registry is tested with one line here, or none.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "encodings/position_encoding.h"
#include "encodings/registry.h"
#include "encodings/rope_scaling.h"
#include "harness/base/config.h"
#include "harness/base/error.h"
#include "tests/catch_torch.h"

namespace lw::encoding_test {

inline ModelShape small_shape(bool causal = true) {
  ModelShape shape;
  shape.width = 32;
  shape.heads = 4;
  shape.head_width = 8;
  shape.layers = 2;
  shape.train_length = 16;
  shape.causal = causal;
  return shape;
}

/// Reads a whole `position:` block, as the program does: unread keys are errors.
inline std::shared_ptr<PositionEncoding> build(const std::string& yaml, const ModelShape& shape = small_shape()) {
  ConfigNode node = ConfigNode::parse(yaml, "position.yaml");
  auto encoding = make_encoding(node, shape);
  node.finish();
  return encoding;
}

/// A `position:` block and how to call it.
struct Setting {
  std::string name, yaml;

  /// The block for `length` positions: a learned table must be told to be that long, or to reach that far.
  std::string for_length(int64_t length) const {
    if (name == "learned") return yaml + "positions: " + std::to_string(length) + "\n";
    const std::string key = "extended_positions: ";
    const size_t at = yaml.find(key);
    if (at == std::string::npos) return yaml;
    const size_t end = yaml.find('\n', at);
    return yaml.substr(0, at + key.size()) + std::to_string(length) + yaml.substr(end);
  }
  /// Many schemes of distance have no meaning for keys ahead of the query.
  bool works_on_encoders() const {
    try {
      build(yaml, small_shape(false));
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kConfig) throw;
      return false;
    }
  }
};

/// Whether sequences packed into one row keep their logits although no mask parts them.
inline bool packs(const Setting& setting) {
  static const std::set<std::string> content_dependent = {};
  return content_dependent.count(setting.name) == 0;
}

/// Whether 16 tokens give a gradient to every row of every parameter: far buckets have no pair among them.
inline bool reached_by_16_tokens(const Setting& setting) {
  // The first 16 of 24 positions of a stretched table lie in its first two thirds.
  static const std::set<std::string> far_rows = {"t5", "learned interpolate_corners", "learned interpolate_centres",
                                                 "learned divide"};
  return far_rows.count(setting.name) == 0;
}

/// What a scheme cannot do without, beside its name.
inline const std::map<std::string, std::string>& required_options() {
  static const std::map<std::string, std::string> map = {
      {"layered", "layers: [turned, biased]\nkinds: {turned: {scheme: rope}, biased: {scheme: shaw}}\n"}};
  return map;
}

/// The same for `rope_type`, on heads of 8 channels.
inline const std::map<std::string, std::string>& required_scaling_options() {
  static const std::map<std::string, std::string> map = {{"default", ""},
                                                         {"dynamic", ", factor: 2"},
                                                         {"linear", ", factor: 4"},
                                                         {"ntk", ", alpha: 4"},
                                                         {"yarn", ", factor: 4"}};
  return map;
}

/// Options that change which code runs.
inline std::vector<Setting> further_settings() {
  return {{"alibi log_n", "scheme: alibi\nquery_temperature: {kind: log_n}\n"},
          {"layered dynamic",
           "scheme: layered\nlayers: [fixed, grows]\nkinds: {fixed: {scheme: alibi}, grows: {scheme: rope, scaling: "
           "{rope_type: dynamic, factor: 2}}}\n"},
          {"layered temperature",
           "scheme: layered\nlayers: [nope, rope]\nkinds: {rope: {scheme: rope}, nope: {scheme: none, "
           "query_temperature: {kind: llama4, floor_scale: 8}}}\n"},
          {"learned divide", "scheme: learned\nextension: divide\nfactor: 600\nextended_positions: 24\n"},
          {"learned interpolate_centres", "scheme: learned\nextension: interpolate_centres\nextended_positions: 24\n"},
          {"learned interpolate_corners", "scheme: learned\nextension: interpolate_corners\nextended_positions: 24\n"},
          {"learned tile", "scheme: learned\nextension: tile\nextended_positions: 24\n"},
          {"rope layer_types",
           "scheme: rope\nlayer_types: [sliding_attention, full_attention]\nrope_local_base_freq: 100\nscaling: "
           "{rope_type: linear, factor: 8}\n"},
          {"rope mistral4", "scheme: rope\nquery_temperature: {kind: mistral4}\n"},
          {"rope no_rope_layer_interval", "scheme: rope\nno_rope_layer_interval: 2\n"},
          {"rope partial", "scheme: rope\npartial_rotary_factor: 0.5\n"},
          {"shaw scalable_softmax", "scheme: shaw\nquery_temperature: {kind: scalable_softmax}\n"},
          {"shaw keys", "scheme: shaw\nmax_distance: 3\nvalues: false\n"},
          {"sinusoidal half_split", "scheme: sinusoidal\ntable: half_split\nscale: 0.5\n"},
          {"sinusoidal tensor2tensor", "scheme: sinusoidal\ntable: tensor2tensor\n"}};
}

/// Every encoding of the registry, every RoPE scaling in both layouts, and further_settings().
inline std::vector<Setting> all_settings() {
  std::vector<Setting> out;
  for (const auto* info : encodings()) {
    const std::string name(info->name);
    const auto options = required_options().find(name);
    out.push_back({name, "scheme: " + name + "\n" + (options == required_options().end() ? "" : options->second)});
  }
  for (const auto* info : rope_scalings()) {
    const std::string type(info->name);
    const auto options = required_scaling_options().find(type);
    if (options == required_scaling_options().end())
      FAIL("settings.h does not know what rope_type " << type << " needs");
    for (const std::string layout : {"half", "interleaved"})
      out.push_back({"rope " + type + " " + layout,
                     "scheme: rope\nlayout: " + layout + "\nscaling: {rope_type: " + type + options->second + "}\n"});
  }
  for (auto& setting : further_settings()) out.push_back(std::move(setting));
  return out;
}

}  // namespace lw::encoding_test
