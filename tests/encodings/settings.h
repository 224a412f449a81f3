// Every position setting that the tests run over: a new line in a registry is tested with one line here, or none.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/position_setting.h"
#include "encodings/registry.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/numbers.h"
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
  return PositionSetting::parse(parse_yaml(yaml, "position.yaml"), shape).build();
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
  // CoPE counts the open gates of every key that no mask hides.
  return setting.name.rfind("cope", 0) != 0;
}

/// Whether 16 tokens give a gradient to every row of every parameter: far buckets have no pair among them, and
/// units of FIRE's network may start below zero everywhere.
inline bool reached_by_16_tokens(const Setting& setting) {
  // The first 16 of 24 positions of a stretched table lie in its first two thirds.
  for (const char* scheme : {"deberta", "fire", "t5", "learned interpolate", "learned divide"})
    if (setting.name.rfind(scheme, 0) == 0) return false;
  return true;
}

/// What a scheme cannot do without, beside its name.
inline const std::map<std::string, std::string>& required_options() {
  static const std::map<std::string, std::string> map = {
      // Windows that 12 tokens cross, so that every region has pairs.
      {"dca", "chunk_size: 8\nlocal_window: 3\n"},
      {"layered", "layers: [turned, biased]\nkinds: {turned: {scheme: rope}, biased: {scheme: shaw}}\n"},
      {"leaky_rerope", "window: 4\nk: 3\n"},
      {"rerope", "window: 4\n"},
      {"self_extend", "window: 5\ngroup_size: 3\n"},
      {"streaming", "sinks: 2\nwindow: 4\n"}};
  return map;
}

/// "[1, 1.5, 2, ...]": factors of `pairs` pairs that grow by `step`.
inline std::string factor_list(int64_t pairs, double step) {
  std::string out;
  for (int64_t i = 0; i < pairs; ++i) {
    out += i == 0 ? "[" : ", ";
    out += format_number(1 + step * double(i));
  }
  return out + "]";
}

/// The same for `rope_type`, on heads whose rotary part has `pairs` pairs.
inline std::map<std::string, std::string> required_scaling_options(int64_t pairs = 4) {
  const std::string short_list = factor_list(pairs, 0.01), long_list = factor_list(pairs, 0.5);
  return {{"by_parts_index", ", factor: 4"},
          {"by_parts_turns", ", factor: 4"},
          {"composed", ", first: {rope_type: linear, factor: 2}, then: {rope_type: yarn, factor: 4}"},
          {"default", ""},
          {"dynamic", ", factor: 2"},
          {"dynamic_linear", ""},
          {"dynamic_longrope", ", factor: 4, long_factor: " + long_list},
          {"dynamic_part_ntk", ""},
          {"dynamic_yarn", ""},
          {"factors", ", factors: " + long_list},
          {"linear", ", factor: 4"},
          {"llama3", ", factor: 4"},
          {"longrope", ", factor: 4, short_factor: " + short_list + ", long_factor: " + long_list},
          {"ntk", ", alpha: 4"},
          {"ntk_kexue", ", factor: 4"},
          {"part_ntk", ", factor: 4"},
          {"proportional", ""},
          {"yarn", ", factor: 4"}};
}

/// "rope_type: TYPE" and what it needs, for a `scaling:` mapping.
inline std::string scaling_block(std::string_view type, int64_t pairs = 4) {
  const auto all = required_scaling_options(pairs);
  const auto options = all.find(std::string(type));
  if (options == all.end()) FAIL("settings.h does not know what rope_type " << type << " needs");
  return "rope_type: " + options->first + options->second;
}

