// Models of text and images, whose config.json has that of a text model under `text_config`: the text model alone.
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
/// @throws Error(kUnsupported) for models whose text model is not known to be a whole one, Error(kInput) for keys
/// around it that are not known, or that disagree with its own.
TextModel text_model_of(const Json& config, const std::string& place, std::unique_ptr<TensorSource> source);

}  // namespace lw
