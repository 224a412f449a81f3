// Many tests at once: p values adjusted so that reading a whole table stays honest.
#pragma once
#include <span>
#include <vector>

namespace lw {

/// Holm (1979), family-wise. The result stays in the order of the input.
std::vector<double> holm(std::span<const double> p);

/// Benjamini and Hochberg (1995): the expected share of false ones among what is found. Also in the order of the input.
std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace lw
