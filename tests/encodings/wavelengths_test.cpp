// Pairs that never complete a rotation, counted the same way for every scheme that has wavelengths.
#include "encodings/parts/wavelengths.h"

#include <cmath>

#include "tests/encodings/support.h"

namespace lw::encoding_test {

TEST_CASE("a pair completes a rotation at the length of its wavelength, and one that never rotates at none",
          "[encodings]") {
  const std::vector<double> wavelengths = {6.3, 63, 628, HUGE_VAL};
  CHECK(incomplete_pairs(wavelengths, 1) == std::vector<int64_t>{0, 1, 2, 3});
  CHECK(incomplete_pairs(wavelengths, 62) == std::vector<int64_t>{1, 2, 3});
  CHECK(incomplete_pairs(wavelengths, 63) == std::vector<int64_t>{2, 3});
  CHECK(incomplete_pairs(wavelengths, int64_t{1} << 40) == std::vector<int64_t>{3});
  CHECK(incomplete_pairs({}, 10).empty());
}

TEST_CASE("wavelengths are printed with never for a pair that does not rotate", "[encodings]") {
  const CardFact fact = wavelengths_fact({2 * M_PI, M_PI, 0});
  CHECK(fact.name == "wavelengths");
  CHECK(fact.value == "3 numbers: 1 ... never");
  CHECK(fact.numbers == std::vector<double>{1, 2, HUGE_VAL});
  CHECK(wavelengths_fact({1}).value.substr(0, 9) == "1 number:");
}

}  // namespace lw::encoding_test
