// The folder of a run: whose it is, and where its cache is.
#pragma once
#include <filesystem>
#include <string>

#include "harness/results/store.h"

namespace lw {

/// `out`, or runs/NAME where it is empty.
std::filesystem::path out_folder(const std::filesystem::path& out, const std::string& name);

/// `out` must be new, empty or an earlier run: nothing else is ever written into. @throws Error(kUsage).
void check_out(const std::filesystem::path& out);

/// $LENGTHWISE_CACHE; without it, .cache beside the run folder.
std::filesystem::path cache_folder(const std::filesystem::path& out);
Store open_store(const std::filesystem::path& out);

/// Makes the folder ready for a run of `config`, which it then belongs to: config.yaml is written first, so that a run
/// that was cut off keeps its folder. Messages go to its run.log from here on.
/// @param config the resolved config, as YAML.
/// @param replace moves a run of another config out of the way, to NAME.old-1; without it, that is refused.
/// @throws Error(kUsage) for a folder that holds other files or belongs to another config, with what differs.
void open_run_folder(const std::filesystem::path& out, const std::string& config, bool replace);

}  // namespace lw
