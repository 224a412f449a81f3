// Cells for the numbers of a summary.
#pragma once
#include "reports/tables/table.h"
#include "reports/view.h"

namespace lw {

/// A mean with its interval, or the reason that there is none. Null: not run. A share with probes that have no score:
/// its bounds.
/// @param bar an accuracy that counts as working; it decides what is good and what is hardly above chance.
TableCell pooled_cell(const Pooled* p, double bar);
/// How far a variant reaches, with what is proven and what is not refuted where these differ.
TableCell reach_cell(const EffectiveLength* e);
/// "-0.25 [-0.33, -0.19]".
TableCell difference_cell(const Comparison& c);
/// "worse", "no difference found (0.05)": in brackets the difference that would have been found.
/// What the seeds show; where they do not tell, what is shown on these weights, and says which.
TableCell verdict_cell(const Comparison& c);
/// "3: +0.12 to +0.37": the range of the seeds' own differences.
TableCell seed_range_cell(const Comparison& c);
CellState state_of(Verdict verdict);
/// "2/3*": seeds of the variant that learned the suite.
TableCell seeds_cell(const View& view, const std::string& variant, const std::string& suite);
/// "holds" or "does not hold".
TableCell holds_cell(bool holds);
/// A number of tokens as a column of its own: "64 (2x)".
TableColumn length_column(int64_t length, int64_t train_length);

}  // namespace lw
