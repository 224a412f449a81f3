// A needle in a haystack, in a natural language. Facts are hidden among sentences, each of which gives a person a word
// of one token; the questions at the end repeat a fact up to its word. Answers are teacher-forced, so that one pass
// scores them all, each at its own distance: from the token before the answer back to the word in its fact. Layout:
// [begin] sentences and facts, then for each question a line that ends with its answer and a full stop. The last full
// stop is for bidirectional models, which need text on both sides of a slot.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "suites/sequence.h"
#include "suites/text/haystack.h"
#include "suites/text/single_token.h"
#include "suites/text/text_file.h"

namespace lw {
namespace {

struct FactOptions {
  int64_t facts = 8, questions = 8, choices = 16;
  std::vector<double> depths;  // of the asked fact where one question is asked
  bool korean = false;
  std::string path;  // of the haystack's file; "" for made-up sentences
  TextFile file;
};

using Tokens = std::vector<Token>;

void append(Tokens& tokens, const Tokens& more) { tokens.insert(tokens.end(), more.begin(), more.end()); }
int64_t size_of(const Tokens& tokens) { return int64_t(tokens.size()); }

/// @throws Error(kConfig) when facts and questions do not fit.
void check_fit(const FactOptions& o, int64_t min_length, int64_t length) {
  if (length >= min_length) return;
  throw OptionError("facts",
                    found(o.facts, " and ", o.questions, " questions, which do not fit length ", format_grouped(length))
                        .allowed("lengths of ", format_grouped(min_length), " or more for so many"));
}

class BoundFactRecall final : public BoundSuite {
 public:
  BoundFactRecall(const Suite& suite, const FactOptions& options, const Vocabulary& vocabulary, int64_t longest)
      : BoundSuite(suite), o_(options), language_(o_.korean ? korean() : english()), begin_(vocabulary.begin) {
    const TextCodec& text = *vocabulary.text;
    const auto encode = [&](std::string_view piece) { return piece.empty() ? Tokens{} : text.encode(piece); };
    fact_ = encode(language_.before_name);
    newline_ = encode("\n");
    question_ = encode(without_leading_spaces(language_.before_name));
    after_name_ = encode(language_.after_name);
    after_word_ = encode(language_.after_word);
    after_line_ = encode(std::string(language_.after_word) + "\n");  // often one token, ".\n"
    encode_names(text);
    encode_words(text);
    min_length_ = (begin_ ? 1 : 0) + o_.facts * around(fact_, after_word_) + longest_names(o_.facts) +
                  size_of(newline_) + (o_.questions - 1) * around(question_, after_line_) +
                  around(question_, after_word_) + longest_names(o_.questions);
    haystack_ = o_.path.empty() ? Haystack(language_, text) : Haystack(o_.file.text, text);
    if (const auto have = haystack_.tokens(); have && *have < longest)
      throw OptionError("haystack",
                        found(o_.path, " with ", format_grouped(*have), " tokens")
                            .allowed("as many as the longest length or more (", format_grouped(longest), ")"));
  }

  int64_t min_length() const override { return min_length_; }
  void check_length(int64_t length) const override { check_fit(o_, min_length_, length); }

  Probe make(const ProbeRequest& request) const override {
    LW_CHECK(!request.training, "a model that reads text is not trained here");
    Rng rng = probe_stream(request, request.index);
    auto facts = draw_facts(request.index, rng);
    const auto asked = o_.questions == 1 ? std::vector<int64_t>{0} : rng.distinct(o_.questions, o_.facts);

    Probe p;
    if (begin_) p.tokens.push_back(*begin_);
    const int64_t start = p.length();
    std::vector<Line> questions;
    for (const int64_t i : asked) {
      const bool last = int64_t(questions.size()) + 1 == o_.questions;
      questions.push_back(line(question_, facts[size_t(i)], last ? after_word_ : after_line_));
    }
    int64_t body = request.length - start - size_of(newline_);
    for (const auto& question : questions) body -= size_of(question.tokens);
    write_haystack(facts, body, rng, p);
    append(p.tokens, newline_);
    for (size_t k = 0; k < questions.size(); ++k) ask(questions[k], facts[size_t(asked[k])], start, body, p);

    p.candidates = words_in_order(facts, rng);
    p.query_offset = p.targets.front().slot - 1;
    p.group = text("haystack-", request.length, "-", request.index);
    if (o_.questions > 1) return p;
    p.answer_budget = p.length() - p.targets.front().slot;
    p.depth = p.targets.front().depth;
    const auto first_of = [](const Fact& a, const Fact& b) { return a.offset < b.offset; };
    p.guesses = {{"first word", word(*std::min_element(facts.begin(), facts.end(), first_of))},
                 {"last word", word(*std::max_element(facts.begin(), facts.end(), first_of))}};
    return p;
  }

