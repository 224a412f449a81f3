// Which seeds did not learn, and what few seeds cannot show.
#include <algorithm>
#include <cstdint>
#include <set>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/verdict_claims.h"

namespace lw {
namespace {

using Tone = Claim::Tone;

/// Failed gates of one variant and suite.
struct FailedGate {
  std::string variant, suite;
  double bar = 0;
  std::vector<std::string> seeds, values;

  /// "alibi on needle, seed 2 (0.40, bar 0.90)"
  std::string words() const {
    return variant + " on " + suite + (seeds.size() == 1 ? ", seed " : ", seeds ") + name_list(seeds) + " (" +
           join(values) + ", bar " + quoted(bar) + ")";
  }
};

std::vector<FailedGate> failed_gates(const Manifest& manifest, size_t& gates) {
  std::set<std::string> seen;  // scaled settings share their weights with others
  std::vector<FailedGate> failed;
  for (const auto& s : manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates) {
        if (!seen.insert(t.weights + "/" + g.suite).second) continue;
        ++gates;
        if (g.passed) continue;
        auto found = std::find_if(failed.begin(), failed.end(),
                                  [&](const auto& f) { return f.variant == s.variant && f.suite == g.suite; });
        if (found == failed.end()) found = failed.insert(failed.end(), {s.variant, g.suite, g.bar, {}, {}});
        found->seeds.push_back(std::to_string(s.seed));
        found->values.push_back(quoted(g.value));
      }
  return failed;
}

}  // namespace

std::optional<Claim> seeds_claim(const View& view) {
  size_t gates = 0, count = 0, fewest = SIZE_MAX;
  bool trained = false;
  for (const auto& v : view.variants()) {
    const SettingInfo& setting = view.setting(v);
    if (setting.trainings.empty() || setting.checkpoint) continue;  // no luck in loading
    fewest = std::min(fewest, view.settings(v).size());
    trained = true;
  }
  std::string few;
  if (trained && fewest == 1)
    few = "One seed a variant: it cannot tell a difference between schemes from the luck of training.";
  else if (trained && fewest < 5)
    few = "With " + plural(int64_t(fewest), "seed") +
          " a variant, only large differences can be told from the luck of training: intervals are Student's t over "
          "seeds.";
  std::vector<std::string> words;
  for (const auto& f : failed_gates(view.summary().manifest, gates)) {
    words.push_back(f.words());
    count += f.seeds.size();
  }
  if (count > 0)
    return Claim{Tone::kNote, std::to_string(count) + " of " + std::to_string(gates) + " gates failed.",
                 "Not learned inside the training length, and left out of every mean: " + join(words, "; ") + "." +
                     (few.empty() ? "" : " " + few)};
  if (few.empty()) return std::nullopt;
  return Claim{Tone::kNote, "Few seeds.", few};
}

}  // namespace lw
