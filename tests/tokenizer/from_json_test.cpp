// Whole tokenizers from tokenizer.json: what comes out, and what is refused.
#include "harness/tokenizer/from_json.h"

#include "harness/base/files.h"
#include "harness/tokenizer/cuts.h"
#include "harness/tokenizer/tokenize_text.h"
#include "harness/tokenizer/tokenizer_file.h"
#include "tests/catch.h"
#include "tests/support.h"
#include "tests/tokenizer/support.h"

namespace lw::from_json_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Ids = std::vector<int64_t>;

// Llama-2's form in small: spaces as U+2581, bytes for what is missing, BOS before.
const std::string kModel = R"({"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
  "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "vocab": {"<unk>": 0, "<s>": 1, "</s>": 2,
  "<0xC3>": 3, "<0xA9>": 4, "\u2581": 5, "h": 6, "i": 7, "hi": 8, "\u2581hi": 9}, "merges": ["h i", "\u2581 hi"]})";
const std::string kAdded = R"("added_tokens": [{"id": 0, "content": "<unk>", "single_word": false, "lstrip": false,
  "rstrip": false, "normalized": false, "special": true}, {"id": 1, "content": "<s>", "single_word": false,
  "lstrip": false, "rstrip": false, "normalized": false, "special": true}, {"id": 12, "content": "<user>",
  "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": false}])";
