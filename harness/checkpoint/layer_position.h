// A position section with its short forms expanded, one layer at a time: for exports, and for comparing two sections.
#pragma once
#include <cstdint>

#include "harness/base/tree.h"

namespace lw {

class ConfigWriter;

/// The section of one layer. Patterns over the layers and options that depend on a layer's type are resolved. Options
/// without effect are left out: nulls, empty lists, the scaling `default`.
/// @param position with its defaults filled in. @param layer counted from 0.
Tree layer_position(const Tree& position, int64_t layer);

/// Whether a layer's section rotates queries and keys.
bool is_rope(const Tree& layer_position);

/// `rope_parameters` as transformers 5 reads it, from a layer's section. Options without a key there are left out; for
/// a layer without rotation, a plain rotation is written. @throws Error(kUnsupported) for a rope_type that transformers
/// does not know.
void write_rope_parameters(const Tree& layer_position, ConfigWriter& parameters);

/// `max_position_embeddings` for a layer's section: the length that transformers scales from, or the one that a scaling
/// reaches. 0 when unknown.
int64_t context_of(const Tree& layer_position, int64_t train_length);
/// The length before any scaling.
int64_t original_context_of(const Tree& layer_position, int64_t train_length);

}  // namespace lw
