// A checkpoint as single commands use it: its model, with its own positions or others.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/experiment/checkpoint_source.h"

namespace lw {

struct Variant;

struct CheckpointOptions {
  std::string path;               // a Hugging Face folder, or a .gguf file
  std::vector<std::string> sets;  // "position.scaling.factor=4"
  int64_t train_length = 0;       // tokens, in place of what the checkpoint states; 0: as stated
  std::string dtype;              // of weights and arithmetic; "": float32
  std::string pre;                // how text is cut, for GGUF files that do not say
  AddBos add_bos = AddBos::kAuto;
};

struct CheckpointModel {
  std::shared_ptr<const CheckpointSource> source;
  PositionSetting own_position, position;  // of the checkpoint; in force
  int64_t train_length = 0;                // in force
  LoadedWeights weights;
  std::shared_ptr<Transformer> transformer;

  const Checkpoint& checkpoint() const { return source->checkpoint(); }
};

/// @throws Error of every kind, with what was found and what is allowed.
CheckpointModel load_model(const CheckpointOptions& options);
/// The same for a config's variant. @throws Error(kConfig) for a variant that is trained here.
CheckpointModel load_model(const Variant& variant);

/// LibTorch's type for "float32".
c10::ScalarType scalar_type(const std::string& dtype);

}  // namespace lw
