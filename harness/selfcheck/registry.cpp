#include <ATen/Parallel.h>

#include <array>
#include <exception>

#include "harness/base/error.h"
#include "harness/base/exit_code.h"
#include "harness/base/parallel.h"
#include "harness/selfcheck/check.h"

// One line per check, in the order of the table. Each is defined in the file of its group.
#define LW_SELF_CHECKS(X) \
  X(frequencies)          \
  X(attention_tiles)      \
  X(attention_fused)      \
  X(attention_memory)     \
  X(key_cache)            \
  X(shift_invariance)     \
  X(declared_properties)  \
  X(probes_asked)         \
  X(probe_order)          \
  X(repeated_evaluation)  \
  X(batch_rows)           \
  X(float32)              \
  X(training_repeated)    \
  X(random_integers)      \
  X(normal_draws)         \
  X(intervals)            \
  X(paired_tests)         \
  X(many_tests)           \
  X(damaged_cache)        \
  X(unfinished_files)

namespace lw {

#define LW_DECLARE(name) extern const SelfCheck name##_check;
LW_SELF_CHECKS(LW_DECLARE)
#undef LW_DECLARE

std::span<const SelfCheck* const> self_checks() {
#define LW_ENTRY(name) &name##_check,
  static const std::array kAll = {LW_SELF_CHECKS(LW_ENTRY)};
#undef LW_ENTRY
  return kAll;
}

std::vector<CheckedItem> run_self_checks(std::span<const SelfCheck* const> checks, std::span<const Subject> subjects,
                                         const std::function<void()>& done) {
  at::set_num_threads(1);
  std::vector<CheckedItem> items;
  for (const SelfCheck* check : checks) {
    throw_if_interrupted();
    CheckedItem item{check, {}};
    try {
      item.finding = check->run(subjects);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& e) {  // ours, or LibTorch's: a kernel that this build lacks
      item.finding.fault = std::string(e.what()).substr(0, std::string_view(e.what()).find('\n'));
      if (item.finding.fault.empty()) item.finding.fault = "an error without a message";
    }
    items.push_back(std::move(item));
    done();
  }
  return items;
}

int exit_code_of(std::span<const CheckedItem> items) {
  int code = 0;
  for (const auto& item : items) {
    if (!item.finding.fails()) continue;
    if (item.check->concerns == Concerns::kMachine || !item.finding.fault.empty()) return 1;
    code = kExitDisagrees;
  }
  return code;
}

std::string_view verdict_of(const CheckedItem& item) {
  if (item.finding.holds()) return "ok";
  if (!item.finding.fails()) return "not compared";
  const bool card = item.check->concerns == Concerns::kCard && item.finding.fault.empty();
  return card ? "disagrees" : "FAILED";
}

}  // namespace lw