const std::string kRest = R"("truncation": null, "padding": null, "normalizer": {"type": "Sequence", "normalizers": [
  {"type": "Prepend", "prepend": "\u2581"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
  "pre_tokenizer": null, "post_processor": {"type": "TemplateProcessing", "single": [
  {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}], "pair": [],
  "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}, "decoder": {"type": "Sequence", "decoders": [
  {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
  {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";

std::string small() { return test::with_model(kModel, kAdded + ", " + kRest); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not there: " + from);
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& from, const std::string& to) {
  return test::error_of([&] { test::tokenizer_of(replaced(small(), from, to)); });
}

}  // namespace

TEST_CASE("a small tokenizer.json encodes and decodes", "[tokenizer]") {
  const Tokenizer tokenizer = test::tokenizer_of(small());
  const Encoding encoding = tokenizer.encode("hi \u00e9hi");
  CHECK(encoding.ids == Ids{9, 5, 3, 4, 8});
  CHECK(encoding.spans == std::vector<TextSpan>{{0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 7}});
  CHECK(tokenizer.decode(encoding.ids) == "hi \u00e9hi");
  CHECK(tokenizer.decode({1, 9, 12}) == "<s> hi<user>");
  CHECK(tokenizer.decode({1, 9, 12}, true) == "hi<user>");
  CHECK(tokenizer.encode("").ids.empty());
  CHECK(tokenizer.encode("x").ids == Ids{5, 0});
  CHECK(tokenizer.size() == 13);
  CHECK(tokenizer.unknown() == 0);
  CHECK(tokenizer.id_to_token(9) == "\u2581hi");
  CHECK(tokenizer.id_to_token(12) == "<user>");
  CHECK(tokenizer.token_to_id("<user>") == 12);
  CHECK(tokenizer.token_to_id("nothing") == std::nullopt);
  for (const int64_t id : {int64_t{-1}, int64_t{11}, int64_t{13}, int64_t{1} << 40U})
    CHECK_THAT(test::error_of([&] { tokenizer.decode({id}); }), ContainsSubstring("allowed: ids of the vocabulary"));
}

TEST_CASE("BOS stands once, and specials in text are text unless they are asked for", "[tokenizer]") {
  const Tokenizer tokenizer = test::tokenizer_of(small());
  CHECK(tokenizer.prefix() == Ids{1});
  CHECK(tokenizer.encode("hi", {true, false}).ids == Ids{1, 9});
  CHECK(tokenizer.encode("<s>hi", {true, true}).ids == Ids{1, 9});
  CHECK(tokenizer.encode("<s>hi", {false, true}).ids == Ids{1, 9});
  CHECK(tokenizer.encode("<s>hi", {true, false}).ids.front() == 1);
  CHECK(tokenizer.encode("<s>hi", {true, false}).ids.size() > 2);
  CHECK(tokenizer.encode("hi<user>hi").ids == Ids{9, 12, 9});
  CHECK(tokenizer.encode("", {true, false}).ids == Ids{1});
}

TEST_CASE("text that is not UTF-8 is refused with the place", "[tokenizer]") {
  const Tokenizer tokenizer = test::tokenizer_of(small());
  CHECK(test::error_of([&] { tokenizer.encode("hi\xFFhi"); }) == "text: byte 2 is not UTF-8; allowed: valid UTF-8");
}

TEST_CASE("ids have a hash, and a line of counts", "[tokenizer]") {
  // SHA-256 of 01 00 00 00 00 00 00 00 | 02 00 …, computed with Python's hashlib.
  CHECK(hash_ids({1, 2}) == "0c730b69905c5ef7a4ca5269f72365400bde2dd2c04eaf9bbb3d1c4a265a0131");
  CHECK(hash_ids({}) == sha256(""));
  CHECK(hash_ids({258}) != hash_ids({259}));
  TokenizerParts parts = read_tokenizer_json(small(), "t.json");
  parts.bos = 1;
  const Tokenizer tokenizer(std::move(parts));
  CHECK(token_line(tokenizer, {1, 9, 0}) ==
        "3 tokens, ids " + hash_ids({1, 9, 0}).substr(0, 12) + ", BOS 1, 1 unknown");
  CHECK(token_line(tokenizer, {9}) == "1 tokens, ids " + hash_ids({9}).substr(0, 12) + ", no BOS");
  CHECK(tokenize_text(tokenizer, "hi x", {true, false}, true) == "1 9 5 0\n");
  CHECK(tokenize_text(tokenizer, "hi x", {true, false}, false) ==
        "0-0   1  \"<s>\"\n0-2   9  \"\u2581hi\"\n2-3   5  \"\u2581\"\n3-4   0  \"<unk>\"\n4 tokens, ids " +
            hash_ids({1, 9, 5, 0}).substr(0, 12) + ", BOS 1, 1 unknown\ncut by nothing\n");
}

TEST_CASE("every field of a tokenizer.json is understood or refused by name", "[tokenizer]") {
  CHECK(error_of("\"padding\": null", "\"paddings\": null") ==
        "t.json: paddings: found null, a field that is not understood; allowed: version, truncation, padding, "
        "normalizer, added_tokens, pre_tokenizer, decoder, model, post_processor");
  CHECK_THAT(error_of("\"type\": \"Prepend\"", "\"type\": \"Prepends\""),
             ContainsSubstring("t.json: normalizer.normalizers[0].type: found 'Prepends'; allowed: BertNormalizer"));
  CHECK_THAT(error_of(R"("prepend": "\u2581")", "\"prepend\": \"_\", \"more\": 1"),
             ContainsSubstring("t.json: normalizer.normalizers[0].more: found 1, a field that is not understood"));
  CHECK_THAT(error_of("\"pre_tokenizer\": null", R"("pre_tokenizer": {"type": "UnicodeScripts"})"),
             ContainsSubstring("t.json: pre_tokenizer.type: found 'UnicodeScripts'; allowed: BertPreTokenizer"));
  CHECK_THAT(error_of("\"type\": \"Fuse\"", "\"type\": \"CTC\""),
             ContainsSubstring("found 'CTC'; allowed: ByteFallback"));
  CHECK_THAT(error_of("\"type\": \"BPE\"", "\"type\": \"WordLevel\""),
             ContainsSubstring("t.json: model.type: found 'WordLevel'; allowed: BPE, Unigram, WordPiece"));
  CHECK_THAT(error_of("\"fuse_unk\": true", "\"fuse_unk\": 1"),
             ContainsSubstring("t.json: model.fuse_unk: found 1; allowed: true, false"));
  CHECK_THAT(error_of("\"end_of_word_suffix\": null", "\"end_of_word_suffix\": \"</w>\""),
             ContainsSubstring("model.end_of_word_suffix: found '</w>'; allowed: none"));
  CHECK_THAT(error_of("\"version\": \"1.0\"", "\"version\": \"2.0\""), ContainsSubstring("found '2.0'; allowed: 1.0"));
  CHECK_THAT(test::error_of([] { test::tokenizer_of("{\"version\": \"1.0\"}"); }),
             ContainsSubstring("model: found nothing"));
}

TEST_CASE("vocabulary, merges and added tokens have to agree", "[tokenizer]") {
  CHECK_THAT(error_of("\"h\": 6", "\"h\": 7"),
             ContainsSubstring("t.json: model.vocab: 'i': found the token or its id 7 twice"));
  CHECK_THAT(error_of("\"i\": 7", "\"h\": 7"), ContainsSubstring("'h': found the token or its id 7 twice"));
  CHECK_THAT(error_of("\"i\": 7", "\"i\": 1e3"), ContainsSubstring("allowed: an id"));
  CHECK_THAT(error_of("\"i\": 7", "\"i\": -7"), ContainsSubstring("found the id -7; allowed: 0 to"));
  CHECK_THAT(error_of("\"i\": 7", "\"i\": 4000000000"), ContainsSubstring("found the id 4000000000"));
  CHECK_THAT(error_of("\"h i\"", "\"h  i\""), ContainsSubstring("t.json: model.merges[0]: found 'h  i'"));
  CHECK_THAT(error_of("\"h i\"", "\"hi\""), ContainsSubstring("allowed: two parts with one space between"));
  CHECK_THAT(error_of("\"h i\"", "[\"h\", \"i\", \"x\"]"), ContainsSubstring("allowed: pairs"));
  CHECK_THAT(error_of("\"h i\"", "\"i h\""), ContainsSubstring("but 'ih' is no token"));
  CHECK_THAT(error_of(R"(["h i", "\u2581 hi"])", "{}"), ContainsSubstring("t.json: model.merges: found {}"));
  CHECK_THAT(error_of("\"id\": 1,", "\"id\": 2,"), ContainsSubstring("'<s>': found the id 2; allowed: 1"));
  CHECK_THAT(error_of("\"id\": 12", "\"id\": 9"), ContainsSubstring("which is '\u2581hi' in model.vocab"));
  CHECK_THAT(error_of("\"id\": 12", "\"id\": 1"), ContainsSubstring("added_tokens[2].id: found 1 twice"));
  CHECK_THAT(error_of("<user>", ""), ContainsSubstring("added_tokens[2].content: found ''"));
  CHECK_THAT(error_of("\"padding\": null", "\"padding\": null, \"padding\": null"),
             ContainsSubstring("found padding twice"));
}

TEST_CASE("an unknown token that is not there is an error when it is needed", "[tokenizer]") {
  const Tokenizer tokenizer =
      test::tokenizer_of(replaced(small(), "\"unk_token\": \"<unk>\"", "\"unk_token\": \"<x>\""));
  CHECK(tokenizer.encode("hi").ids == Ids{9});
  CHECK_THAT(test::error_of([&] { tokenizer.encode("x"); }), ContainsSubstring("no token stands for 'x'"));
  REQUIRE(tokenizer.notes().size() == 1);
  CHECK_THAT(tokenizer.notes()[0], ContainsSubstring("unk_token '<x>' is not in the vocabulary"));
  CHECK(test::tokenizer_of(replaced(small(), "\"unk_token\": \"<unk>\"", "\"unk_token\": \"\"")).notes().empty());
}

TEST_CASE("merges may hold spaces in the form of pairs", "[tokenizer]") {
  const Tokenizer tokenizer = test::tokenizer_of(test::with_model(
      R"({"type": "BPE", "vocab": {"a": 0, " ": 1, " a": 2, "b": 3, " ab": 4}, "merges": [[" ", "a"], [" a", "b"]]})"));
  CHECK(tokenizer.encode("a ab").ids == Ids{0, 4});
  CHECK_THAT(test::error_of([&] { tokenizer.encode("c"); }), ContainsSubstring("no token stands for 'c'"));
}

TEST_CASE("truncation, padding and dropout are left out with a note", "[tokenizer]") {
  std::string json = replaced(small(), "\"truncation\": null", R"("truncation": {"max_length": 2})");
  json = replaced(json, "\"dropout\": null", "\"dropout\": 0.1");
  const Tokenizer tokenizer = test::tokenizer_of(json);
  CHECK(tokenizer.encode("hi hi hi").ids.size() == 3);
  REQUIRE(tokenizer.notes().size() == 2);
  CHECK(tokenizer.notes()[0] == "truncation is left out: found {\"max_length\":2}");
  CHECK_THAT(tokenizer.notes()[1], ContainsSubstring("dropout"));
}

// transformers 42299: converted files with another expression than the model was trained with. Which it is is shown.
TEST_CASE("what cuts a text is described with the hash of its pattern", "[tokenizer]") {
  // The first twelve digits of `printf %s PATTERN | sha256sum`.
  const std::string gpt2 = "gpt2, pattern eeb55ba74cc5", digits = "pattern 37eeaf14e325";
  const auto described = [](const std::string& json) { return describe_cuts(parse_json(json, "t")); };
  const std::string byte_level =
      R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": )";
  CHECK(described("null") == "nothing");
  CHECK(described(byte_level + "true}") == "ByteLevel (" + gpt2 + ")");
  CHECK(described(byte_level + "false}") == "ByteLevel");
  const std::string split =
      R"({"type": "Split", "pattern": {"Regex": "\\p{N}{1,3}"}, "behavior": "Isolated", "invert": false})";
  const std::string steps = R"({"type": "Sequence", "pretokenizers": [)" + split + ", " + byte_level + "false}]}";
  CHECK(described(steps) == "Split (" + digits + "), ByteLevel");
  CHECK(test::tokenizer_of(replaced(small(), "\"pre_tokenizer\": null", "\"pre_tokenizer\": " + steps)).cuts() ==
        "Split (" + digits + "), ByteLevel");
  CHECK(cuts_by_name("smollm", "t").description == "smollm (Digits, " + gpt2 + ")");
}

TEST_CASE("tokens with line ends do not break a message into lines", "[tokenizer]") {
  CHECK_THAT(error_of("\"h\": 6", "\"h\\n\": 7"), ContainsSubstring("found the token or its id 7 twice"));
  for (const std::string& error : {error_of("\"i\": 7", "\"i\\n\": -7"), error_of("\"h i\"", "\"h\\ni\""),
                                   error_of("\"h i\"", "[\"h\\n\", \"i\"]"), error_of("<user>", "<s>\\n")}) {
    INFO(error);
    CHECK(error.find('\n') == std::string::npos);
  }
}

TEST_CASE("Unigram and WordPiece files", "[tokenizer]") {
  const Tokenizer unigram = test::tokenizer_of(test::with_model(
      R"({"type": "Unigram", "unk_id": 1, "byte_fallback": false, "vocab": [["</s>", 0.0], ["<unk>", 0], ["_a", -1.5],
          ["_", -2], ["a", -3]]})",
      R"("added_tokens": [{"id": 0, "content": "</s>", "special": true, "normalized": false}], "pre_tokenizer":
         {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"}, "decoder": {"type": "Metaspace",
         "replacement": "_", "prepend_scheme": "always"}, "post_processor": {"type": "TemplateProcessing", "single":
         [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}], "special_tokens":
         {"</s>": {"id": "</s>", "ids": [0], "tokens": ["</s>"]}}})"));
  CHECK(unigram.encode("a a", {true, false}).ids == Ids{2, 2, 0});
  CHECK(unigram.encode("a</s>", {true, true}).ids == Ids{2, 0});
  CHECK(unigram.encode("a</s>").ids == Ids{2, 1});  // text that looks like a special token never becomes one
  CHECK(unigram.decode({2, 2}) == "a a");

  const Tokenizer bert = test::tokenizer_of(test::with_model(
      R"({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
          "vocab": {"[UNK]": 0, "hug": 1, "##s": 2, "!": 3}})",
      R"("normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
         "strip_accents": null, "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"},
         "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true})"));
  const Encoding encoding = bert.encode("H\u00fbgs! x");
  CHECK(encoding.ids == Ids{1, 2, 3, 0});
  CHECK(encoding.spans == std::vector<TextSpan>{{0, 4}, {4, 5}, {5, 6}, {7, 8}});
  CHECK(bert.decode({1, 2, 3}) == "hugs!");
}

