#include "reports/verdict.h"

#include "reports/verdict_claims.h"

namespace lw {
namespace {

using Tone = Claim::Tone;

constexpr size_t kMostSuites = 3;

}  // namespace

std::string_view tone_name(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kPrice:
      return "price";
    case Tone::kBad:
      return "bad";
    case Tone::kNote:
      return "note";
  }
  return "";
}

std::vector<Claim> derive_verdict(const Summary& summary) {
  const View view(summary);
  std::vector<Claim> claims;
  for (const auto& suite : summary.manifest.suites) {
    if (claims.size() == kMostSuites) break;
    const auto claim = view.has_answers(suite.name) ? reach_claim(view, suite.name) : loss_claim(view, suite.name);
    if (claim) claims.push_back(*claim);
  }
  for (const auto& claim : {scaling_claim(view), price_claim(view), seeds_claim(view)})
    if (claim) claims.push_back(*claim);
  if (claims.empty())
    claims.push_back({Tone::kNote, "Nothing to conclude.", "This run holds no score that a claim could rest on."});
  return claims;
}

}  // namespace lw
