// The running text that facts are hidden in: made-up sentences, and those of a file.
#include "suites/text/haystack.h"

#include <set>
#include <sstream>

#include "tests/suites/support.h"

namespace lw::suites_test {

TEST_CASE("sentences hold no answer, no name and no number, and none comes twice in a row", "[suites]") {
  for (const Language* l : {&english(), &korean()}) {
    CHECK(l->names.size() >= 64);
    CHECK(l->words.size() >= 128);
    CHECK(std::set<std::string_view>(l->names.begin(), l->names.end()).size() == l->names.size());
    CHECK(std::set<std::string_view>(l->words.begin(), l->words.end()).size() == l->words.size());
    std::set<std::string> bad = {"secret", "word", "비밀", "단어는"};
    bad.insert(l->names.begin(), l->names.end());
    bad.insert(l->words.begin(), l->words.end());
    for (const auto& kind : l->parts)
      for (const auto& piece : kind) {
        CHECK(piece.find_first_of("0123456789") == std::string::npos);
        std::istringstream words(piece);
        for (std::string word; words >> word;) {
          while (word.back() == ',') word.pop_back();
          INFO(piece << ": " << word);
          CHECK(bad.count(word) == 0);
          if (l == &korean())  // particles stand without a space
            for (const auto& answer : l->words)
              if (answer.size() > 3) CHECK(word.find(answer) == std::string::npos);
        }
      }
    const FakeCodec codec = text_codec(false);
    const Haystack haystack(*l, codec);
    Rng rng(3);
    const RunningText text = haystack.draw(200000, rng);
    CHECK(text.tokens.size() == 200000);
    std::vector<Token> last;
    for (size_t s = 1; s < text.seams.size(); ++s) {
      std::vector<Token> sentence(text.tokens.begin() + text.seams[s - 1], text.tokens.begin() + text.seams[s]);
      if (sentence == last) FAIL_CHECK("the same sentence twice: " << codec.decode(sentence));
      last = std::move(sentence);
    }
    CHECK(text.seams.back() == 200000);
  }
}

TEST_CASE("running text has its length, and its seams are ends of sentences", "[suites]") {
  const FakeCodec codec = text_codec(false);
  const std::string file = " The ship sails. \"Far at night.\" \n\nThe sea sings! The wind";
  for (const Haystack& haystack : {Haystack(english(), codec), Haystack(file, codec)}) {
    for (int64_t length = 0; length < 200; ++length) {
      Rng rng{uint64_t(length)};
      const RunningText text = haystack.draw(length, rng);
      REQUIRE(int64_t(text.tokens.size()) == length);
      REQUIRE_FALSE(text.seams.empty());
      CHECK(text.seams.back() == length);
      CHECK(std::is_sorted(text.seams.begin(), text.seams.end()));
      const std::string words = codec.decode(text.tokens);
      for (size_t s = 0; s + 1 < text.seams.size(); ++s) {
        const auto behind = std::vector<Token>(text.tokens.begin() + text.seams[s], text.tokens.end());
        const std::string rest = codec.decode(behind);
        REQUIRE_FALSE(rest.empty());
        CHECK((rest.front() == ' ' || rest.front() == '\n'));  // a sentence begins here
      }
    }
  }
}

TEST_CASE("a text falls into sentences that are the text again", "[suites]") {
  using Parts = std::vector<std::string_view>;
  CHECK(split_sentences("One. Two! \"Three?\" four\nfive \n\n six") ==
        Parts{"One.", " Two!", " \"Three?\"", " four", "\nfive", " \n\n six"});
  CHECK(split_sentences("3.5 is e.g. one") == Parts{"3.5 is e.g.", " one"});
  CHECK(split_sentences("").empty());
  CHECK(split_sentences(" \n ") == Parts{" \n "});
  CHECK(split_sentences("가나. 다라。 마") == Parts{"가나.", " 다라。", " 마"});
  for (const std::string& unit : {std::string("word "), std::string("가"), std::string("a")}) {
    std::string text, again;
    while (text.size() < 5000) text += unit;
    const auto parts = split_sentences(text);
    CHECK(parts.size() > 4);
    for (const auto part : parts) {
      CHECK(part.size() < 810);
      CHECK((part.front() & 0xC0) != 0x80);  // no character is cut
      again += part;
    }
    CHECK(again == text);
  }
}

}  // namespace lw::suites_test
