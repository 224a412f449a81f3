#include "harness/tokenizer/cuts.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "harness/tokenizer/regex.h"
#include "harness/tokenizer/scanners.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

struct NamedCuts {
  const char* name;
  const char* pattern;  // a name of known_patterns(), or the expression itself
  bool nfc;             // where these models' tokenizer.json is known to have it; llama.cpp leaves it out
  bool single_digits;   // numbers are cut one by one first
  bool ignore_merges;
  bool adds_bos;
};

// Both look at the case of letters: o200k of OpenAI's tiktoken, and Mistral's tokenizer of 2024.
constexpr const char* kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekken = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
                                R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
                                R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Sorted by name. Names, patterns and the last two flags follow llama.cpp's loader (2026-11): all names whose pattern
// is one of ours.
constexpr NamedCuts kNamed[] = {
    {"a.x-4.0", "gpt2", false, false, false, false},
    {"bloom", "bloom", false, false, false, false},
    {"chatglm-bpe", "llama3", false, false, false, false},
    {"codeshell", "gpt2", false, true, false, false},
    {"command-r", "gpt2", true, true, false, false},
    {"dbrx", "llama3", false, false, false, false},  // Phi-4
    {"deepseek-r1-qwen", "qwen2", true, false, false, false},
    {"exaone", "gpt2", false, true, false, false},
    {"exaone4", "gpt2", false, false, false, false},
    {"f2llmv2", "qwen2", true, false, false, false},
    {"falcon-h1", "llama3", false, false, true, true},
    {"falcon3", "llama3", false, false, true, true},
    {"gigachat", "gpt2", false, false, false, false},
    {"glm4", "llama3", false, false, false, false},
    {"gpt-2", "gpt2", false, false, false, false},
    {"gpt-4o", kGpt4o, false, false, false, false},   // Phi-4-mini
    {"gpt-neox", "gpt2", true, false, false, false},  // a name of ours: such files carry none
    {"gpt3-finnish", "bloom", false, false, false, false},
    {"granite-docling", "gpt2", false, false, false, false},
    {"grok-2", "qwen2", false, false, false, false},
    {"hunyuan", "qwen2", false, false, false, false},
    {"jais", "gpt2", false, false, false, false},
    {"jina-de", "gpt2", false, false, false, false},
    {"jina-es", "gpt2", false, false, false, false},
    {"jina-v1-en", "gpt2", false, false, false, false},
    {"jina-v2-code", "gpt2", false, false, false, false},
    {"jina-v2-de", "gpt2", false, false, false, false},
    {"jina-v2-es", "gpt2", false, false, false, false},
    {"jina-v5-nano", "llama3", false, false, true, true},
    {"kanana2", kGpt4o, false, false, false, false},
    {"kormo", "qwen2", false, false, false, false},
    {"lfm2", "llama3", false, false, true, true},
    {"llama-bpe", "llama3", false, false, true, true},
    {"llama-v3", "llama3", false, false, true, true},
    {"llama3", "llama3", false, false, true, true},
    {"llama4", kGpt4o, false, false, false, false},
    {"megrez", "qwen2", false, false, false, false},
    {"mellum", "gpt2", false, false, false, false},
    {"mellum2", "gpt2", false, true, false, false},
    {"midm-2.0", "llama3", false, false, true, true},
    {"minerva-7b", "gpt2", false, true, false, false},
    {"minimax-m2", kGpt4o, false, false, false, false},
    {"modern-bert", "gpt2", true, false, false, false},
    {"mpt", "gpt2", true, false, false, false},
    {"olmo", "gpt2", true, false, false, false},
    {"phi-2", "gpt2", false, false, false, false},
    {"pixtral", "llama3", false, false, true, true},
    {"poro-chat", "bloom", false, false, false, false},
    {"qwen2", "qwen2", true, false, false, false},
    {"qwen35", "qwen35", true, false, false, false},
    {"refact", "gpt2", false, true, false, false},
    {"roberta-bpe", "gpt2", false, false, false, false},
    {"smaug-bpe", "llama3", false, false, false, false},
    {"smollm", "gpt2", false, true, false, false},
    {"solar-open", "qwen2", false, false, false, false},
    {"stablelm2", "qwen2", false, false, false, false},
    {"starcoder", "gpt2", false, true, false, false},
    {"talkie", kGpt4o, false, false, false, false},
    {"tekken", kTekken, false, false, true, true},  // Mistral Nemo
    {"trillion", "gpt2", false, false, false, false},
};

Matcher matcher_of(const std::string& pattern, const std::string& key) {
  for (const KnownPattern& known : known_patterns())
    if (known.name == pattern) return known.matcher;
  return match_regex(pattern, key);
}

/// "gpt2, pattern 0a1b2c3d4e5f". @param pattern an expression, or the name of a known one.
std::string pattern_name(const std::string& pattern) {
  for (const KnownPattern& known : known_patterns())
    if (known.name == pattern || known.pattern == pattern)
      return known.name + ", pattern " + sha256(known.pattern).substr(0, 12);
  return "pattern " + sha256(pattern).substr(0, 12);
}

void add_steps(const Json& step, std::vector<std::string>& steps) {
  const std::string type = step.at("type").get<std::string>();
  if (type == "Sequence") {
    for (const Json& inner : step.at("pretokenizers")) add_steps(inner, steps);
  } else if (type == "Split" && step.at("pattern").contains("Regex")) {
    steps.push_back(type + " (" + pattern_name(step.at("pattern").at("Regex").get<std::string>()) + ")");
  } else if (type == "ByteLevel" && step.value("use_regex", true)) {
    steps.push_back(type + " (" + pattern_name("gpt2") + ")");
  } else {
    steps.push_back(type);
  }
}

}  // namespace

std::string describe_cuts(const Json& pre_tokenizer) {
  std::vector<std::string> steps;
  if (!pre_tokenizer.is_null()) add_steps(pre_tokenizer, steps);
  return steps.empty() ? "nothing" : join(steps);
}

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
    throw Error(ErrorKind::kInput,
                key + ": " + found(name, ", a pre-tokenizer that is not known").allowed(join(cut_names())) +
                    " (give the one that cuts alike with --pre NAME or model.pre)" + did_you_mean(name, cut_names()));
  Cuts cuts;
  if (named->nfc) cuts.normalizer = normalize_form(NormalForm::kNfc);
  std::vector<PreTokenizer> steps;
  if (named->single_digits) steps.push_back(split_by(match_class(is_number), SplitBehavior::kIsolated));
  steps.push_back(byte_level(matcher_of(named->pattern, key)));
  cuts.pre_tokenizer = pre_tokenize_in_turn(std::move(steps));
  cuts.ignore_merges = named->ignore_merges;
  cuts.adds_bos = named->adds_bos;
  cuts.description = name + " (" + (named->single_digits ? "Digits, " : "") + pattern_name(named->pattern) + ")";
  return cuts;
}

}  // namespace lw
