// What a setting is asked, as reports know it.
#pragma once
#include <string>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/run/work.h"

namespace lw {

/// The suites of a setting in the order of its config, with the probes that are planned at each length.
std::vector<SuiteMeta> asked_suites(const Work& work, const std::string& setting);

}  // namespace lw
