// What a check found: the largest deviation over everything that it compared, and how large it may be.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lw {

/// Something that a check could not compare, and the reason.
struct LeftOut {
  std::string name, reason;
};

struct Finding {
  std::optional<double> measured;  // the largest deviation; infinite where a value is no number. Absent: none compared
  double bound = 0;                // the largest one that is allowed
  std::string where;               // of the largest deviation; "" where all are 0
  int64_t compared = 0;            // settings, numbers, bits: what the check counts
  std::string unit;                // of `compared`: "setting"
  std::vector<LeftOut> left_out;
  std::string fault;  // the check ended early with this error; else ""

  bool holds() const { return fault.empty() && measured && *measured <= bound; }
  bool fails() const { return !fault.empty() || (measured && !(*measured <= bound)); }
};

/// Collects deviations into a finding.
class Deviations {
 public:
  Deviations(double bound, std::string unit) {
    finding_.bound = bound;
    finding_.unit = std::move(unit);
  }

  /// @param deviation 0 or more; one that is not finite counts as infinite.
  void add(double deviation, const std::string& where) {
    if (!std::isfinite(deviation)) deviation = std::numeric_limits<double>::infinity();
    ++finding_.compared;
    if (deviation > finding_.measured.value_or(0)) finding_.where = where;
    finding_.measured = std::max(finding_.measured.value_or(0), deviation);
  }
  void leave_out(const std::string& name, const std::string& reason) { finding_.left_out.push_back({name, reason}); }
  Finding finding() const { return finding_; }

 private:
  Finding finding_;
};

/// Counts faults into a finding that allows none; `where` is the first.
class FaultCount {
 public:
  explicit FaultCount(std::string unit) { finding_.unit = std::move(unit); }

  void add(bool good, const std::string& where) {
    if (!good && finding_.measured.value_or(0) == 0) finding_.where = where;
    finding_.measured = finding_.measured.value_or(0) + (good ? 0 : 1);
    ++finding_.compared;
  }
  void leave_out(const std::string& name, const std::string& reason) { finding_.left_out.push_back({name, reason}); }
  Finding finding() const { return finding_; }

 private:
  Finding finding_;
};

}  // namespace lw