TEST_CASE("a folder of tokenizer files", "[tokenizer]") {
  const test::TempFolder folder;
  const std::string place = folder.path().string(),
                    allowed =
                        "; allowed: tokenizer.json, vocab.json and merges.txt, or SentencePiece's tokenizer.model";
  const auto error = [&] { return test::error_of([&] { tokenizer_from_folder(folder.path()); }); };
  CHECK(error() == place + ": found no tokenizer" + allowed);
  // SentencePiece's own models are binary, and their readers have had their share of faults (1263, 1269, 1308).
  write_file(folder / "tokenizer.model", std::string("\n\x0E\n\x05<unk>", 9));
  CHECK(error() ==
        place + "/tokenizer.model: found no SentencePiece model; allowed: a protocol buffer with pieces and scores");
  std::filesystem::remove(folder / "tokenizer.model");
  write_file(folder / "tekken.json", "{}");
  CHECK(error() == place + ": found tekken.json and no tokenizer.json: vocabularies of this form are not read" +
                       allowed + " (a fast tokenizer of transformers saves it)");

  write_file(folder / "vocab.json", R"({"h": 0, "i": 1, "\u0120": 2, "hi": 3, "\u0120hi": 4})");
  write_file(folder / "merges.txt", "#version: 0.2\nh i\n\u0120 hi\n");
  write_file(folder / "tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  CHECK_THAT(test::error_of([&] { tokenizer_from_folder(folder.path()); }),
             ContainsSubstring("tokenizer_class: found 'LlamaTokenizer' and no tokenizer.json"));
  write_file(folder / "tokenizer_config.json",
             R"({"tokenizer_class": "GPT2Tokenizer", "eos_token": {"content": "<e>"}, "bos_token": null,
                 "added_tokens_decoder": {"5": {"content": "<e>", "special": true}}})");
  const Tokenizer gpt2 = tokenizer_from_folder(folder.path());
  CHECK(gpt2.encode("hi hi<e>", {false, true}).ids == Ids{3, 4, 5});
  CHECK(gpt2.eos() == 5);
  CHECK(gpt2.bos() == std::nullopt);

  write_file(folder / "tokenizer.json", small());
  write_file(folder / "tokenizer_config.json",
             R"({"bos_token": "<s>", "add_bos_token": false, "add_prefix_space": true, "legacy": true})");
  const Tokenizer whole = tokenizer_from_folder(folder.path());
  CHECK(whole.bos() == 1);
  CHECK(whole.encode("hi").ids == Ids{9});  // add_prefix_space of transformers' class counts for nothing here either
  CHECK(whole.prefix() == Ids{1});
  REQUIRE(whole.notes().size() == 1);
  CHECK_THAT(whole.notes()[0], ContainsSubstring("add_bos_token of tokenizer_config.json is false"));
  write_file(folder / "tokenizer_config.json", R"({"bos_token": "<begin>"})");
  CHECK_THAT(test::error_of([&] { tokenizer_from_folder(folder.path()); }),
             ContainsSubstring("bos_token: found '<begin>'; allowed: a token of the vocabulary"));
}

TEST_CASE("a file that is no tokenizer.json is refused", "[tokenizer]") {
  for (const char* bad : {"", "[]", "{\"model\": 3}", "{\"model\": {\"vocab\": [[\"a\"]]}}", "{", "<!DOCTYPE html>"}) {
    INFO(bad);
    CHECK_THAT(test::error_of([&] { test::tokenizer_of(bad); }), ContainsSubstring("t.json: "));
  }
  // The parser would end at a zero byte, and quote a text without an end to its last byte.
  CHECK(test::error_of([] {
          test::tokenizer_of(small() + std::string("\0{", 2));
        }).find("t.json: not JSON: found a zero byte") == 0);
  const std::string endless = test::error_of([] { test::tokenizer_of("{\"a\": \"" + std::string(100000, 'x')); });
  CHECK(endless.rfind("t.json: not JSON: ", 0) == 0);
  CHECK(endless.size() < 400);
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  CHECK_THAT(test::error_of([&] { test::tokenizer_of("{\"model\": " + deep + "}"); }), ContainsSubstring("nested"));
}

}  // namespace lw::from_json_test
