// How reports say things, so that every format says them the same way.
#pragma once
#include <string>
#include <vector>

#include "reports/view.h"

namespace lw {

/// "16", "32 (trained)", "64 (2x)".
std::string length_words(int64_t length, int64_t train_length);
/// "chance 0.25, guessing 'last' 0.25"; where variants differ "chance 0.25 (v4), chance 0.062 (v16)": what a score of
/// the suite's main metric has to be held against.
std::string reference_words(const View& view, const std::string& suite, const Metric& metric);
/// "32 tokens"; "16 or 32 tokens, by variant"; "" when no training length is known.
std::string trained_words(const View& view);
/// "12 variants, 3 seeds, trained to 32 tokens, evaluated to 256 (8x)".
std::string run_words(const View& view);
/// Suites whose probes have right and wrong answers.
std::vector<std::string> answer_suites(const View& view);
/// Scaled variants that were compared inside the training length.
std::vector<std::string> compared_variants(const Summary& summary);
/// Null when there is none.
const Comparison* short_comparison(const Summary& summary, const std::string& variant, const std::string& suite);
/// "start", "middle", "end" for 0, 0.5 and 1, else "0.25".
std::string depth_words(const double& depth);

/// "too few probes", "not asked": the answer to an item of the protocol.
std::string_view answer_words(ProtocolItem::State state);
/// "6 yes, 2 no, 1 with too few probes, 2 not asked": items of the protocol.
std::string protocol_count(const Summary& summary);
/// "better to the right" or "better to the left", on an axis of differences.
std::string better_words(const Metric& metric);
/// At most six digits; files for programs have them all.
std::string short_number(double value);
/// What every number of a report is.
inline constexpr const char* kMeansSentence =
    "Means over learned seeds with 95 % intervals; no number mixes lengths inside and beyond the training length.";

/// "Lengths drawn in training: order 8 to 32 tokens, chain 19 to 32 tokens."; "" when nothing was trained.
std::string training_lengths_words(const Summary& summary);

}  // namespace lw
