#include "harness/base/text.h"

namespace lw {

std::string plural(int64_t n, std::string_view one, std::string_view many) {
  if (n == 1) return text("1 ", one);
  return many.empty() ? text(n, " ", one, "s") : text(n, " ", many);
}

}  // namespace lw
