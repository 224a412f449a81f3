// Two or more runs compared probe by probe: same id, same prompt, another model or position setting.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/load.h"
#include "reports/pairing.h"

namespace lw {

struct DiffOptions {
  /// (in base, in run): variants or setting ids. Empty: settings with the same id; or, when base and run hold one
  /// variant each, those two, seed by seed.
  std::vector<std::pair<std::string, std::string>> names;
  double alpha = 0.05;  // a corrected p below it is a difference
};

struct RunDiff {
  std::string base, run;                                      // folders as given
  std::vector<std::pair<std::string, std::string>> settings;  // matched ids
  std::vector<std::string> unmatched;                         // settings without a partner, with the side they are on
  std::vector<std::string> unlearned;  // settings left out of a suite: "rope/s1 on copy, not learned in the run"
  int64_t gates_lost = 0;              // of these, those that the base had learned
  int64_t paired = 0;                  // probes scored on both sides
  Unpaired unpaired;
  double margin = 0;  // of the base's protocol: a difference smaller than this counts as none
  std::vector<Comparison> rows;
};

struct Diff {
  double alpha = 0.05;
  std::vector<RunDiff> runs;
};

enum class RegressionScope { kShort, kAny };  // inside the training length only, or anywhere

/// @throws Error(kUsage) when no setting matches or a name is unknown; Error(kInput) when matched settings share
/// no probe at all.
Diff diff_runs(const LoadedRun& base, std::span<const LoadedRun> runs, const DiffOptions& options = {});

/// Whether the run is worse inside the training length or beyond it (each taken as a whole, after Holm's correction),
/// or could not score or did not learn what the base could. Single lengths and distances are explored, and claim
/// nothing.
bool has_regression(const Diff& diff, RegressionScope scope);

std::string diff_terminal(const Diff& diff, bool color);
std::string diff_markdown(const Diff& diff);
std::string diff_html(const Diff& diff);
std::string diff_latex(const Diff& diff);
std::string diff_csv(const Diff& diff);
std::string diff_json(const Diff& diff);

}  // namespace lw
