// The runs below a folder, each with what it concluded: for a list of many runs.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "reports/summary.h"

namespace lw {

/// One run folder, or one that could not be read.
struct IndexedRun {
  std::string folder;      // below the folder that was searched, with "/" between names; "." for itself
  std::string fault = {};  // the reason that it could not be read; then all else is empty
  std::string name = {};
  std::string config = {};    // SHA-256 of config.yaml; empty where the run does not say
  std::string finished = {};  // UTC, ISO 8601; empty without provenance
  std::vector<std::string> suites = {};
  int64_t variants = 0, seeds = 0;
  std::vector<EffectiveLength> reach = {};  // of each suite with answers: the variant that reaches farthest
  std::vector<Claim> verdict = {};
  std::string page = {};  // "report.html" where there is one, else ""
};

struct RunIndex {
  std::filesystem::path folder;
  std::vector<IndexedRun> runs;  // by folder

  /// Runs that could be read.
  int64_t readable() const;
};

/// How many folders lie between the one that is searched and a run folder, at most, the run folder included.
inline constexpr int kIndexDepth = 6;

/// Every folder with a summary.json, `folder` itself included, and what looks like a run that did not finish. Folders
/// whose name begins with a dot, and symbolic links, are not searched.
/// @throws Error(kUsage) when `folder` is none, or holds no run at all.
RunIndex index_runs(const std::filesystem::path& folder);

/// "needle: alibi 256, point 512": what is proven of the best variant, and the point estimate where it differs;
/// "needle: not proven, point 64 (alibi)"; "needle: < 16".
std::string farthest_words(const EffectiveLength& reach);

/// The list as JSON.
std::string run_index_json(const RunIndex& index);
/// The list as one page without scripts, which links to each report.
std::string run_index_html(const RunIndex& index);
/// The list for a terminal. @param color ANSI colours.
std::string run_index_terminal(const RunIndex& index, bool color);

}  // namespace lw
