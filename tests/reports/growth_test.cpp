#include "reports/statistics/growth.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

namespace lw {

using Points = std::vector<std::pair<double, double>>;

TEST_CASE("the growth exponent of a known power is that power") {
  for (const double power : {0.0, 1.0, 2.0, 2.5}) {
    Points points;
    for (const double n : {256.0, 1024.0, 2048.0, 4096.0}) points.emplace_back(n, 3e-7 * std::pow(n, power));
    CHECK(*growth_exponent(points) == Approx(power).margin(1e-12));
  }
}

TEST_CASE("the growth exponent of quadratic cost with a fixed part lies below 2, and rises with length") {
  const auto cost = [](double n) { return 1e6 + n * n; };
  const Points points = {{256, cost(256)}, {1024, cost(1024)}, {4096, cost(4096)}};
  const Points far = {{4096, cost(4096)}, {65536, cost(65536)}};
  CHECK(*growth_exponent(points) < 1.5);
  CHECK(*growth_exponent(far) > 1.95);
}

TEST_CASE("fewer than two lengths have no growth exponent") {
  CHECK_FALSE(growth_exponent(Points{}));
  CHECK_FALSE(growth_exponent(Points{{256, 1}}));
  CHECK_FALSE(growth_exponent(Points{{256, 1}, {256, 2}}));
  CHECK_FALSE(growth_exponent(Points{{256, 1}, {512, 0}}));
}

}  // namespace lw
