// Tokenizers from GGUF vocabularies: what comes out, and what is refused.
#include "harness/tokenizer/from_gguf.h"

#include <functional>
#include <limits>
#include <map>

#include "harness/tokenizer/byte_alphabet.h"
#include "harness/tokenizer/cuts.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::from_gguf_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Ids = std::vector<int64_t>;

GgufVocabulary sentencepiece() {
  GgufVocabulary v;
  v.model = "llama";
  v.tokens = {"<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>", "\u2581", "h", "i", "hi", "\u2581hi", "<user>", "[PAD]"};
  v.scores = {0, 0, 0, 0, 0, -5, -6, -7, -1, -2, 0, 0};
  v.types = {2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 4, 5};
  v.bos = 1;
  v.eos = 2;
  v.unknown = 0;
  return v;
}

GgufVocabulary byte_level() {
  GgufVocabulary v;
  v.model = "gpt2";
  v.pre = "gpt-2";
  v.tokens = {"<|end|>", "h", "i", "\u0120", "hi", "\u0120hi", "1", "12"};
  v.types = {3, 1, 1, 1, 1, 1, 1, 1};
  v.merges = {"h i", "\u0120 hi", "1 2"};
  v.tokens.emplace_back("2");
  v.types.push_back(1);
  v.bos = 0;
  v.eos = 0;
  return v;
}

std::string error_without_json(GgufVocabulary v, const std::function<void(GgufVocabulary&)>& change) {
  change(v);
  return test::error_of([&] { tokenizer_from_gguf(v, "m.gguf"); });
}

}  // namespace

TEST_CASE("a SentencePiece vocabulary of a GGUF", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_from_gguf(sentencepiece(), "m.gguf");
  CHECK(tokenizer.encode("hi \u00e9hi").ids == Ids{9, 5, 3, 4, 8});
  CHECK(tokenizer.encode("hi<user>hi</s>").ids.front() == 9);
  CHECK(tokenizer.encode("hi<user>hi</s>", {true, true}).ids == Ids{1, 9, 10, 9, 2});
  CHECK(tokenizer.decode({9, 10, 9}) == "hi<user> hi");
  CHECK(tokenizer.encode("[PAD]").ids.size() > 1);
  CHECK(tokenizer.prefix() == Ids{1});
  GgufVocabulary bare = sentencepiece();
  bare.add_bos = false;
  bare.add_eos = true;
  bare.add_space_prefix = false;
  const Tokenizer other = tokenizer_from_gguf(bare, "m.gguf");
  CHECK(other.encode("hi hi", {true, false}).ids == Ids{8, 9, 2});
  CHECK(other.decode({8, 9}) == "hi hi");
}

TEST_CASE("byte tokens of a GGUF that are no bytes are refused by name", "[tokenizer]") {
  for (const std::string token : {"<0xZZ>", "<0x4>", "<0x041>", "A", "<0x41"})
    CHECK(error_without_json(sentencepiece(), [&](auto& v) { v.tokens[3] = token; }) ==
          "m.gguf: tokenizer.ggml.tokens[3]: found '" + token +
              "', whose type is 6, a byte; allowed: <0x00> to <0xFF>");
}

TEST_CASE("a padding or separator id without a token is told, and refused only where it is used", "[tokenizer]") {
  GgufVocabulary v = sentencepiece();
  v.padding = 12;
  v.separator = 99;
  const Tokenizer tokenizer = tokenizer_from_gguf(v, "m.gguf");
  CHECK(tokenizer.encode("hi", {true, false}).ids == Ids{1, 9});
  CHECK(tokenizer.notes() ==
        std::vector<std::string>{
            "tokenizer.ggml.padding_token_id is 12, past the 12 tokens of the vocabulary: nothing here uses it",
            "tokenizer.ggml.seperator_token_id is 99, past the 12 tokens of the vocabulary: nothing here uses it"});
  v.padding = v.separator = 0xFFFFFFFF;
  CHECK(tokenizer_from_gguf(v, "m.gguf").notes().empty());
  GgufVocabulary bert;
  bert.model = "bert";
  bert.tokens = {"[UNK]", "[CLS]", "[SEP]", "\u2581hi"};
  bert.types = {2, 3, 3, 1};
  bert.unknown = 0;
  bert.bos = 1;
  bert.separator = 4;
  CHECK(test::error_of([&] { tokenizer_from_gguf(bert, "m.gguf"); }) ==
        "m.gguf: tokenizer.ggml.seperator_token_id: found 4; allowed: 0 to 3");
}

