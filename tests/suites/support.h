// What the tests of suites share: settings over the registry, and reading a probe by the names of its
// tokens, apart from the code that made it.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/config.h"
#include "harness/base/files.h"
#include "harness/base/numbers.h"
#include "harness/base/registry.h"
#include "suites/text/language.h"
#include "suites/vocabulary_plan.h"
#include "tests/catch.h"
#include "tests/suites/fake_codec.h"
#include "tests/support.h"

namespace lw::suites_test {

/// What suites that ask in text are bound to here: no longer length may be asked for, nor a window past the last.
constexpr int64_t kLongest = 301, kTextProbes = 8;

/// " word" for every word of the languages' pieces and lists but each fifth, which is several tokens, and each second
/// of the names. Some words are the beginnings of others.
inline std::vector<std::string> language_pieces() {
  std::vector<std::string> out;
  const auto add = [&](std::string_view text) {
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;)
      if (std::accumulate(word.begin(), word.end(), 0) % 5 != 0) out.push_back(" " + word);
  };
  for (const Language* l : {&english(), &korean()}) {
    for (size_t i = 0; i < l->names.size(); i += 2) out.push_back(" " + std::string(l->names[i]));
    for (const auto& word : l->words) add(word);
    for (const auto& piece : {l->before_name, l->after_name, l->after_word}) add(piece);
    for (const auto& kind : l->parts)
      for (const auto& piece : kind) add(piece);
  }
  return out;
}

/// The tokenizer of the conformance tests.
inline FakeCodec text_codec(bool begin) {
  std::vector<std::string> pieces = {" the", "the", " sails", "ing", " sing", ".",
                                     "?",    "\n",  ".\n",    "The", "인",    "이다."};
  for (auto& piece : language_pieces())
    if (std::find(pieces.begin(), pieces.end(), piece) == pieces.end()) pieces.push_back(std::move(piece));
  return FakeCodec(std::move(pieces), begin);
}

/// A file of text for kTextProbes windows of kLongest tokens, written once.
inline std::string text_path() {
  static const test::TempFolder folder;
  static const std::string path = [] {
    const FakeCodec codec = text_codec(false);
    const std::vector<std::string> words = {" the", " ship", " sails", " far", " at", " night", " singing", " wind."};
    std::string text;
    Rng rng(5);
    for (int64_t have = 0; have < kLongest * kTextProbes;) {
      const std::string& word = words[size_t(rng.below(int64_t(words.size())))];
      text += word;
      have += int64_t(codec.encode(word).size());
    }
    write_file(folder / "sea.txt", text);
    return (folder / "sea.txt").string();
  }();
  return path;
}

/// A suite with options, bound to a vocabulary that it has to itself.
class Built {
 public:
  Built(const std::string& name, const std::string& options, bool begin = false)
      : options_(parse_yaml(options, "s.yaml")) {
    const SuiteInfo* info = find_named(suites(), name);
    if (info == nullptr) throw std::runtime_error("no suite " + name);
    ConfigNode node(options_);
    suite_ = info->make(node);
    node.finish();
    const std::vector<const Suite*> alone = {suite_.get()};
    if (suite_->needs_text()) {
      codec_ = std::make_unique<FakeCodec>(text_codec(begin));
      plan_ = std::make_unique<VocabularyPlan>(alone, *codec_);
    } else {
      plan_ = std::make_unique<VocabularyPlan>(alone, begin);
    }
    bound_ = suite_->bind(plan_->of(0), {kLongest, kTextProbes});
  }

  const Suite& suite() const { return *suite_; }
  int64_t min_length() const { return bound_->min_length(); }
  void check_length(int64_t length) const { bound_->check_length(length); }
  const Vocabulary& vocabulary() const { return plan_->of(0); }
  const FakeCodec& codec() const { return *codec_; }
  /// Models that read text are never trained here.
  bool trains() const { return !suite_->needs_text(); }
  int64_t start() const { return vocabulary().begin ? 1 : 0; }

  Probe make(int64_t length, int64_t index, const Rng& stream = Rng(1), bool training = false) const {
    return bound_->make({length, index, training, stream});
  }
  std::string name(Token token) const { return plan_->token_name(0, token); }
  std::vector<std::string> names(const std::vector<Token>& tokens) const {
    std::vector<std::string> out;
    for (const Token t : tokens) out.push_back(name(t));
    return out;
  }
  int64_t whole(const std::string& key, int64_t fallback) const {
    const Tree* value = options_.find(key);
    return value == nullptr ? fallback : *parse_whole(value->text);
  }
  std::string word(const std::string& key, const std::string& fallback) const {
    const Tree* value = options_.find(key);
    return value == nullptr ? fallback : value->text;
  }
  double number(const std::string& key, double fallback) const {
    const Tree* value = options_.find(key);
    return value == nullptr ? fallback : *parse_number(value->text);
  }

 private:
  Tree options_;
  std::unique_ptr<Suite> suite_;
  std::unique_ptr<FakeCodec> codec_;
  std::unique_ptr<VocabularyPlan> plan_;
  std::unique_ptr<BoundSuite> bound_;
};

/// What follows from the tokens of a prompt alone.
struct Derived {
  std::string label;  // by name
  int64_t distance = 0;
  double depth = 0;
  std::vector<int64_t> needle_offsets;
  int64_t query_offset = 0;
};

/// Option sets of each suite; a suite that is not here makes the conformance tests fail.
inline const std::map<std::string, std::vector<std::string>>& option_sets() {
  static const std::map<std::string, std::vector<std::string>> kSets = {
      {"needle",
       {"{}", "{needles: 1}", "{needles: 8}", "{keys: 4, values: 4, needles: 4}",
        "{keys: 9, values: 3, needles: 2, filler: 1}", "{depths: [0, 0.25, 0.75, 1]}",
        "{keys: 2, values: 5, needles: 2, filler: 40}", "{needles: 1, distances: [2, 3]}", "{style: fused}",
        "{style: pair}", "{style: pair, needles: 1}", "{style: pair, needles: 8, filler: 1}",
        "{style: pair, depths: [0, 0.1, 0.5, 0.6, 1], values: 30}", "{style: pair, distances: [2, 3, 4, 5, 6]}"}},
      {"order_swap", {"{}", "{filler: 1}", "{filler: 50}", "{gap: 1}", "{gap: 7}"}},
      {"length",
       {"{}", "{lag: 1}", "{lag: 2, sharpness: 2}", "{copy: 0, scored: 1}",
        "{copy: 0.99, source_symbols: 2, scored: 40}"}},
      {"fact_recall",
       {"{}", "{facts: 1}", "{questions: 1}", "{facts: 3, questions: 2, choices: 3}",
        "{facts: 4, questions: 1, choices: 100, depths: [0, 0.3, 1]}", "{language: korean, facts: 2}",
        "{haystack: " + text_path() + ", facts: 5}", "{haystack: " + text_path() + ", questions: 1, facts: 2}"}},
      {"text_nll", {"{text: " + text_path() + "}", "{text: " + text_path() + ", per_octave: 3}"}},
  };
  return kSets;
}

/// Lengths from the shortest: all of the first 20, then growing steps to 300.
inline std::vector<int64_t> lengths_from(int64_t least) {
  std::vector<int64_t> out;
  for (int64_t length = least; length < least + 20; ++length) out.push_back(length);
  for (const int64_t length : {64, 65, 127, 128, 200, 299, 300})
    if (length > out.back()) out.push_back(length);
  return out;
}

inline double share(int64_t hits, int64_t of) { return double(hits) / double(of); }

}  // namespace lw::suites_test
