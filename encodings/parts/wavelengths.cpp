#include "encodings/parts/wavelengths.h"

#include <cmath>

#include "harness/base/text.h"

namespace lw {

std::vector<double> wavelengths_of(const std::vector<double>& inv_freq) {
  std::vector<double> out;
  for (const double w : inv_freq) out.push_back(w == 0 ? HUGE_VAL : 2 * M_PI / w);
  return out;
}

CardFact wavelengths_fact(const std::vector<double>& inv_freq) {
  const auto printed = [](double wavelength) { return std::isinf(wavelength) ? "never" : format_number(wavelength); };
  CardFact out{"wavelengths", plural(int64_t(inv_freq.size()), "number"), wavelengths_of(inv_freq), true};
  if (!inv_freq.empty()) out.value += ": " + printed(out.numbers.front());
  if (inv_freq.size() > 1) out.value += " ... " + printed(out.numbers.back());
  return out;
}

std::vector<int64_t> incomplete_pairs(const std::vector<double>& wavelengths, int64_t length) {
  std::vector<int64_t> out;
  for (size_t pair = 0; pair < wavelengths.size(); ++pair)
    if (!(wavelengths[pair] <= double(length))) out.push_back(int64_t(pair));
  return out;
}

}  // namespace lw