 private:
  struct Line {  // a fact or a question with its answer
    Tokens tokens;
    int64_t word = 0;  // offset in the line
  };
  struct Fact {
    int64_t name = 0, word = 0;  // into names_, words_
    double depth = 0;
    Line line = {};
    int64_t offset = 0;  // of its first token
  };

  Token word(const Fact& fact) const { return words_[size_t(fact.word)]; }

  void encode_names(const TextCodec& text) {
    for (const auto& name : language_.names)  // all words that a tokenizer does not know are one name
      if (auto tokens = text.encode(" " + std::string(name));
          std::find(names_.begin(), names_.end(), tokens) == names_.end())
        names_.push_back(std::move(tokens));
    if (int64_t(names_.size()) < o_.facts)
      throw OptionError("facts", found(o_.facts).allowed("up to ", names_.size(),
                                                         ", the built-in names that this tokenizer tells apart"));
  }

  void encode_words(const TextCodec& text) {
    for (const auto& entry : language_.words)
      if (const auto token = single_token(text, " " + std::string(entry));
          token && std::find(words_.begin(), words_.end(), *token) == words_.end())
        words_.push_back(*token);
    if (int64_t(words_.size()) < o_.choices)
      throw OptionError("choices", found(o_.choices)
                                       .allowed("up to ", words_.size(),
                                                ", the built-in words that are one token of this tokenizer"));
  }

  /// Tokens of a line without its name.
  int64_t around(const Tokens& begin, const Tokens& end) const {
    return size_of(begin) + size_of(after_name_) + 1 + size_of(end);
  }

  /// Tokens of the `count` longest names.
  int64_t longest_names(int64_t count) const {
    std::vector<int64_t> sizes;
    for (const auto& name : names_) sizes.push_back(size_of(name));
    std::sort(sizes.rbegin(), sizes.rend());
    return std::accumulate(sizes.begin(), sizes.begin() + count, int64_t{0});
  }

  Line line(const Tokens& begin, const Fact& fact, const Tokens& end) const {
    Line out{begin, 0};
    append(out.tokens, names_[size_t(fact.name)]);
    append(out.tokens, after_name_);
    out.word = size_of(out.tokens);
    out.tokens.push_back(word(fact));
    append(out.tokens, end);
    return out;
  }

  /// Facts in order of depth, one in each equal part of the haystack. Where one question is asked, its fact comes
  /// first, at its own depth, and the parts are those of the other facts.
  std::vector<Fact> draw_facts(int64_t index, Rng& rng) const {
    const auto names = rng.distinct(o_.facts, int64_t(names_.size()));
    const auto words = rng.distinct(o_.facts, int64_t(words_.size()));
    const int64_t spread_from = o_.questions == 1 ? 1 : 0;
    std::vector<Fact> facts;
    for (int64_t i = 0; i < o_.facts; ++i) {
      const double depth = i < spread_from ? o_.depths[size_t(index) % o_.depths.size()]
                                           : (double(i - spread_from) + rng.uniform()) / double(o_.facts - spread_from);
      facts.push_back({names[size_t(i)], words[size_t(i)], depth});
      facts.back().line = line(fact_, facts.back(), after_word_);
    }
    return facts;
  }

  /// `body` tokens of sentences and facts, each fact after the sentence that ends nearest to its depth.
  void write_haystack(std::vector<Fact>& facts, int64_t body, Rng& rng, Probe& p) const {
    std::vector<size_t> order(facts.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return facts[a].depth < facts[b].depth; });
    for (const auto& fact : facts) body -= size_of(fact.line.tokens);
    const RunningText text = haystack_.draw(body, rng);
    int64_t done = 0;
    for (const size_t i : order) {
      const double wanted = facts[i].depth * double(body);
      const int64_t seam = *std::min_element(text.seams.begin(), text.seams.end(), [&](int64_t a, int64_t b) {
        return std::abs(double(a) - wanted) < std::abs(double(b) - wanted);
      });
      p.tokens.insert(p.tokens.end(), text.tokens.begin() + done, text.tokens.begin() + seam);
      done = seam;
      facts[i].offset = p.length();
      append(p.tokens, facts[i].line.tokens);
    }
    p.tokens.insert(p.tokens.end(), text.tokens.begin() + done, text.tokens.end());
  }