TEST_CASE("a byte-level vocabulary of a GGUF", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_from_gguf(byte_level(), "m.gguf");
  CHECK(tokenizer.encode("hi hi12", {true, false}).ids == Ids{4, 5, 7});
  CHECK(tokenizer.encode("hi<|end|>", {false, true}).ids == Ids{4, 0});
  CHECK(tokenizer.decode({4, 5}) == "hi hi");
  CHECK(tokenizer.bos() == 0);
  GgufVocabulary digits = byte_level();
  digits.pre = "smollm";
  CHECK(tokenizer_from_gguf(digits, "m.gguf").encode("hi12").ids == Ids{4, 6, 8});
  digits.pre = "llama-bpe";
  CHECK(tokenizer_from_gguf(digits, "m.gguf").encode("hi12", {true, false}).ids == Ids{0, 4, 7});
}

TEST_CASE("how a byte-level model cuts text has to be known", "[tokenizer]") {
  GgufVocabulary v = byte_level();
  v.pre.reset();
  CHECK_THAT(test::error_of([&] { tokenizer_from_gguf(v, "m.gguf"); }),
             ContainsSubstring("m.gguf: tokenizer.ggml.pre: found nothing: how this model cuts text is not known"));
  CHECK(tokenizer_from_gguf(v, "m.gguf", "gpt-2").encode("hi").ids == Ids{4});
  v.pre = "default";
  CHECK_THAT(test::error_of([&] { tokenizer_from_gguf(v, "m.gguf"); }), ContainsSubstring("found 'default'"));
  CHECK(tokenizer_from_gguf(v, "m.gguf", "gpt-2").notes() ==
        std::vector<std::string>{"text is cut as 'gpt-2', as asked; tokenizer.ggml.pre is 'default'"});
  v.pre = "qwen3";
  CHECK_THAT(
      test::error_of([&] { tokenizer_from_gguf(v, "m.gguf"); }),
      ContainsSubstring("m.gguf: tokenizer.ggml.pre: found 'qwen3', a pre-tokenizer that is not known") &&
          ContainsSubstring("(give the one that cuts alike with --pre NAME or model.pre); did you mean 'qwen2'?"));
}

