// The text model inside models of text and images, whose config.json holds that of the text model under `text_config`.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json_read.h"
#include "harness/checkpoint/family_config.h"
#include "harness/checkpoint/tensor_source.h"

namespace lw {

/// A text model as if it had files of its own.
struct TextModel {
  Json config;                           // with model_type
  std::unique_ptr<TensorSource> source;  // its tensors, under its names; all others are left out
  std::vector<SourcedValue> values;      // what was read around it, and what was left out
};

bool has_text_config(const Json& config);

/// @param place of the config, for errors.
/// @throws Error(kInput) for models whose text model may not be complete by itself, and for keys around it that are
/// unknown or disagree with its own.
TextModel text_model_of(const Json& config, const std::string& place, std::unique_ptr<TensorSource> source);

}  // namespace lw
