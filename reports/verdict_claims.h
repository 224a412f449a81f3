// The rules behind the verdict's sentences, one function a question. No claim where a run says nothing about it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/base/numbers.h"
#include "reports/success.h"
#include "reports/view.h"

namespace lw {

/// Who holds the bar how far on a suite with answers.
std::optional<Claim> reach_claim(const View& view, const std::string& suite);
/// What the longest length costs against the longest trained one, on a suite without answers.
std::optional<Claim> loss_claim(const View& view, const std::string& suite);
/// What scaling buys beyond the training length.
std::optional<Claim> scaling_claim(const View& view);
/// What scaling costs inside the training length.
std::optional<Claim> price_claim(const View& view);
/// Seeds that did not learn, and runs of few seeds: what limits every other sentence.
std::optional<Claim> seeds_claim(const View& view);

/// Variants that stand for their own scheme.
std::vector<std::string> unscaled_variants(const View& view);
/// How the verdict quotes a value.
inline std::string quoted(double value) { return format_fixed(value, 2); }

}  // namespace lw
