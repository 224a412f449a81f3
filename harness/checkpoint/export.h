// A model as a Hugging Face folder that transformers loads with equal logits. Every family can be exported: its file
// writes the keys of config.json, and its map of weights is applied backwards. The family's own reader reads the keys
// back before any file is written, and a model that does not come back unchanged is refused.
#pragma once
#include <filesystem>

#include "harness/checkpoint/family.h"

namespace lw {

class Transformer;

/// The first family in the registry that can express a model of this shape and position scheme. @throws
/// Error(kUnsupported) naming the first switch that the nearest families cannot express, and what they allow.
const Family& export_family(const FamilyModel& model);

/// Writes config.json and model.safetensors, in float32.
/// @param weights a model of the shape and position scheme that `model` describes; max_position_embeddings becomes
///                model.train_length, or the length that a scaling reaches from there. @param family null:
///                export_family().
/// @throws Error(kUnsupported) as above, Error(kRuntime) when a file cannot be written.
void export_checkpoint(const Module& weights, const FamilyModel& model, const std::filesystem::path& folder,
                       const Family* family = nullptr);

/// The same for a model that was trained here. @param position as a config's `position:` section states it, defaults
/// filled in or not.
void export_checkpoint(const Transformer& model, const Tree& position, int64_t train_length,
                       const std::filesystem::path& folder);

}  // namespace lw
