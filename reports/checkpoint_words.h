// What reports say of weights that were loaded: which file, trained how far, under which positions.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/manifest.h"

namespace lw {

struct CheckpointWords {
  std::string path, format, family, stored, dtype, sha256;
  std::string declared;  // "128 (context_length, metadata)"
  std::string used;      // "512 (model.train_length of the config)"
  std::vector<std::string>
      changes;  // "scaling.rope_type: yarn, in place of llama3"; none: the checkpoint's own position
  std::vector<std::string> defaults;  // "head_dim = 8 (hidden_size / num_attention_heads)"
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> texts;  // by suite: tokens, hash of the ids, BOS

  std::string position() const;  // the changes in one text
};

/// Nothing for weights that were trained here. @throws Error(kInput) for a damaged summary.
std::optional<CheckpointWords> checkpoint_words(const SettingInfo& setting);

}  // namespace lw
