#include <array>

#include "suites/suite.h"

// One line per suite, in alphabetical order. Each is defined in suites/<name>.cpp.
#define LW_SUITES(X) \
  X(fact_recall)     \
  X(length)          \
  X(needle)          \
  X(order_swap)      \
  X(text_nll)

namespace lw {
#define LW_DECLARE(name) extern const SuiteInfo name##_suite;
LW_SUITES(LW_DECLARE)
#undef LW_DECLARE

std::span<const SuiteInfo* const> suites() {
#define LW_ENTRY(name) &name##_suite,
  static const std::array kAll = {LW_SUITES(LW_ENTRY)};
#undef LW_ENTRY
  return kAll;
}
}  // namespace lw