  void ask(const Line& question, const Fact& fact, int64_t start, int64_t body, Probe& p) const {
    const int64_t needle = fact.offset + fact.line.word, slot = p.length() + question.word;
    const int64_t places = body - size_of(fact.line.tokens);  // 0 where the fact begins the haystack
    append(p.tokens, question.tokens);
    p.needle_offsets.push_back(needle);
    p.targets.push_back({slot, word(fact), slot - 1 - needle,
                         places > 0 ? std::min(1.0, double(fact.offset - start) / double(places)) : 0.0});
  }

  /// The words of the facts and others, `choices` in all, in the order of the list, which does not reveal the answer.
  Tokens words_in_order(const std::vector<Fact>& facts, Rng& rng) const {
    std::set<int64_t> chosen;
    for (const auto& fact : facts) chosen.insert(fact.word);
    while (int64_t(chosen.size()) < o_.choices) chosen.insert(rng.below(int64_t(words_.size())));
    Tokens out;
    for (const int64_t i : chosen) out.push_back(words_[size_t(i)]);
    return out;
  }

  const FactOptions& o_;
  const Language& language_;
  std::optional<Token> begin_;
  Haystack haystack_;
  Tokens fact_, newline_, question_, after_name_, after_word_, after_line_;
  std::vector<Tokens> names_;
  Tokens words_;
  int64_t min_length_ = 0;
};

class FactRecall final : public Suite {
 public:
  explicit FactRecall(FactOptions options)
      : Suite({.min_length = 1 + kUsualTokens * (options.facts + options.questions),
               .chance = 1.0 / double(options.choices),
               .needs_text = true,
               .content_key = options.file.hash}),
        o_(std::move(options)) {}

  void check_length(int64_t length) const override { check_fit(o_, min_length(), length); }

  std::unique_ptr<BoundSuite> bind(const Vocabulary& vocabulary, const ProbeRange& range) const override {
    LW_CHECK(vocabulary.text != nullptr, "needs a model with a tokenizer");
    return std::make_unique<BoundFactRecall>(*this, o_, vocabulary, range.longest);
  }

 private:
  static constexpr int64_t kUsualTokens = 11;  // of a fact or a question, before the tokenizer is known

  FactOptions o_;
};

FactOptions read_options(ConfigNode& o) {
  FactOptions f;
  const auto most = int64_t(english().names.size());
  const NamedValues<bool> languages = {{false, "english"}, {true, "korean"}};
  f.korean = o.choice("language", languages, false, "of facts, questions and built-in sentences");
  f.facts = o.integer("facts", 8, {1, most}, "facts in a haystack");
  f.questions =
      o.optional_integer("questions", {1, most}, "facts that are asked for; all when absent").value_or(f.facts);
  f.choices =
      o.integer("choices", 16, {2, 128}, "words to choose from, the facts' among them; chance is one over this");
  const bool one = f.questions == 1;
  const std::vector<double> spread = one ? std::vector<double>{0.0, 0.5, 1.0} : std::vector<double>{};
  f.depths = o.numbers("depths", spread, {0, 1},
                       "where the asked fact stands if one is asked: 0 start, 1 end of the haystack");
  f.path =
      o.str("haystack", "", "file of UTF-8 text, relative to where the program runs; built-in sentences when absent");
  if (!f.path.empty()) f.file = read_text_file(o, "haystack", f.path);
  o.require(f.questions <= f.facts, "questions", found(f.questions).allowed("at most facts (", f.facts, ")"));
  o.require(f.facts <= f.choices, "choices", found(f.choices).allowed("at least facts (", f.facts, ")"));
  o.require(one || f.depths.empty(), "depths",
            found_what("a list with ", f.questions, " questions")
                .allowed("with questions: 1, for several the facts are spread evenly"));
  o.require(!one || !f.depths.empty(), "depths", found_what("an empty list").allowed("at least one depth"));
  return f;
}

}  // namespace

extern const SuiteInfo fact_recall_suite{
    "fact_recall",
    "recall facts from running text, each at its own distance; for checkpoints",
    "cf. Kamradt 2023 (needle in a haystack); Mohtashami and Jaggi 2023, arXiv:2305.16300; Hsieh et al. "
    "2024, arXiv:2404.06654",
    {"retrieval"},
    [](ConfigNode& o) -> std::unique_ptr<Suite> { return std::make_unique<FactRecall>(read_options(o)); }};
}  // namespace lw
