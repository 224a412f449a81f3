// BPE, Unigram and WordPiece on vocabularies small enough to check by hand or by brute force.
#include "harness/tokenizer/bpe.h"
#include "harness/tokenizer/unigram.h"
#include "harness/tokenizer/wordpiece.h"
#include "tests/catch.h"
#include "tests/support.h"
#include "tests/tokenizer/support.h"

namespace lw::models_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

std::vector<PieceToken> encode(const TokenModel& model, const std::string& text) {
  std::vector<PieceToken> tokens;
  model.encode(text, true, tokens);
  return tokens;
}

Texts tokens_of(const TokenModel& model, const std::string& text) {
  Texts texts;
  for (const PieceToken& token : encode(model, text)) texts.push_back(*model.table().text(token.id));
  return texts;
}

std::unique_ptr<TokenModel> bpe(const Texts& tokens, const Merges& merges, const BpeOptions& options = {}) {
  return make_bpe(test::table_of(tokens), merges, options, "t.json: model");
}

/// Joins the pair of lowest rank, leftmost first, until there is none: the definition, quadratic.
Texts by_definition(const std::string& text, const Merges& merges) {
  Texts symbols;
  for (const char c : text) symbols.emplace_back(1, c);
  for (;;) {
    size_t best = merges.size();
    size_t where = 0;
    for (size_t i = 0; i + 1 < symbols.size(); ++i)
      for (size_t rank = 0; rank < best; ++rank)
        if (merges[rank] == std::pair{symbols[i], symbols[i + 1]}) {
          best = rank;
          where = i;
        }
    if (best == merges.size()) return symbols;
    symbols[where] += symbols[where + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

}  // namespace

TEST_CASE("BPE joins the lowest rank first, leftmost of equals", "[tokenizer]") {
  const auto model = bpe({"a", "b", "c", "ab", "bc", "abc", "aa"}, {{"b", "c"}, {"a", "b"}, {"a", "bc"}, {"a", "a"}});
  CHECK(tokens_of(*model, "abc") == Texts{"abc"});
  CHECK(tokens_of(*model, "abab") == Texts{"ab", "ab"});
  CHECK(tokens_of(*model, "aaa") == Texts{"aa", "a"});
  CHECK(tokens_of(*model, "aaaa") == Texts{"aa", "aa"});
  const auto spans = encode(*model, "cab");
  REQUIRE(spans.size() == 2);
  CHECK((spans[1].begin == 1 && spans[1].end == 3));
}

TEST_CASE("BPE equals its definition on random vocabularies", "[tokenizer]") {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    Texts tokens = {"a", "b", "c", "d"};
    Merges merges;
    while (merges.size() < 25) {
      const std::string left = tokens[random() % tokens.size()];
      const std::string right = tokens[random() % tokens.size()];
      const std::string both = left + right;
      const std::pair merge{left, right};
      if (both.size() > 8 || std::find(merges.begin(), merges.end(), merge) != merges.end()) continue;
      if (std::find(tokens.begin(), tokens.end(), both) == tokens.end()) tokens.push_back(both);
      merges.push_back(merge);
    }
    const auto model = bpe(tokens, merges);
    for (int i = 0; i < 20; ++i) {
      std::string text;
      for (size_t left = 1 + random() % 40; left > 0; --left) text += static_cast<char>('a' + random() % 4);
      REQUIRE(tokens_of(*model, text) == by_definition(text, merges));
    }
  }
}

TEST_CASE("what BPE does with unknown symbols", "[tokenizer]") {
  const Texts tokens = {"<unk>", "a", "<0xC3>", "<0xA9>"};
  BpeOptions options;
  CHECK_THAT(test::error_of([&] { tokens_of(*bpe(tokens, {}, options), "a\u00e9"); }),
             ContainsSubstring("t.json: model: no token stands for '\u00e9'"));
  options.unknown = 0;
  CHECK(tokens_of(*bpe(tokens, {}, options), "xya") == Texts{"<unk>", "<unk>", "a"});
  options.fuse_unknown = true;
  CHECK(tokens_of(*bpe(tokens, {}, options), "xyaz") == Texts{"<unk>", "a", "<unk>"});
  options.byte_fallback = true;
  CHECK(tokens_of(*bpe(tokens, {}, options), "\u00e9\u00e8") == Texts{"<0xC3>", "<0xA9>", "<unk>"});
}

TEST_CASE("a piece that is a token is taken whole where merges are ignored", "[tokenizer]") {
  const Texts tokens = {"a", "b", "c", "ab", "abc"};
  BpeOptions options;
  CHECK(tokens_of(*bpe(tokens, {{"a", "b"}}, options), "abc") == Texts{"ab", "c"});
  options.ignore_merges = true;
  CHECK(tokens_of(*bpe(tokens, {{"a", "b"}}, options), "abc") == Texts{"abc"});
  CHECK(tokens_of(*bpe(tokens, {{"a", "b"}}, options), "abcc") == Texts{"ab", "c", "c"});
}

TEST_CASE("merges have to be of tokens", "[tokenizer]") {
  CHECK_THAT(test::error_of([] {
               bpe({"a", "b"}, {{"a", "b"}});
             }),
             ContainsSubstring("t.json: model: merges[0]: found 'a' and 'b', but 'ab' is no token"));
  CHECK_THAT(test::error_of([] { bpe({"a", "ax"}, {{"a", "x"}}); }), ContainsSubstring("'x' is no token"));
}

TEST_CASE("a single word of a megabyte takes less than seconds", "[tokenizer]") {
  Texts tokens;
  Merges merges;
  for (char c = 'a'; c <= 'z'; ++c) tokens.emplace_back(1, c);
  for (char c = 'a'; c <= 'z'; ++c)
    for (char d = 'a'; d <= 'z'; ++d) {
      tokens.push_back({c, d});
      merges.push_back({std::string(1, c), std::string(1, d)});
    }
  for (size_t length = 2; length < 512; length *= 2) {
    tokens.emplace_back(2 * length, 'a');
    merges.emplace_back(std::string(length, 'a'), std::string(length, 'a'));
  }
  const auto model = bpe(tokens, merges);
  const auto scored = make_scored_bpe(test::table_of(tokens), std::vector<float>(tokens.size(), 0.0F), {}, "t");
  std::string word(1'000'000, 'a');
  CHECK(encode(*model, word).size() == 1'000'000 / 512 + 1);  // the rest is 64
  CHECK(encode(*scored, word).size() > 1000);
  std::mt19937 random(5);
  for (char& c : word) c = static_cast<char>('a' + random() % 26);
  CHECK(encode(*model, word).size() > 400'000);
}

// sentencepiece 1263, 1308: the stack overflowed on a long piece; a NUL ended one.
TEST_CASE("pieces may be long and hold a zero byte", "[tokenizer]") {
  // Begins as nothing else does: walking the piece again from each of its letters would take minutes.
  const std::string longest = "y" + std::string(100'000, 'x'), zero("a\0b", 3);
  const Texts tokens = {"<unk>", "a", "b", "x", longest, zero};
  UnigramOptions options;
  options.unknown = 0;
  const auto unigram = make_unigram(test::table_of(tokens), {0, -1, -1, -1, -1, -1}, options, "t");
  CHECK(tokens_of(*unigram, longest + zero + "x") == Texts{longest, zero, "x"});
  const auto wordpiece = make_wordpiece(test::table_of({"[UNK]", longest, zero}), {});
  CHECK(tokens_of(*wordpiece, zero) == Texts{zero});
}

TEST_CASE("SentencePiece's BPE joins the best score, leftmost of equals", "[tokenizer]") {
  const Texts tokens = {"<unk>", "a", "b", "c", "ab", "bc", "cb", "<0xC3>", "<0xA9>"};
  BpeOptions options;
  options.unknown = 0;
  options.fuse_unknown = true;
  const auto model = [&](const std::vector<float>& scores) {
    return make_scored_bpe(test::table_of(tokens), scores, options, "t");
  };
  CHECK(tokens_of(*model({0, 0, 0, 0, -1, -2, -3, 0, 0}), "abc") == Texts{"ab", "c"});
  CHECK(tokens_of(*model({0, 0, 0, 0, -2, -1, -3, 0, 0}), "abc") == Texts{"a", "bc"});
  CHECK(tokens_of(*model({0, 0, 0, 0, -1, -1, -1, 0, 0}), "abcb") == Texts{"ab", "cb"});
  CHECK(tokens_of(*model({0, 0, 0, 0, -1, -1, -1, 0, 0}), "xyaz") == Texts{"<unk>", "a", "<unk>"});
  options.byte_fallback = true;
  CHECK(tokens_of(*model({0, 0, 0, 0, -1, -1, -1, 0, 0}), "a\u00e9") == Texts{"a", "<0xC3>", "<0xA9>"});
  // A letter that is no piece by itself still joins to one that is.
  const auto letters = make_scored_bpe(test::table_of({"<unk>", "a", "ax"}), {0, -1, -2}, options, "t");
  CHECK(tokens_of(*letters, "axx") == Texts{"ax", "<unk>"});
}

TEST_CASE("Unigram takes the way of the highest sum", "[tokenizer]") {
  const Texts tokens = {"<unk>", "a", "b", "c", "d", "cd", "ab", "abc", "abcd"};
  UnigramOptions options;
  options.unknown = 0;
  const auto model = make_unigram(test::table_of(tokens), {0, 0, 0, 0, 0, 1, 2, 5, 10}, options, "t.json: model");
  CHECK(tokens_of(*model, "abcd") == Texts{"abcd"});
  CHECK(tokens_of(*model, "abcdacdxx") == Texts{"abcd", "a", "cd", "<unk>"});
  const auto spans = encode(*model, "abcdacdxx");
  CHECK((spans.back().begin == 7 && spans.back().end == 9));
  CHECK(encode(*model, std::string(1'000'000, 'a')).size() == 1'000'000);

  const auto strict = make_unigram(test::table_of({"a"}), {0}, {}, "t.json: model");
  CHECK_THAT(test::error_of([&] { encode(*strict, "ax"); }), ContainsSubstring("no token stands for 'x'"));
  options.byte_fallback = true;
  const auto bytes =
      make_unigram(test::table_of({"<unk>", "<0xC3>", "<0xA9>", "a"}), {0, 0, 0, 0}, options, "t.json: model");
  CHECK(tokens_of(*bytes, "a\u00e9") == Texts{"a", "<0xC3>", "<0xA9>"});
}

TEST_CASE("WordPiece takes the longest start, or nothing of the word", "[tokenizer]") {
  WordPieceOptions options;
  options.longest_word = 10;
  const auto model =
      make_wordpiece(test::table_of({"[UNK]", "un", "##aff", "##able", "aff", "##a", "\u00e9", "##\u00e9"}), options);
  CHECK(tokens_of(*model, "unaffable") == Texts{"un", "##aff", "##able"});
  CHECK(tokens_of(*model, "affable") == Texts{"aff", "##able"});
  CHECK(tokens_of(*model, "unaffx") == Texts{"[UNK]"});
  CHECK(tokens_of(*model, "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9").size() == 10);
  CHECK(tokens_of(*model, "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9") == Texts{"[UNK]"});
}

}  // namespace lw::models_test
