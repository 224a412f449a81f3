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

/// Unscaled variants in order; within each family of scaled ones the baseline's tone is left out.
std::map<std::string, SeriesStyle> series_styles(const View& view);

/// CSS of everything in figures. Plain colours without variables: drawing programs read no more than that.
std::string figure_css(bool dark);

}  // namespace lw
