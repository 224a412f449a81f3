// Normalizers, pre-tokenizers, added tokens and decoders, one by one.
#include "harness/base/json_read.h"
#include "harness/tokenizer/added_tokens.h"
#include "harness/tokenizer/decoder.h"
#include "harness/tokenizer/normalizer.h"
#include "harness/tokenizer/post_processor.h"
#include "harness/tokenizer/pre_tokenizer.h"
#include "tests/catch.h"
#include "tests/support.h"
#include "tests/tokenizer/support.h"

namespace lw::steps_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

std::string normalized(const std::string& json, const std::string& text) {
  AlignedText aligned(text, 0);
  read_normalizer(parse_json(json, "t"), "t.json", "normalizer")(aligned);
  return aligned.text();
}

Texts pre_tokenized(const std::string& json, const std::string& text) {
  std::vector<AlignedText> pieces = {AlignedText(text, 0)};
  read_pre_tokenizer(parse_json(json, "t"), "t.json", "pre_tokenizer")(pieces);
  return test::texts_of(pieces);
}

std::string decoded(const std::string& json, const Texts& texts) {
  std::vector<DecodedToken> tokens;
  for (const std::string& text : texts) tokens.push_back({text, false});
  read_decoder(parse_json(json, "t"), "t.json", "decoder")(tokens);
  std::string all;
  for (const DecodedToken& token : tokens) all += token.text;
  return all;
}

/// A charsmap that turns 'A' into the text.
std::string charsmap_of(const std::string& text, uint32_t text_at = 0) {
  return R"({"type": "Precompiled", "precompiled_charsmap": ")" + test::base64(test::charsmap_bytes(text, text_at)) +
         "\"}";
}

std::vector<std::pair<std::string, int64_t>> found(const std::vector<AddedToken>& tokens, const std::string& text,
                                                   bool parse_special = true) {
  const AddedTokens added(tokens, nullptr);
  std::vector<std::pair<std::string, int64_t>> parts;
  for (const AddedMatch& part : added.find(text, false, parse_special))
    parts.emplace_back(text.substr(part.begin, part.end - part.begin),
                       part.token == nullptr ? -1 : int64_t{part.token->id});
  return parts;
}

AddedToken added(uint32_t id, const std::string& content) {
  AddedToken token;
  token.id = id;
  token.content = content;
  return token;
}

}  // namespace

TEST_CASE("normalizers", "[tokenizer]") {
  CHECK(normalized(R"({"type": "Prepend", "prepend": "_"})", "ab") == "_ab");
  CHECK(normalized(R"({"type": "Prepend", "prepend": "_"})", "").empty());
  CHECK(normalized(R"({"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"})", " a  b") ==
        "\u2581a\u2581\u2581b");
  CHECK(normalized(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})", "a   b c") == "a b c");
  CHECK(normalized(R"({"type": "Lowercase"})", "A\u0130\u03A3") == "ai\u0307\u03C3");
  CHECK(normalized(R"({"type": "StripAccents"})", "e\u0301\u093E") == "e");
  CHECK(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": false})", "\u3000 a ") == "a ");
  CHECK(normalized(R"({"type": "Strip", "strip_left": true, "strip_right": true})", "  ").empty());
  CHECK(normalized(R"({"type": "Nmt"})", "a\x01\tb\u200B\u2581") == "a b  ");
  CHECK(normalized(R"({"type": "ByteLevel"})", " \u00e9") == "\u0120\u00C3\u00A9");
  CHECK(normalized(R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]})", "\u00e9") ==
        "e");
}

TEST_CASE("BERT's normalizer", "[tokenizer]") {
  const std::string bert =
      R"({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": )";
  CHECK(normalized(bert + "true}", "H\u00c9llo\u00a0W\u00f6rld\u200b\x01\tx") == "hello world x");
  CHECK(normalized(bert + "true}", "a\u4e2d\u3042") == "a \u4e2d \u3042");
  CHECK(normalized(bert + "false}", "H\u00e9") == "H\u00e9");
  CHECK(normalized(bert + "true}", "\uFFFD\u0085y") == "y");
}

