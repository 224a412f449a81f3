// The pipeline of `run`: config -> weights -> records -> summary -> reports, all through files.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/tree.h"

namespace lw {

struct RunOptions {
  std::string config;               // path
  std::vector<std::string> sets;    // path=value
  std::filesystem::path out;        // empty: runs/<name>
  std::string device;               // empty: the config's
  std::string dtype;                // of evaluation; empty: the config's
  int64_t threads = 0;              // 0: one a core
  int64_t limit = 0;                // probes at each length; 0: the config's
  std::filesystem::path export_to;  // of train: a folder for Hugging Face folders; empty: none
  bool fresh = false, dry_run = false;
  bool replace = false;  // keep a run of another config in `out` beside the new one
};

/// The config with --set, --dtype and --device applied.
Tree load_config(const RunOptions& options);

/// @throws Error(kUnsupported) for a device that this LibTorch does not see.
void check_device(const std::string& device);

/// @returns the exit code. Prints the tables and the report's path to stdout.
int run_experiment(const RunOptions& options);
/// Only the models.
int train_experiment(const RunOptions& options);

}  // namespace lw
