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
  // CoPE counts the open gates of every key that no mask hides.
  return setting.name.rfind("cope", 0) != 0;
}

/// Whether 16 tokens give a gradient to every row of every parameter: far buckets have no pair among them, and
/// units of FIRE's network may start below zero everywhere.
inline bool reached_by_16_tokens(const Setting& setting) {
  for (const char* scheme : {"deberta", "fire", "t5"})
    if (setting.name.rfind(scheme, 0) == 0) return false;
  return true;
}

/// What a scheme cannot do without, beside its name.
inline const std::map<std::string, std::string>& required_options() {
  static const std::map<std::string, std::string> map = {};
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
  return {{"cope equation", "scheme: cope\nnpos: 4\ngate_logits: equation\nnodiv: false\n"},
          {"deberta buckets", "scheme: deberta\nposition_buckets: 8\nmax_relative_positions: 16\n"},
          {"deberta c2p", "scheme: deberta\nmax_relative_positions: 4\npos_att_type: [c2p]\n"},
          {"deberta p2c", "scheme: deberta\nmax_relative_positions: 4\npos_att_type: [p2c]\n"},
          {"fire per_layer", "scheme: fire\nmlp_width: 8\nthreshold: 8\nper_layer: true\n"},
          {"kerple power", "scheme: kerple\nkind: power\n"},
          {"rope partial", "scheme: rope\npartial_rotary_factor: 0.5\n"},
          {"sandwich appendix", "scheme: sandwich\nindex: paper_appendix\nbar_d_is_head_width: true\n"},
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