TEST_CASE("a compiled character map", "[tokenizer]") {
  CHECK(normalized(charsmap_of("bcd"), "xAAy") == "xbcdbcdy");
  CHECK(normalized(charsmap_of(""), "xAy") == "xy");
  // A cluster is replaced as a whole by what its start stands for, as the library does it.
  CHECK(normalized(charsmap_of("b"), "A\u0301x") == "bx");
  CHECK(normalized(charsmap_of("b", 99), "A") == "A");
  // sentencepiece 1269: offsets that point outside of the trie.
  CHECK(normalized(R"({"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8="})", "A") == "A");
  const std::string cut = R"({"type": "Precompiled", "precompiled_charsmap": "/////w=="})";
  CHECK_THAT(test::error_of([&] { normalized(cut, "A"); }), ContainsSubstring("found a trie of"));
  const std::string none = R"({"type": "Precompiled", "precompiled_charsmap": "!!!!"})";
  CHECK_THAT(test::error_of([&] { normalized(none, "A"); }), ContainsSubstring("found no base64"));
}

TEST_CASE("pre-tokenizers", "[tokenizer]") {
  CHECK(pre_tokenized(R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true})", "Hi \u00e9") ==
        Texts{"\u0120Hi", "\u0120\u00C3\u00A9"});
  CHECK(pre_tokenized(R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})", "Hi x") ==
        Texts{"Hi\u0120x"});
  CHECK(pre_tokenized(R"({"type": "Digits", "individual_digits": true})", "a12\u00BD") ==
        Texts{"a", "1", "2", "\u00BD"});
  CHECK(pre_tokenized(R"({"type": "Digits", "individual_digits": false})", "a12b") == Texts{"a", "12", "b"});
  CHECK(pre_tokenized(R"({"type": "Punctuation"})", "a!?b") == Texts{"a", "!", "?", "b"});
  CHECK(pre_tokenized(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a!?b") == Texts{"a", "!?", "b"});
  CHECK(pre_tokenized(R"({"type": "BertPreTokenizer"})", "Hey you!  a\u3002b") ==
        Texts{"Hey", "you", "!", "a", "\u3002", "b"});
  CHECK(pre_tokenized(R"({"type": "Whitespace"})", "Hey y_u!? ") == Texts{"Hey", "y_u", "!?"});
  CHECK(pre_tokenized(R"({"type": "WhitespaceSplit"})", "Hey you!? ") == Texts{"Hey", "you!?"});
  CHECK(pre_tokenized(R"({"type": "CharDelimiterSplit", "delimiter": "-"})", "a-b") == Texts{"a", "b"});
  const std::string split = R"({"type": "Split", "pattern": {"Regex": "\\d+"}, "behavior": ")";
  CHECK(pre_tokenized(split + R"(Removed", "invert": true})", "a12b3") == Texts{"12", "3"});
  CHECK(pre_tokenized(split + R"(MergedWithNext", "invert": false})", "a12b3") == Texts{"a", "12b", "3"});
  CHECK(pre_tokenized(R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                          {"type": "Punctuation", "behavior": "Removed"}]})",
                      "a, b.") == Texts{"a", "b"});
}

TEST_CASE("Metaspace in its old and new forms", "[tokenizer]") {
  const std::string always = R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": true})";
  CHECK(pre_tokenized(always, "a  b") == Texts{"_a", "_", "_b"});
  CHECK(pre_tokenized(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "never", "split": false})",
                      "a b") == Texts{"a_b"});
  CHECK(pre_tokenized(R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false,
                          "prepend_scheme": "never"})",
                      "a b") == Texts{"a", "_b"});
  CHECK_THAT(test::error_of([] {
               pre_tokenized(R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false,
                                 "prepend_scheme": "first"})",
                             "a");
             }),
             ContainsSubstring("pre_tokenizer.prepend_scheme: found 'first' beside add_prefix_space false"));
  // "first" means the start of the whole text.
  std::vector<AlignedText> pieces = {AlignedText("a b", 0), AlignedText("c", 8)};
  read_pre_tokenizer(parse_json(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"})", "t"), "t",
                     "p")(pieces);
  CHECK(test::texts_of(pieces) == Texts{"_a", "_b", "c"});
  CHECK(pieces[0].origin(0, 2) == TextSpan{0, 1});
}

