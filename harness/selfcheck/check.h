// One check of this machine: what was compared, how far apart it is, and how far it may be.
#pragma once
#include <cmath>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lw {

/// What a failure speaks against.
enum class Concern {
  kMachine,  // this build on this machine: its numbers cannot be trusted
  kScheme,   // a position scheme that declares what it does not do
};

struct CheckResult {
  std::string name;      // "batch"
  std::string subject;   // the variant; "" for checks without a model
  std::string compared;  // in one clause, the same for all subjects
  double measured = 0;
  double bound = 0;          // the most that is allowed
  std::string unit = {};     // "nats"; "" for counts
  std::string skipped = {};  // the reason that it was not asked; "" where it was
  Concern concern = Concern::kMachine;

  /// A measured value that is no number fails.
  bool failed() const { return skipped.empty() && !(measured <= bound); }
};

nlohmann::ordered_json to_json(const CheckResult& result);
/// A table for terminals: of the subjects that passed a check, the largest value. `to_json` has all.
std::string check_table(const std::vector<CheckResult>& results, bool color);
/// 0: all good; 1: the machine failed a check; 3: only schemes did.
int exit_code_of(const std::vector<CheckResult>& results);

}  // namespace lw