TEST_CASE("every name of cuts cuts", "[tokenizer]") {
  GgufVocabulary v = byte_level();
  v.tokens = {"<|end|>"};
  for (uint32_t byte = 0; byte < 256; ++byte) v.tokens.push_back(byte_letter(static_cast<unsigned char>(byte)));
  v.tokens.push_back("ab");
  v.types.assign(v.tokens.size(), 1);
  v.types[0] = 3;
  v.merges = {"a b"};
  for (const auto& name : cut_names()) {
    INFO(name);
    v.pre = name;
    const Tokenizer tokenizer = tokenizer_from_gguf(v, "m.gguf");
    const std::string text = "ab aB Ab12 3\n\n  \u00e9'LL it's (ab)!/\r\n";
    CHECK(tokenizer.decode(tokenizer.encode(text).ids) == text);
    CHECK(tokenizer.encode("abab ab").ids.size() == 4);
  }
  // The names of one pattern, one of each kind in llama.cpp's loader.
  const auto cuts_of = [](const std::string& name) {
    const std::string words = cuts_by_name(name, "pre").description;
    return words.substr(words.find('('));
  };
  for (const auto& [name, like] : std::map<std::string, std::string>{{"falcon3", "llama-bpe"},
                                                                     {"glm4", "dbrx"},
                                                                     {"roberta-bpe", "gpt-2"},
                                                                     {"exaone4", "gpt-2"},
                                                                     {"exaone", "smollm"},
                                                                     {"command-r", "starcoder"},
                                                                     {"megrez", "qwen2"},
                                                                     {"poro-chat", "bloom"},
                                                                     {"llama4", "gpt-4o"}})
    CHECK(cuts_of(name) == cuts_of(like));
  for (const std::string name : {"falcon3", "pixtral", "lfm2"}) {
    CHECK(cuts_by_name(name, "pre").ignore_merges);
    CHECK(cuts_by_name(name, "pre").adds_bos);
  }
  CHECK_FALSE(cuts_by_name("glm4", "pre").ignore_merges);
  // Whether a pair across the cut may join tells where it is cut.
  const auto joins = [&](const std::string& name, const std::string& left, const std::string& right) {
    GgufVocabulary one = v;
    one.pre = name;
    one.tokens.back() = left + right;
    one.merges = {left + " " + right};
    return tokenizer_from_gguf(one, "m.gguf").encode(left + right).ids.size() == 1;
  };
  CHECK(joins("gpt-2", "a", "B"));
  CHECK_FALSE(joins("tekken", "a", "B"));  // lower case ends a word
  CHECK(joins("tekken", "B", "a"));
  CHECK_FALSE(joins("gpt-4o", "a", "B"));
  CHECK(joins("gpt-4o", "1", "2"));
  CHECK_FALSE(joins("tekken", "1", "2"));
  CHECK(joins("dbrx", "1", "2"));
  CHECK(joins("smaug-bpe", "(", "a"));
  CHECK_FALSE(joins("olmo", "(", "a"));
}

TEST_CASE("what a GGUF vocabulary may not be", "[tokenizer]") {
  using V = GgufVocabulary;
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.model = "llam"; }),
             ContainsSubstring("m.gguf: tokenizer.ggml.model: found 'llam'; allowed: bert, gpt2, llama, t5; did you "
                               "mean 'llama'?"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.scores.pop_back(); }),
             ContainsSubstring("tokenizer.ggml.scores: found 11 values; allowed: 12, one a token"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.scores.clear(); }),
             ContainsSubstring("scores: found 0 values"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.scores[5] = std::numeric_limits<float>::quiet_NaN(); }),
             ContainsSubstring("scores: found values that are not finite"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.types.pop_back(); }),
             ContainsSubstring("token_type: found 11 values"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.types[3] = 7; }),
             ContainsSubstring("token_type[3]: found 7; allowed: 1 to 6"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.tokens[6] = "\xFF"; }),
             ContainsSubstring("tokens[6]: found bytes"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.tokens[6] = "i"; }),
             ContainsSubstring("tokens[7]: found 'i' twice"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.tokens.clear(); }),
             ContainsSubstring("tokens: found 0 tokens"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.bos = 12; }),
             ContainsSubstring("bos_token_id: found 12; allowed: 0 to 11"));
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.bos = 0xFFFFFFFF; }),
             ContainsSubstring("bos_token_id: found nothing, though add_bos_token is set or the default"));
  CHECK(error_without_json(sentencepiece(), [](V& v) { v.eos = 0xFFFFFFFF; }).empty());
  CHECK_THAT(error_without_json(sentencepiece(), [](V& v) { v.remove_extra_whitespaces = true; }),
             ContainsSubstring("remove_extra_whitespaces: found true; allowed: false"));
  CHECK_THAT(error_without_json(byte_level(), [](V& v) { v.merges[1] = "a"; }),
             ContainsSubstring("m.gguf: tokenizer.ggml.merges[1]: found 'a'; allowed: two parts"));
  CHECK_THAT(error_without_json(byte_level(), [](V& v) { v.merges[1] = "h h"; }), ContainsSubstring("merges[1]"));
  CHECK_THAT(error_without_json(byte_level(), [](V& v) { v.merges.clear(); }), ContainsSubstring("merges: found none"));
}

}  // namespace lw::from_gguf_test
