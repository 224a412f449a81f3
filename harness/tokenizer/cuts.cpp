#include "harness/tokenizer/cuts.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/tokenizer/scanners.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

struct NamedCuts {
  const char* name;
  const char* pattern;  // of known_patterns()
  bool nfc;             // as the tokenizer.json of these models has it; llama.cpp leaves it out
  bool single_digits;   // numbers are cut one by one first
  bool ignore_merges;
  bool adds_bos;
};

// Sorted by name.
constexpr NamedCuts kNamed[] = {
    {"bloom", "bloom", false, false, false, false},
    {"deepseek-r1-qwen", "qwen2", true, false, false, false},
    {"gpt-2", "gpt2", false, false, false, false},
    {"gpt-neox", "gpt2", true, false, false, false},  // a name of ours: such files carry none
    {"llama-bpe", "llama3", false, false, true, true},
    {"llama-v3", "llama3", false, false, true, true},
    {"llama3", "llama3", false, false, true, true},
    {"mpt", "gpt2", true, false, false, false},
    {"phi-2", "gpt2", false, false, false, false},
    {"qwen2", "qwen2", true, false, false, false},
    {"qwen35", "qwen35", true, false, false, false},
    {"refact", "gpt2", false, true, false, false},
    {"smollm", "gpt2", false, true, false, false},
    {"starcoder", "gpt2", false, true, false, false},
};

}  // namespace

const std::vector<std::string>& cut_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const NamedCuts& named : kNamed) names.emplace_back(named.name);
    return names;
  }();
  return kNames;
}

Cuts cuts_by_name(const std::string& name, const std::string& key) {
  const auto* named = std::find_if(std::begin(kNamed), std::end(kNamed), [&](const auto& n) { return n.name == name; });
  if (named == std::end(kNamed))
    throw Error(ErrorKind::kUnsupported, key + ": found '" + name + "', a pre-tokenizer that is not known; allowed: " +
                                             join(cut_names()) + did_you_mean(name, cut_names()));
  Cuts cuts;
  if (named->nfc) cuts.normalizer = normalize_form(NormalForm::kNfc);
  std::vector<PreTokenizer> steps;
  if (named->single_digits) steps.push_back(split_by(match_class(is_number), SplitBehavior::kIsolated));
  steps.push_back(byte_level(known_pattern(named->pattern).matcher));
  cuts.pre_tokenizer = pre_tokenize_in_turn(std::move(steps));
  cuts.ignore_merges = named->ignore_merges;
  cuts.adds_bos = named->adds_bos;
  return cuts;
}

}  // namespace lw
