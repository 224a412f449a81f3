// A position section with its short forms written out, one layer at a time: what an exporter writes, and what two
// sections are compared by.
#pragma once
#include <cstdint>

#include "harness/base/tree.h"

namespace lw {

class ConfigWriter;

/// The section of one layer. Patterns over the layers, and options that depend on a layer's type, are gone; so are
/// options that say nothing: nulls, empty lists, a scaling that is none.
/// @param position with its defaults filled in. @param layer counted from 0.
Tree layer_position(const Tree& position, int64_t layer);

/// Whether a layer's section is a rotation.
bool is_rope(const Tree& layer_position);

/// `rope_parameters` as transformers 5 reads it, from a layer's section. What it has no key for is left out; where the
/// layer is not rotated, a plain rotation is written. @throws Error(kUnsupported) for a rope_type that transformers
/// does not know.
void write_rope_parameters(const Tree& layer_position, ConfigWriter& parameters);

/// `max_position_embeddings` for a layer's section: the length that transformers counts from, or the one that a scaling
/// reaches. 0 where nothing says.
int64_t context_of(const Tree& layer_position, int64_t train_length);
/// The length before any scaling.
int64_t original_context_of(const Tree& layer_position, int64_t train_length);

}  // namespace lw
