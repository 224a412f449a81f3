// Colours and marks of the figures: safe for colour-blind readers, in light and dark.
#pragma once
#include <map>
#include <string>

#include "reports/view.h"

namespace lw {

/// Colour and mark of one variant, the same in every figure. Tones repeat after kTones, marks later.
struct SeriesStyle {
  int tone = 0;
  int shape = 0;
};
inline constexpr int kTones = 12;
inline constexpr int kHeatSteps = 11;
inline constexpr int kFieldSteps = 25;  // of signed numbers: odd, so that zero has a colour of its own

/// Unscaled variants in order; within each family of scaled ones the baseline's tone is left out.
std::map<std::string, SeriesStyle> series_styles(const View& view);

/// CSS of everything in figures. Plain colours without variables: drawing programs read no more than that.
std::string figure_css(bool dark);

/// A drawing of figures/ as a file of its own: with its fonts and light colours.
std::string standalone_svg(std::string svg);

}  // namespace lw
