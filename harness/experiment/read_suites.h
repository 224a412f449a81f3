// The `suites` and `eval` sections of a config.
#pragma once
#include <string>
#include <vector>

#include "harness/base/config.h"
#include "harness/experiment/experiment.h"

namespace lw {

/// Reads `eval` and `suites` into the variant, whose model and training length are known already.
/// @throws Error(kConfig), also where a run has no suites.
void read_evaluation(ConfigNode& root, Variant& variant, ReadFor use);

}  // namespace lw
