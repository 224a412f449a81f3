// The figures of a report, made from a summary: the page shows them, figures/*.svg holds them.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "reports/figures/palette.h"
#include "reports/view.h"

namespace lw {

struct Figure {
  std::string id;  // "needle-accuracy-by-length": file name and anchor
  std::string title, caption;
  std::string svg;
};

/// Draws from one summary; keeps a reference to the view.
class FigureMaker {
 public:
  explicit FigureMaker(const View& view) : view_(view), styles_(series_styles(view)) {}

  /// A metric over length, one figure a group of variants: ribbons, seeds, training length, chance or ideal.
  std::vector<Figure> by_length(const std::string& suite, const Metric& metric) const;
  /// NLL by position of the scored token at the longest length.
  std::vector<Figure> by_offset(const std::string& suite) const;
  /// Variants by distance, at the longest trained length and at the longest of all, one pair a group.
  std::vector<Figure> by_distance(const std::string& suite, const Metric& metric) const;
  /// Depth by length, one figure a variant.
  std::vector<Figure> by_depth(const std::string& suite, const Metric& metric) const;
  /// What scaling changes inside the training length, one figure a suite.
  std::vector<Figure> short_contexts() const;
  /// Loss curves, one figure a set of suites trained together.
  std::vector<Figure> training() const;

  /// Every figure, in the order of the page.
  std::vector<Figure> all() const;
  const SeriesStyle& style(const std::string& variant) const { return styles_.at(variant); }

 private:
  const View& view_;
  std::map<std::string, SeriesStyle> styles_;
};

/// Letters and digits of a text, of any script, with dashes between, for ids and file names; of a long text the start.
/// Texts that differ in signs only have the same.
std::string slug(const std::string& text);
/// A name that is not taken yet: the same, or with "-2" behind it. It is taken from now on.
std::string untaken(std::string name, std::set<std::string>& taken);
/// "0.98 [0.95, 1.00], 3 seeds, n = 384": what a mark says when pointed at.
std::string hover_words(const Pooled& p);

}  // namespace lw
