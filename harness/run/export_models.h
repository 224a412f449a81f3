// Models that were trained here, as Hugging Face folders.
#pragma once
#include <filesystem>

#include "harness/results/store.h"
#include "harness/run/work.h"

namespace lw {

/// Every setting's models, each in a folder of its own below `out`; tells on stdout which, and why another has no
/// family that could hold it. @throws Error(kUnsupported) when that is so of all.
void export_models(const Work& work, const Store& store, const std::filesystem::path& out);

}  // namespace lw
