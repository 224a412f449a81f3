// A model as a Hugging Face folder that transformers loads with equal logits. Every family can be exported: its file
// writes the keys of config.json, its map of weights is applied backwards, and what was written is read back by the
// family's own reader before a file is made. A model that does not come back as it was is refused.
#pragma once
#include <filesystem>

#include "harness/checkpoint/family.h"

namespace lw {

class Transformer;

/// The first family, in the order of the registry, whose model computes what one of this shape and position scheme
/// does. @throws Error(kUnsupported) naming the switch that keeps the nearest families from it, and what they allow.
const Family& export_family(const FamilyModel& model);

/// Writes config.json and model.safetensors, in float32.
/// @param weights a model of the shape and position scheme that `model` describes; model.train_length becomes
///                max_position_embeddings, or what a scaling makes of it. @param family null: export_family().
/// @throws Error(kUnsupported) as above, Error(kRuntime) when a file cannot be written.
void export_checkpoint(const Module& weights, const FamilyModel& model, const std::filesystem::path& folder,
                       const Family* family = nullptr);

/// The same for a model that was trained here. @param position as a config's `position:` section states it, defaults
/// filled in or not.
void export_checkpoint(const Transformer& model, const Tree& position, int64_t train_length,
                       const std::filesystem::path& folder);

}  // namespace lw
