// Tables of settings compared on the same probes: scaled against unscaled, one run against another.
#pragma once
#include <span>
#include <string>

#include "reports/tables/table.h"
#include "reports/view.h"

namespace lw {

/// What the unit is, and what the words of the verdict mean.
std::string unit_sentence(double margin);
/// How p is corrected where sentences are made of rows, and where a table is explored.
inline constexpr const char* kHolmSentence =
    "p is corrected by Holm over all variants and suites, inside and beyond the training length.";
inline constexpr const char* kExploredSentence =
    "A table to explore: p is corrected by Benjamini and Hochberg over its rows.";

/// A row a comparison. @param base,run what the two sides are called: "unscaled" and "scaled".
Table comparison_table(std::span<const Comparison* const> rows, const char* base, const char* run);

/// Scaled minus unscaled up to the training length: a row a variant and suite.
Table short_contexts_table(const View& view);
/// The same in short: a row a variant, a column a suite.
Table short_overview_table(const View& view);
/// Scaled minus unscaled beyond the training length, all lengths together.
Table scaling_beyond_table(const View& view);
/// Scaled minus unscaled at each length.
Table scaling_by_length_table(const View& view);

/// "copy", "copy (targets)", "text (nats)".
std::string compared_suite_words(const Comparison& c);

}  // namespace lw
