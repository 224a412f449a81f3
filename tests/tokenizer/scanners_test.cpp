// The scanners against what the patterns say, and against PCRE2.
#include "harness/tokenizer/scanners.h"

#include "harness/tokenizer/regex.h"
#include "tests/catch.h"
#include "tests/support.h"
#include "tests/tokenizer/support.h"

namespace lw::scanners_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

Texts known(const std::string& name, const std::string& text) { return test::cut(known_pattern(name).matcher, text); }

std::string refusal(const std::string& pattern) {
  return test::error_of([&] { match_regex(pattern, "t.json: p"); });
}

}  // namespace

TEST_CASE("GPT-2's cuts", "[tokenizer]") {
  CHECK(known("gpt2", "Hello world's 12 cats!!") == Texts{"Hello", " world", "'s", " 12", " cats", "!!"});
  CHECK(known("gpt2", "I'LL we'll") == Texts{"I", "'", "LL", " we", "'ll"});
  CHECK(known("gpt2", "a   b\n\n c ") == Texts{"a", "  ", " b", "\n\n", " c", " "});
  CHECK(known("gpt2", "a\u0085b\u00a0\u00a0c") == Texts{"a", "\u0085", "b", "\u00a0", "\u00a0", "c"});
  CHECK(known("gpt2", "x\u200B\u00B2") == Texts{"x", "\u200B", "\u00B2"});
  CHECK(known("gpt2", "").empty());
}

TEST_CASE("the cuts of Llama-3, Qwen2 and Qwen3.5", "[tokenizer]") {
  CHECK(known("llama3", "We'LL pay 12345$\r\n\n ok") == Texts{"We", "'LL", " pay", " ", "123", "45", "$\r\n\n", " ok"});
  CHECK(known("qwen2", "a12 (foo\tbar") == Texts{"a", "1", "2", " (", "foo", "\tbar"});
  CHECK(known("qwen2", "x  \n \n  y") == Texts{"x", "  \n \n", " ", " y"});
  CHECK(known("qwen2", "it'\u017F'foo") == Texts{"it", "'\u017F", "'foo"});
  CHECK(known("qwen2", "ka\u0301r") == Texts{"ka", "\u0301r"});
  CHECK(known("qwen35", "ka\u0301r") == Texts{"ka\u0301r"});
}

TEST_CASE("BLOOM's cuts leave signs between", "[tokenizer]") {
  CHECK(known("bloom", "Hi there, (you)|  x\u3002y") ==
        Texts{"Hi", " there", ", (", "you", ")| ", " x", "\u3002", "y"});
}

TEST_CASE("scanners cut as PCRE2 does", "[tokenizer]") {
  std::mt19937 random(7);
  for (const KnownPattern& pattern : known_patterns()) {
    // BLOOM's pattern has a class inside a class: here the set that is meant.
    const std::string written =
        pattern.name == "bloom" ? " ?[^\\s(|).,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C]+" : pattern.pattern;
    const Matcher regex = match_regex(written, "p");
    int unlike = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::string text = test::awkward_text(random, 24);
      if (pattern.matcher(text) == regex(text)) continue;
      INFO(pattern.name << ": " << text);
      if (++unlike < 3) CHECK(test::cut(pattern.matcher, text) == test::cut(regex, text));
    }
    CHECK(unlike == 0);
  }
}

TEST_CASE("patterns that mean something else to PCRE2 are refused by name", "[tokenizer]") {
  CHECK_THAT(refusal("[a-z&&[^b]]+"), ContainsSubstring("&&"));
  CHECK_THAT(refusal("[^(\\s|[.,])]+"), ContainsSubstring("a class inside a class"));
  CHECK_THAT(refusal("\\w+"), ContainsSubstring("found \\w"));
  CHECK_THAT(refusal("\\h"), ContainsSubstring("found \\h"));
  CHECK_THAT(refusal("^a"), ContainsSubstring("an anchor"));
  CHECK_THAT(refusal("(?<name>a)"), ContainsSubstring("a kind of group"));
  CHECK_THAT(refusal("a{,3}"), ContainsSubstring("found {,"));
  CHECK_THAT(refusal("\\pL"), ContainsSubstring("without braces"));
  CHECK_THAT(refusal("a*"), ContainsSubstring("can match the empty text"));
  CHECK_THAT(refusal("(a"), ContainsSubstring("is not understood"));
  CHECK_THAT(refusal("\\p{NoSuchProperty}"), ContainsSubstring("is not understood"));
  CHECK(refusal("(?i:'s)|\\p{Lu}+(?!\\S)|[\\s\\d]|\\u00e9").empty());
}

TEST_CASE("a run of a million characters is cut in linear time", "[tokenizer]") {
  const std::string letters(1'000'000, 'A');
  const std::string blanks(1'000'000, ' ');
  for (const KnownPattern& pattern : known_patterns()) {
    CHECK(pattern.matcher(letters).size() == 1);
    CHECK(pattern.matcher(blanks).size() <= 2);
  }
  CHECK(match_regex("\\p{L}+", "p")(letters).size() == 1);
}

TEST_CASE("what a split does with the matches", "[tokenizer]") {
  const auto pieces = [](SplitBehavior behavior, bool inverted = false) {
    return test::texts_of(split(AlignedText("The-final--countdown", 0), match_text("-"), behavior, inverted));
  };
  CHECK(pieces(SplitBehavior::kRemoved) == Texts{"The", "final", "countdown"});
  CHECK(pieces(SplitBehavior::kIsolated) == Texts{"The", "-", "final", "-", "-", "countdown"});
  CHECK(pieces(SplitBehavior::kMergedWithPrevious) == Texts{"The-", "final-", "-", "countdown"});
  CHECK(pieces(SplitBehavior::kMergedWithNext) == Texts{"The", "-final", "-", "-countdown"});
  CHECK(pieces(SplitBehavior::kContiguous) == Texts{"The", "-", "final", "--", "countdown"});
  CHECK(pieces(SplitBehavior::kRemoved, true) == Texts{"-", "-", "-"});
  CHECK(split(AlignedText("", 0), match_text("-"), SplitBehavior::kIsolated).empty());
}

}  // namespace lw::scanners_test
