// Which tokens of a checkpoint's tokenizer suites get.
#include <set>

#include "tests/suites/support.h"

namespace lw::suites_test {
namespace {

std::unique_ptr<Suite> suite_of(const std::string& name, const std::string& options) {
  ConfigNode node = ConfigNode::parse(options);
  return find_named(suites(), name)->make(node);
}

/// " waa", " wab", ...: `count` words that are one token.
std::vector<std::string> words(int64_t count) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(std::string(" w") + char('a' + i / 26) + char('a' + i % 26));
  return out;
}

}  // namespace

TEST_CASE("symbols are English words of the tokenizer, then its first whole words", "[suites]") {
  // A bare "the" is encoded as " the" behind a space; "ing" is the end of a word; the rest are no words of letters.
  const FakeCodec codec({"the", "ing", " be", " The", " sea1", " the", " sea", " süd", "?", " ship"});
  const auto order = suite_of("order_swap", "{filler: 1}");
  const std::string error =
      test::error_of([&] { VocabularyPlan({order.get()}, codec); });  // two markers, two answers, one filler
  CHECK(error ==
        "suites: found a tokenizer with 3 words that are one token; allowed: 5 or more, one for each symbol of the "
        "suites");
  CHECK(test::error_kind_of([&] { VocabularyPlan({order.get()}, codec); }) == ErrorKind::kConfig);

  const FakeCodec enough({"the", "ing", " the", " sea", "?", " ship", " süd", " wind", " rain", " hill"});
  const VocabularyPlan plan({order.get()}, enough);
  std::vector<std::string> names;
  for (const Token t : plan.of(0).symbols) names.push_back(plan.token_name(0, t));
  // "hill" is of the English list, which comes first.
  CHECK(names == std::vector<std::string>{" hill", " the", " sea", " ship", " wind"});
  CHECK(plan.of(0).ask == enough.id("?"));
  CHECK(plan.of(0).begin == FakeCodec::kBegin);
  CHECK(plan.of(0).text == &enough);
  CHECK(plan.mask() == FakeCodec::kMask);
  CHECK(plan.size() == enough.size());
  CHECK(plan.token_name(0, FakeCodec::kHole) == "#2");
  CHECK(plan.token_name(0, enough.size()) == "#" + std::to_string(enough.size()));  // a model may have more rows
}

TEST_CASE("what asks is a question mark, a colon, or one more word", "[suites]") {
  const auto order = suite_of("order_swap", "{filler: 1}");
  const auto ask_of = [&](std::vector<std::string> more) {
    auto pieces = words(6);
    pieces.insert(pieces.end(), more.begin(), more.end());
    const FakeCodec codec(pieces, false, false);
    const VocabularyPlan plan({order.get()}, codec);
    CHECK_FALSE(plan.of(0).begin);
    CHECK_FALSE(plan.mask());
    const auto& symbols = plan.of(0).symbols;
    CHECK(std::count(symbols.begin(), symbols.end(), plan.of(0).ask) == 0);
    return plan.token_name(0, plan.of(0).ask);
  };
  // The bytes are tokens too, so that "?" always is one here.
  CHECK(ask_of({}) == "?");
  CHECK(ask_of({" ?"}) == "?");

  class NoMark final : public TextCodec {  // knows words and nothing else
   public:
    explicit NoMark(std::vector<std::string> known) : words_(std::move(known)) {}
    std::vector<Token> encode(std::string_view piece) const override {
      for (size_t i = 0; i < words_.size(); ++i)
        if (words_[i] == piece) return {Token(i) + 1};
      return {0};  // unknown: one token, and not what was asked for
    }
    std::string decode(const std::vector<Token>& t) const override {
      return t[0] == 0 ? "[UNK]" : words_[size_t(t[0] - 1)];
    }
    Token size() const override { return Token(words_.size()) + 1; }
    std::optional<Token> begin() const override { return std::nullopt; }
    std::optional<Token> mask() const override { return std::nullopt; }

   private:
    std::vector<std::string> words_;
  };
  const auto asked = [&](const std::string& mark) {
    auto known = words(6);
    known.push_back(mark);
    const NoMark codec(known);
    const VocabularyPlan plan({order.get()}, codec);
    return plan.token_name(0, plan.of(0).ask);
  };
  CHECK(asked(" ?") == " ?");
  CHECK(asked(":") == ":");
  CHECK(asked("!") == " waa");
}

TEST_CASE("symbols of a checkpoint do not depend on the suites beside, and few tokens are looked at", "[suites]") {
  const FakeCodec codec(words(600));
  const auto order = suite_of("order_swap", "{}"), needle = suite_of("needle", "{}"), length = suite_of("length", "{}");
  const std::vector<const Suite*> list = {order.get(), needle.get(), length.get()};
  const VocabularyPlan plan(list, codec);
  size_t most = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const auto& symbols = plan.of(i).symbols;
    CHECK(symbols.size() == size_t(list[i]->symbols()));
    CHECK(std::set<Token>(symbols.begin(), symbols.end()).size() == symbols.size());
    CHECK(std::count(symbols.begin(), symbols.end(), plan.of(i).ask) == 0);
    CHECK(symbols == VocabularyPlan({list[i]}, FakeCodec(words(600))).of(0).symbols);
    most = std::max(most, symbols.size());
  }
  CHECK(codec.decoded < int64_t(2 * (most + 3) + FakeCodec::kPieces));  // not the hundreds of words behind them
}

TEST_CASE("a probe of symbols is the same in words of a checkpoint", "[suites]") {
  const FakeCodec codec(words(200));
  const Built trained("needle", "{}", true);
  const VocabularyPlan plan({&trained.suite()}, codec);
  const Probe a = trained.make(60, 3), b = trained.suite().bind(plan.of(0), {})->make({60, 3, false, Rng(1)});
  const auto place_of = [](const Vocabulary& v, Token t) {
    return std::find(v.symbols.begin(), v.symbols.end(), t) - v.symbols.begin();
  };
  REQUIRE(a.length() == b.length());
  for (size_t t = 0; t < a.tokens.size(); ++t)
    CHECK(place_of(trained.vocabulary(), a.tokens[t]) == place_of(plan.of(0), b.tokens[t]));
}

}  // namespace lw::suites_test
