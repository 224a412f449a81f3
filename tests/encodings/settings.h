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

  /// The block for `length` positions: a learned table must be told to be that long.
  std::string for_length(int64_t length) const {
    return name == "learned" ? yaml + "positions: " + std::to_string(length) + "\n" : yaml;
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
  static const std::set<std::string> far_rows = {"t5"};
  return far_rows.count(setting.name) == 0;
}

/// What a scheme cannot do without, beside its name.
inline const std::map<std::string, std::string>& required_options() {
  static const std::map<std::string, std::string> map = {
      // Windows that 12 tokens cross, so that every region has pairs.
      {"dca", "chunk_size: 8\nlocal_window: 3\n"},
      {"leaky_rerope", "window: 4\nk: 3\n"},
      {"rerope", "window: 4\n"},
      {"self_extend", "window: 5\ngroup_size: 3\n"},
      {"streaming", "sinks: 2\nwindow: 4\n"}};
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
  const std::string dynamic = "scaling: {rope_type: dynamic, factor: 4}\n";
  return {
      {"dca paper", "scheme: dca\nchunk_size: 7\nlocal_window: 2\ncap: paper\n"},
      {"dca length_temperature",
       "scheme: dca\nchunk_size: 8\nlocal_window: 3\nlength_temperature: chunk_llama\nlayout: interleaved\n"},
      {"leaky_rerope dynamic", "scheme: leaky_rerope\nwindow: 4\nk: 1.5\n" + dynamic},
      {"rerope yarn", "scheme: rerope\nwindow: 4\nscaling: {rope_type: yarn, factor: 4}\n"},
      {"rope partial", "scheme: rope\npartial_rotary_factor: 0.5\n"},
      {"self_extend whole", "scheme: self_extend\nwindow: 5\ngroup_size: 3\nwindow_shift: whole\n" + dynamic},
      {"shaw keys", "scheme: shaw\nmax_distance: 3\nvalues: false\n"},
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
