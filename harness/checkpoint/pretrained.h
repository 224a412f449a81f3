// A model from a checkpoint: its shape, its own position scheme, and its weights with that scheme or another.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "harness/checkpoint/family.h"

namespace lw {

class Container;
class EncoderDecoder;
class Transformer;

/// What is known about a checkpoint before its weights are read.
struct Checkpoint {
  const Family* family = nullptr;
  FamilyModel model;
  WeightMap map;
  std::vector<SourcedValue> values;  // every value that was read or filled in
  std::vector<std::string> remarks;  // values that contradict others or have no effect
  std::unique_ptr<TensorSource> source;
  std::shared_ptr<const Container> container;  // null when made from parts
};

/// A folder with config.json and safetensors (one file or shards), or a .gguf file.
/// @throws Error(kInput).
Checkpoint open_checkpoint(const std::filesystem::path& path);
/// The same from parts. @param place of the config, for errors.
Checkpoint open_checkpoint(const Json& config, const std::string& place, std::unique_ptr<TensorSource> source);

/// A position section for the checkpoint's model; for the decoder where there are two stacks.
/// @param train_length replaces what the checkpoint states, where not 0. @throws Error(kConfig).
PositionSetting position_on(const Checkpoint& checkpoint, const Tree& section, int64_t train_length = 0);

/// A single stack with its weights. @param report if not null, receives what was read. @param position if not null,
/// replaces the checkpoint's own.
std::shared_ptr<Transformer> load_transformer(const Checkpoint& checkpoint, LoadedWeights* report = nullptr,
                                              const PositionSetting* position = nullptr);
/// Gives a model that load_transformer() made from this checkpoint another position setting, or its own again. Only the
/// position's own tensors are read again.
void set_position(Transformer& model, const Checkpoint& checkpoint, const PositionSetting& position);
/// Two stacks, both with the given position setting. @throws Error(kInput) for a family with one stack.
std::shared_ptr<EncoderDecoder> load_encoder_decoder(const Checkpoint& checkpoint, LoadedWeights* report = nullptr,
                                                     const PositionSetting* position = nullptr);

}  // namespace lw
