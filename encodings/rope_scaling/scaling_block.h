// A `scaling:` block as text, for those who lay one on another before it is read.
#pragma once
#include "harness/base/tree.h"

namespace lw {

/// Whether a block makes other frequencies than its base alone gives.
bool scaling_changes_frequencies(const Tree& block);

/// Whether `scaling` holds a block for each type of layer, as Gemma 3 has.
bool has_block_per_layer_type(const Tree& scaling);

/// The block that applies `then` to the frequencies that `first` gives.
Tree composed_scaling_block(const Tree& first, const Tree& then);

}  // namespace lw
