// The options of every position scheme and RoPE scaling, as the code that reads them describes itself, and a
// setting of each that can be built without asking the user anything.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "encodings/rope_scaling/rope_scaling.h"

namespace lw {

struct SchemeOption {
  std::string name;      // dotted below the scheme: "factor", "per_layer.rope_theta"
  std::string allowed;   // "whole number, 1 to 512", "one of half, interleaved"
  std::string fallback;  // "32", "the training length"; "" where there is none
  bool required = false;
  std::string doc;
};

/// A decoder of usual proportions on which schemes are described and measured.
ModelShape described_shape(bool causal = true);

/// @returns in order of reading. Sections that are registries of their own (`scaling`) are one entry.
std::vector<SchemeOption> options_of(const EncodingInfo& encoding);
std::vector<SchemeOption> options_of(const RopeScalingInfo& scaling);

/// Options that stand beside those of any scheme: `query_temperature`, `randomized`.
std::vector<SchemeOption> options_of_any_scheme();

/// A `position:` section of a scheme alone, with what the scheme needs (EncodingInfo::needed_options).
Tree plain_section(const EncodingInfo& encoding);
/// The same of a scaling. @param shape its lists need a number for each pair of a head.
Tree plain_section(const RopeScalingInfo& scaling, const ModelShape& shape);

struct PlainSetting {
  std::string name;  // "alibi", "rope yarn"
  PositionSetting position;
  std::string missing;  // why the model's shape does not allow it: the config error, or ""
};
PlainSetting plain_setting(const EncodingInfo& encoding, const ModelShape& shape);
PlainSetting plain_setting(const RopeScalingInfo& scaling, const ModelShape& shape);

}  // namespace lw
