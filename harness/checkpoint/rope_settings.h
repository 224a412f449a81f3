// Rotary settings of a config.json, in the forms of transformers 4 and 5, as our `position:` section.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/base/tree.h"
#include "harness/checkpoint/family_config.h"

namespace lw {

struct RopeDefaults {
  double theta = 10000;
  double partial = 1;
  bool parts = false;  // transformers can rotate a part of each head in this family
  std::vector<const char*> theta_keys = {"rope_theta"};
  std::vector<const char*> partial_keys = {"partial_rotary_factor"};
  std::optional<int64_t> original;  // stands in for an absent original_max_position_embeddings; else the context does
  bool yarn_is_longrope = false;    // the old name that Phi-3's first files used
};

struct RopeSettings {
  Tree position;             // scheme, rope_theta, partial_rotary_factor, scaling
  int64_t train_length = 0;  // before any scaling
};

/// Version 4: `rope_theta`, `partial_rotary_factor`, `rope_scaling`. Version 5: `rope_parameters`. A file may
/// hold both; they must then agree. @param context max_position_embeddings. @throws Error(kInput).
RopeSettings read_rope(FamilyConfig& config, int64_t context, const RopeDefaults& defaults = {});

/// One block of settings in the form of `scaling:`, with everything that depends on a length filled in.
/// @param block from the file; @param key its name there, for errors.
Tree rope_scaling_block(FamilyConfig& config, const Json& block, const std::string& key, int64_t context,
                        const RopeDefaults& defaults);

/// The same rotation in some layers and none in the others. @param uses_rope for each layer.
Tree rope_in_some_layers(Tree rope, const std::vector<bool>& uses_rope);

/// A rope_type that transformers knows, and the keys that it reads beside rope_type, rope_theta and
/// partial_rotary_factor.
struct RopeTypeOfFiles {
  std::string name;
  std::vector<std::string> keys;
};
const std::vector<RopeTypeOfFiles>& rope_types_of_files();

/// null counts as absent.
Json without_nulls(const Json& block);

/// Scalars: a text in quotes, and a number as JSON writes it.
Tree word(const std::string& text);
Tree number_tree(const Json& value);

}  // namespace lw
