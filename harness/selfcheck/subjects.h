// The models that a self-check looks at.
#pragma once
#include <vector>

#include "harness/experiment/experiment.h"
#include "harness/selfcheck/model_checks.h"

namespace lw {

/// The most tokens of a sequence that is checked, so that it takes seconds.
inline constexpr int64_t kLongestChecked = 64;

/// Small models with drawn weights, one for each kind of position scheme.
Experiment built_in_subjects();

/// One subject a variant: drawn weights in its shape, or its checkpoint. Sequences have twice the training length, and
/// at most kLongestChecked tokens or what the scheme has positions for.
/// @throws Error(kUnsupported) for an encoder-decoder, which has no loss of a text.
std::vector<ModelSubject> subjects_of(const Experiment& experiment);

}  // namespace lw
