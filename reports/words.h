// How reports say a number, so that every format says it the same way.
#pragma once
#include <string>
#include <vector>

#include "reports/view.h"

namespace lw {

/// "0.98 [0.95, 1.00]", "n/a: no position"; a "!" where some probes have no score. Null: "n/a: not run".
std::string pooled_words(const Pooled* p);
/// The same without the interval.
std::string pooled_value_words(const Pooled* p);
/// ">= 256", "64 [32, 128]": the point value, and what is proven and not refuted where that differs.
std::string effective_words(const EffectiveLength* e);
/// "-0.82 [-0.84, -0.79]", or why there is none.
std::string difference_words(const Comparison& c);
/// "16", "32 (trained)", "64 (2x)".
std::string length_words(int64_t length, int64_t train_length);
/// "3/3", or "2/3*" when a seed did not learn the suite.
std::string seeds_words(const View& view, const std::string& variant, const std::string& suite);
/// "chance 0.25; guessing 'last' 0.25": what a score of the suite's main metric has to be held against.
std::string reference_words(const View& view, const std::string& suite, const std::string& metric);
/// "12 variants, 3 seeds, trained to 32 tokens, judged to 256 (8x)".
std::string run_words(const View& view);
/// Suites judged by accuracy.
std::vector<std::string> accuracy_suites(const View& view);
/// Scaled variants that were compared inside the training length.
std::vector<std::string> compared_variants(const Summary& summary);
/// Null when there is none.
const Comparison* short_comparison(const Summary& summary, const std::string& variant, const std::string& suite);
/// Text for a line or a table cell of Markdown: nothing in it is markup. Brackets stay, unless they make a link.
std::string markdown_text(const std::string& text);
/// "start", "middle", "end" for 0, 0.5 and 1, else "0.25".
std::string depth_words(double depth);

/// "Lengths drawn in training: order 8 to 32 tokens, chain 19 to 32 tokens."; "" when nothing was trained.
std::string training_lengths_words(const Summary& summary);

}  // namespace lw
