// Random numbers: the same on every machine, or equal seeds would not mean equal probes and weights.
#include <array>

#include "harness/selfcheck/check.h"
#include "harness/selfcheck/oracle.h"

namespace lw {
namespace {

constexpr uint64_t kKnownSeed = 1234567;

Finding check_integers(std::span<const Subject>) {
  FaultCount found("number");
  const auto good = known_integers(Rng(kKnownSeed));
  for (size_t i = 0; i < good.size(); ++i) found.add(good[i], "number " + std::to_string(i + 1));
  return found.finding();
}

Finding check_normal_draws(std::span<const Subject>) {
  return compare_oracles(normal_oracles(Rng(kKnownSeed)), kNormalBound);
}

}  // namespace

std::vector<bool> known_integers(Rng rng) {
  // Published for SplitMix64 (Rosetta Code), then three first numbers of streams, worked out apart from this code.
  constexpr std::array kKnown = {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                 4593380528125082431ULL, 16408922859458223821ULL};
  std::vector<bool> good;
  for (const uint64_t known : kKnown) good.push_back(rng.next() == known);
  good.push_back(Rng(0).stream("needle").next() == 7192917300503747436ULL);
  good.push_back(Rng(0).stream(uint64_t{7}).next() == 18253903869471860491ULL);
  good.push_back(Rng(1).stream("training").stream(uint64_t{3}).next() == 536975530758032204ULL);
  return good;
}

std::vector<Oracle> normal_oracles(Rng rng) {
  // Box-Muller over the integers above, with 40 digits.
  constexpr std::array kKnown = {0.42848790073492911717, 0.0076856985150485301072, -1.8586844999890071142,
                                 -0.21146630336856239575};
  std::vector<Oracle> out;
  for (size_t i = 0; i < kKnown.size(); ++i)
    out.push_back({"normal draw " + std::to_string(i + 1), rng.normal(), kKnown[i]});
  return out;
}

extern const SelfCheck random_integers_check{
    .name = "random_integers",
    .compares = "the generator's integers, and published ones",
    .measures = "numbers that differ",
    .run = check_integers,
};

extern const SelfCheck normal_draws_check{
    .name = "normal_draws",
    .compares = "normal draws, and the same from 40 digits",
    .measures = "largest difference",
    .run = check_normal_draws,
};

}  // namespace lw
