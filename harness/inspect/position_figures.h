// Figures of a position setting: what it adds or rotates by position, its bias by distance, its wavelengths, and how
// attention to like content falls off with distance.
#pragma once
#include <string>
#include <vector>

#include "encodings/position_setting.h"

namespace lw {

struct PositionFigure {
  std::string name;  // "encoding", "bias", "wavelengths", "decay"
  std::string svg;   // a file of its own
};

/// Those that apply to the setting. @param length tokens at which the state is given; 0: the training length.
/// @param deployed tokens that the setting is to reach.
std::vector<PositionFigure> position_figures(const std::string& name, const PositionSetting& setting, int64_t length,
                                             int64_t deployed);

}  // namespace lw
