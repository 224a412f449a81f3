// A `scaling:` block as a tree, for code that combines two blocks before either is read.
#pragma once
#include "harness/base/tree.h"

namespace lw {

/// Whether a block changes the frequencies that its base alone gives.
bool scaling_changes_frequencies(const Tree& block);

/// Whether `scaling` holds a block for each type of layer, as Gemma 3 has.
bool has_block_per_layer_type(const Tree& scaling);

/// The block that applies `then` to the frequencies that `first` gives.
Tree composed_scaling_block(const Tree& first, const Tree& then);

}  // namespace lw
