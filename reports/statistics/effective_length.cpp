#include "reports/statistics/effective_length.h"

#include <cmath>

#include "harness/base/numbers.h"

namespace lw {

Reach reach(std::span<const ScoreAtLength> scores, double bar) {
  Reach result;
  const auto hold = [&](std::optional<int64_t>& reached, double ScoreAtLength::*bound) {
    for (const auto& score : scores) {
      if (score.*bound < bar) return;
      reached = score.length;
    }
  };
  hold(result.proven, &ScoreAtLength::low);
  hold(result.point, &ScoreAtLength::value);
  hold(result.not_refuted, &ScoreAtLength::high);
  return result;
}

std::string reach_text(const std::optional<int64_t>& reached, int64_t shortest, int64_t longest) {
  if (!reached) return "< " + format_grouped(shortest);
  return (*reached >= longest ? ">= " : "") + format_grouped(*reached);
}

std::optional<double> log2_crossing(std::span<const ScoreAtLength> scores, double bar) {
  for (size_t i = 1; i < scores.size(); ++i) {
    const auto& above = scores[i - 1];
    const auto& below = scores[i];
    if (above.value < bar) return std::nullopt;
    if (below.value >= bar) continue;
    const double share = (above.value - bar) / (above.value - below.value);
    const double left = std::log2(static_cast<double>(above.length));
    return std::exp2(left + share * (std::log2(static_cast<double>(below.length)) - left));
  }
  return std::nullopt;
}

}  // namespace lw