/// Options that change which code runs.
inline std::vector<Setting> further_settings() {
  const std::string dynamic = "scaling: {rope_type: dynamic, factor: 4}\n";
  return {
      {"alibi log_n", "scheme: alibi\nquery_temperature: {kind: log_n}\n"},
      {"cope equation", "scheme: cope\nnpos: 4\ngate_logits: equation\nnodiv: false\n"},
      {"dca length_temperature",
       "scheme: dca\nchunk_size: 8\nlocal_window: 3\nlength_temperature: chunk_llama\nlayout: interleaved\n"},
      {"dca paper", "scheme: dca\nchunk_size: 7\nlocal_window: 2\ncap: paper\n"},
      {"deberta buckets", "scheme: deberta\nposition_buckets: 8\nmax_relative_positions: 16\n"},
      {"deberta c2p", "scheme: deberta\nmax_relative_positions: 4\npos_att_type: [c2p]\n"},
      {"deberta p2c", "scheme: deberta\nmax_relative_positions: 4\npos_att_type: [p2c]\n"},
      {"fire per_layer", "scheme: fire\nmlp_width: 8\nthreshold: 8\nper_layer: true\n"},
      {"kerple power", "scheme: kerple\nkind: power\n"},
      {"layered dynamic",
       "scheme: layered\nlayers: [fixed, grows]\nkinds: {fixed: {scheme: alibi}, grows: {scheme: rope, scaling: "
       "{rope_type: dynamic, factor: 2}}}\n"},
      {"layered temperature",
       "scheme: layered\nlayers: [nope, rope]\nkinds: {rope: {scheme: rope}, nope: {scheme: none, "
       "query_temperature: {kind: llama4, floor_scale: 8}}}\n"},
      {"leaky_rerope dynamic", "scheme: leaky_rerope\nwindow: 4\nk: 1.5\n" + dynamic},
      {"learned divide", "scheme: learned\nextension: divide\nfactor: 600\nextended_positions: 24\n"},
      {"learned interpolate_centres", "scheme: learned\nextension: interpolate_centres\nextended_positions: 24\n"},
      {"learned interpolate_corners", "scheme: learned\nextension: interpolate_corners\nextended_positions: 24\n"},
      {"learned tile", "scheme: learned\nextension: tile\nextended_positions: 24\n"},
      {"rerope yarn", "scheme: rerope\nwindow: 4\nscaling: {rope_type: yarn, factor: 4}\n"},
      {"rope declared length", "scheme: rope\nscaling: {rope_type: dynamic, factor: 2, declared_length: 40}\n"},
      {"rope layer_types",
       "scheme: rope\nlayer_types: [sliding_attention, full_attention]\nrope_local_base_freq: 100\nscaling: "
       "{rope_type: linear, factor: 8}\n"},
      {"rope mistral4", "scheme: rope\nquery_temperature: {kind: mistral4}\n"},
      {"rope no_rope_layer_interval", "scheme: rope\nno_rope_layer_interval: 2\n"},
      {"rope partial", "scheme: rope\npartial_rotary_factor: 0.5\n"},
      {"rope proportional half",
       "scheme: rope\npartial_rotary_factor: 0.5\nscaling: {rope_type: proportional, factor: 2}\n"},
      {"rope softmax mscale",
       "scheme: rope\nscaling: {rope_type: yarn, factor: 4, mscale: 1, mscale_all_dim: 1, softmax_mscale: true}\n"},
      {"sandwich appendix", "scheme: sandwich\nindex: paper_appendix\nbar_d_is_head_width: true\n"},
      {"self_extend whole", "scheme: self_extend\nwindow: 5\ngroup_size: 3\nwindow_shift: whole\n" + dynamic},
      {"shaw keys", "scheme: shaw\nmax_distance: 3\nvalues: false\n"},
      {"shaw scalable_softmax", "scheme: shaw\nquery_temperature: {kind: scalable_softmax}\n"},
      {"sinusoidal half_split", "scheme: sinusoidal\ntable: half_split\nscale: 0.5\n"},
      {"sinusoidal tensor2tensor", "scheme: sinusoidal\ntable: tensor2tensor\n"},
      {"streaming lm_infinite", "scheme: streaming\nsinks: 2\nwindow: 4\nnumbering: lm_infinite\ndistance_limit: 6\n"},
      {"streaming without sinks",
       "scheme: streaming\nsinks: 0\nwindow: 6\nnumbering: lm_infinite\ndistance_limit: 3\n"},
      {"xpos half partial", "scheme: xpos\nlayout: half\npartial_rotary_factor: 0.5\nscale_base: 256\ncentre: 100\n"}};
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
    for (const std::string layout : {"half", "interleaved"})
      out.push_back({"rope " + type + " " + layout,
                     "scheme: rope\nlayout: " + layout + "\nscaling: {" + scaling_block(type) + "}\n"});
  }
  for (auto& setting : further_settings()) out.push_back(std::move(setting));
  return out;
}

}  // namespace lw::encoding_test