TEST_CASE("added tokens: leftmost, longest, and what may stand beside them", "[tokenizer]") {
  using Parts = std::vector<std::pair<std::string, int64_t>>;
  const auto spaces = std::vector{added(1, "  "), added(2, "    "), added(3, "<s>")};
  CHECK(found(spaces, "a     b<s>") == Parts{{"a", -1}, {"    ", 2}, {" b", -1}, {"<s>", 3}});
  CHECK(found(spaces, "") == Parts{});

  AddedToken special = added(5, "<s>");
  special.special = true;
  CHECK(found({special}, "a<s>b") == Parts{{"a", -1}, {"<s>", 5}, {"b", -1}});
  CHECK(found({special}, "a<s>b", false) == Parts{{"a<s>b", -1}});

  AddedToken strips = added(6, "<m>");
  strips.lstrip = strips.rstrip = true;
  CHECK(found({strips}, "a \u3000<m> \nb") == Parts{{"a", -1}, {" \u3000<m> \n", 6}, {"b", -1}});

  AddedToken word = added(7, "day");
  word.single_word = true;
  CHECK(found({word}, "day daytime a-day") == Parts{{"day", 7}, {" daytime a-", -1}, {"day", 7}});
}

TEST_CASE("decoders", "[tokenizer]") {
  CHECK(decoded(R"({"type": "ByteLevel"})", {"\u0120Hi", "\u00C3", "\u00A9", "\u00C3"}) == " Hi\u00e9\uFFFD");
  const std::string spm = R"({"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";
  CHECK(decoded(spm, {"\u2581\u2581Hi", "<0xC3>", "<0xA9>", "\u2581x", "<0xC3>"}) == " Hi\u00e9 x\uFFFD");
  CHECK(decoded(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"})", {"_a", "_b"}) == "a b");
  CHECK(decoded(R"({"type": "WordPiece", "prefix": "##", "cleanup": true})", {"do", "##ing", "n't", ",", "it"}) ==
        "doingn't, it");
  CHECK(decoded("null", {"a", "b"}) == "a b");
}

TEST_CASE("an added token is plain text when it is decoded", "[tokenizer]") {
  // U+010D is the letter for CR; as text of an added token it stays what it is.
  std::vector<DecodedToken> tokens = {{"\u010D", false}, {"\u010D", true}};
  decode_byte_letters()(tokens);
  CHECK(tokens.front().text == "\r\u010D");
}

TEST_CASE("post-processors", "[tokenizer]") {
  const auto read = [](const std::string& json) {
    return read_post_processor(parse_json(json, "t"), "t.json", "post");
  };
  const std::string ids = R"("special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}})";
  const Surround bos = read(R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                {"Sequence": {"id": "A", "type_id": 0}}], "pair": [], )" +
                            ids);
  CHECK((bos.prefix == std::vector<int64_t>{1} && bos.suffix.empty()));
  const Surround bert = read(R"({"type": "BertProcessing", "sep": ["[SEP]", 102], "cls": ["[CLS]", 101]})");
  CHECK((bert.prefix == std::vector<int64_t>{101} && bert.suffix == std::vector<int64_t>{102}));
  CHECK(read("null").prefix.empty());
  CHECK_THAT(test::error_of([&] {
               read(R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<x>", "type_id": 0}},
                        {"Sequence": {"id": "A", "type_id": 0}}], )" +
                    ids);
             }),
             ContainsSubstring("t.json: post.single[0].id: found '<x>', which is not in special_tokens"));
}

}  // namespace lw::steps_test
