// Figures of a position setting: what it adds or turns by position, its bias by distance, its wavelengths, and how
// attention to like content falls off with distance.
#pragma once
#include <string>
#include <vector>

#include "harness/experiment/experiment.h"

namespace lw {

struct PositionFigure {
  std::string name;  // "encoding", "bias", "wavelengths", "decay"
  std::string svg;   // a file of its own
};

/// Those that apply to the setting. @param length tokens at which the state is given; 0: the training length.
std::vector<PositionFigure> position_figures(const Variant& variant, int64_t length);

}  // namespace lw
