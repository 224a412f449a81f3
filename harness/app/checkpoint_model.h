// A real checkpoint as commands use it: its model under its own positions or others, and its tokenizer.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/checkpoint/pretrained.h"
#include "harness/tokenizer/tokenizer.h"

namespace lw {

struct CheckpointOptions {
  std::string path;               // a Hugging Face folder, or a .gguf file
  std::vector<std::string> sets;  // "position.scaling.factor=4"
  int64_t train_length = 0;       // what the checkpoint was trained on, where it states something else; 0: as stated
  std::string dtype = "float32";  // of weights and arithmetic
  std::string pre;                // how text is cut, for GGUF files that do not say
};

struct CheckpointModel {
  Checkpoint checkpoint;
  Tree position;             // in force, resolved
  int64_t train_length = 0;  // in force
  LoadedWeights weights;
  std::shared_ptr<Transformer> transformer;
};

/// @throws Error of every kind, with what was found and what is allowed.
CheckpointModel load_checkpoint_model(const CheckpointOptions& options);

/// The position section of a checkpoint with --set applied: another scheme takes the section's place.
Tree position_with(const Tree& own, const std::vector<std::string>& sets);

Tokenizer tokenizer_of(const Checkpoint& checkpoint, const std::string& path, const std::string& pre);

}  // namespace lw
