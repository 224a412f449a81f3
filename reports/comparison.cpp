#include "reports/comparison.h"

namespace lw {

std::string_view scope_name(Scope scope) {
  switch (scope) {
    case Scope::kShort:
      return "short";
    case Scope::kBeyond:
      return "beyond";
    case Scope::kLength:
      return "length";
    case Scope::kDistance:
      return "distance";
  }
  return "";
}

std::string_view scope_title(Scope scope) {
  switch (scope) {
    case Scope::kShort:
      return "Inside the training length";
    case Scope::kBeyond:
      return "Beyond the training length";
    case Scope::kLength:
      return "By length";
    case Scope::kDistance:
      return "By distance";
  }
  return "";
}

std::string_view about_name(About about) {
  switch (about) {
    case About::kNothing:
      return "";
    case About::kWeights:
      return "weights";
    case About::kSeeds:
      return "seeds";
    case About::kOneTraining:
      return "one training";
  }
  return "";
}

std::string_view verdict_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNone:
      return "";
    case Verdict::kBetter:
      return "better";
    case Verdict::kSlightlyBetter:
      return "slightly better";
    case Verdict::kHeld:
      return "held";
    case Verdict::kSlightlyWorse:
      return "slightly worse";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kUndecided:
      return "undecided";
    case Verdict::kAtChance:
      return "at chance";
    case Verdict::kOneSeed:
      return "one seed cannot tell";
    case Verdict::kIncomplete:
      return "incomplete";
    case Verdict::kLost:
      return "lost";
  }
  return "";
}

}  // namespace lw
