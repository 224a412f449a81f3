// WordPiece and Unigram vocabularies in GGUF give the ids that the tokenizer.json of the same vocabulary gives.
#include "harness/base/json_read.h"
#include "harness/tokenizer/from_gguf.h"
#include "tests/catch.h"
#include "tests/support.h"
#include "tests/tokenizer/support.h"

namespace lw::from_gguf_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Ids = std::vector<int64_t>;

const std::string kMark = "\u2581";
const std::vector<std::string> kWords = {
    "[PAD]",     "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un",     "##aff", "##able", "aff",   "##a",  "able",
    "a",         "!",     ".",     ",",     "'",      "\u4E2D", "e",     "##e",    "caf",   "cafe", "##\u0301",
    "caf\u00e9", "Un",    "(",     ")",     "##s",    "s",      "1",     "##2",    "<user>"};

/// BERT's pipeline as its tokenizer.json states it.
Tokenizer bert_json(bool lowercase, bool strip_accents) {
  Json vocab = Json::object(), added = Json::array();
  for (size_t id = 0; id < kWords.size(); ++id) vocab[kWords[id]] = id;
  for (size_t id = 0; id < 5; ++id) added.push_back({{"id", id}, {"content", kWords[id]}, {"special", true}});
  const auto special = [](const char* token) { return Json{{"SpecialToken", {{"id", token}, {"type_id", 0}}}}; };
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const auto ids = [](const char* token, int id) { return Json{{"id", token}, {"ids", {id}}, {"tokens", {token}}}; };
  const Json single = {special("[CLS]"), text, special("[SEP]")};
  return test::tokenizer_of(Json{
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer",
       {{"type", "BertNormalizer"},
        {"clean_text", true},
        {"handle_chinese_chars", true},
        {"strip_accents", strip_accents},
        {"lowercase", lowercase}}},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", single},
        {"pair", single},
        {"special_tokens", {{"[CLS]", ids("[CLS]", 2)}, {"[SEP]", ids("[SEP]", 3)}}}}},
      {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
      {"model",
       {{"type", "WordPiece"},
        {"unk_token", "[UNK]"},
        {"continuing_subword_prefix", "##"},
        {"max_input_chars_per_word", 100},
        {"vocab", vocab}}}}.dump());
}

/// The same vocabulary as llama.cpp's converter writes it: words begin with a mark, continuations are bare.
GgufVocabulary bert_gguf() {
  GgufVocabulary v;
  v.model = "bert";
  v.pre = "jina-v2-en";  // says nothing of a WordPiece model
  for (size_t id = 0; id < kWords.size(); ++id) {
    const std::string& word = kWords[id];
    v.types.push_back(id < 5 ? 3 : 1);
    v.tokens.push_back(id < 5 ? word : word.rfind("##", 0) == 0 ? word.substr(2) : kMark + word);
  }
  v.bos = 2;
  v.eos = 3;
  v.unknown = 1;
  v.separator = 3;
  return v;
}

const std::vector<std::pair<std::string, double>> kPieces = {
    {"<pad>", 0},   {"</s>", 0},         {"<unk>", 0},      {kMark, -2}, {kMark + "a", -3}, {"a", -3.5},
    {"b", -4},      {kMark + "ab", -5},  {"ab", -5.5},      {"abc", -6}, {"c", -7},         {kMark + "b", -4.5},
    {"\u00e9", -8}, {kMark + "caf", -9}, {"\u00e9s", -8.5}, {"s", -3.2}};

/// T5's pipeline as its tokenizer.json states it.
Tokenizer t5_json(bool with_map) {
  Json vocab = Json::array(), added = Json::array();
  for (const auto& [piece, score] : kPieces) vocab.push_back({piece, score});
  for (size_t id = 0; id < 3; ++id) added.push_back({{"id", id}, {"content", kPieces[id].first}, {"special", true}});
  const Json metaspace = {{"type", "Metaspace"}, {"replacement", kMark}, {"add_prefix_space", true}};
  const Json end = {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}};
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json map = {{"type", "Precompiled"}, {"precompiled_charsmap", test::base64(test::charsmap_bytes("ab c"))}};
  return test::tokenizer_of(
      Json{{"version", "1.0"},
           {"added_tokens", added},
           {"normalizer", with_map ? map : Json(nullptr)},
           {"pre_tokenizer",
            {{"type", "Sequence"}, {"pretokenizers", Json::array({{{"type", "WhitespaceSplit"}}, metaspace})}}},
           {"post_processor",
            {{"type", "TemplateProcessing"},
             {"single", {text, end}},
             {"pair", {text, end}},
             {"special_tokens", {{"</s>", {{"id", "</s>"}, {"ids", {1}}, {"tokens", {"</s>"}}}}}}}},
           {"decoder", metaspace},
           {"model", {{"type", "Unigram"}, {"unk_id", 2}, {"vocab", vocab}}}}
          .dump());
}

/// As the converter writes it: 32-bit scores, types, and padding that has the score -1000.
GgufVocabulary t5_gguf(bool with_map) {
  GgufVocabulary v;
  v.model = "t5";
  for (const auto& [piece, score] : kPieces) {
    v.types.push_back(v.tokens.size() == 2 ? 2 : v.tokens.size() < 2 ? 3 : 1);
    v.tokens.push_back(piece);
    v.scores.push_back(static_cast<float>(score));
  }
  v.tokens.emplace_back("[PAD1]");
  v.scores.push_back(-1000);
  v.types.push_back(5);
  v.eos = 1;
  v.unknown = 2;
  v.add_space_prefix = true;
  v.remove_extra_whitespaces = true;
  if (with_map) v.precompiled_charsmap = test::charsmap_bytes("ab c");
  return v;
}

void check_alike(const Tokenizer& gguf, const Tokenizer& json, const std::string& letters) {
  std::mt19937 random(5);
  const auto check = [&](const std::string& text) {
    INFO(text);
    for (const bool special : {false, true}) {
      const Encoding a = gguf.encode(text, {special, special}), b = json.encode(text, {special, special});
      REQUIRE(a.ids == b.ids);
      REQUIRE(gguf.decode(a.ids) == json.decode(b.ids));
    }
  };
  for (int i = 0; i < 500; ++i) check(test::awkward_text(random, 30));
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (size_t left = 1 + random() % 30; left > 0; --left) text += letters[random() % letters.size()];
    check(text);
  }
  check("");
}

std::string error_of(GgufVocabulary v, const std::function<void(GgufVocabulary&)>& change) {
  change(v);
  return test::error_of([&] { tokenizer_from_gguf(v, "m.gguf"); });
}

}  // namespace

TEST_CASE("a WordPiece vocabulary of a GGUF gives the ids of its tokenizer.json", "[tokenizer]") {
  const Tokenizer plain = tokenizer_from_gguf(bert_gguf(), "m.gguf");
  CHECK(plain.encode("unaffable Caf\u00e9s!").ids == Ids{5, 6, 7, 20, 26, 12});
  CHECK(plain.encode("a[SEP] \u4E2D", {true, true}).ids == Ids{2, 11, 3, 16, 3});
  CHECK(plain.decode({5, 6, 7, 12}) == "unaffable!");
  for (const bool lowercase : {true, false})
    for (const bool strip : {true, false}) {
      GgufVocabulary v = bert_gguf();
      v.lowercase = lowercase;
      if (strip != lowercase) v.strip_accents = strip;
      check_alike(tokenizer_from_gguf(v, "m.gguf"), bert_json(lowercase, strip), "unafblecs12 .'(!");
    }
}

TEST_CASE("what surrounds a text of a WordPiece model", "[tokenizer]") {
  GgufVocabulary v = bert_gguf();
  v.separator.reset();
  CHECK(tokenizer_from_gguf(v, "m.gguf").encode("a", {true, false}).ids == Ids{2, 11, 3});  // also known as EOS
  v.add_bos = false;
  v.add_sep = false;
  CHECK(tokenizer_from_gguf(v, "m.gguf").encode("a", {true, false}).ids == Ids{11});
  using V = GgufVocabulary;
  CHECK_THAT(error_of(bert_gguf(), [](V& x) { x.unknown.reset(); }),
             ContainsSubstring("m.gguf: tokenizer.ggml.unknown_token_id: found nothing; allowed: an id"));
  CHECK_THAT(error_of(bert_gguf(), [](V& x) { x.bos.reset(); }), ContainsSubstring("bos_token_id: found nothing"));
  CHECK_THAT(error_of(bert_gguf(), [](V& x) { x.separator.reset(), x.eos.reset(); }),
             ContainsSubstring("seperator_token_id: found nothing"));
  CHECK_THAT(error_of(bert_gguf(), [](V& x) { x.separator = 99; }),
             ContainsSubstring("seperator_token_id: found 99; allowed: 0 to 30"));
  CHECK_THAT(error_of(bert_gguf(), [](V& x) { x.tokens[7] = "aff"; }),
             ContainsSubstring("tokens[7]: found 'aff' twice"));
}

TEST_CASE("a Unigram vocabulary of a GGUF gives the ids of its tokenizer.json", "[tokenizer]") {
  for (const bool with_map : {false, true})
    check_alike(tokenizer_from_gguf(t5_gguf(with_map), "m.gguf"), t5_json(with_map), "aabbccs A x");
  const Tokenizer tokenizer = tokenizer_from_gguf(t5_gguf(true), "m.gguf");
  CHECK(tokenizer.encode("caf\u00e9s  abc", {true, false}).ids == Ids{13, 14, 3, 9, 1});
  CHECK(tokenizer.encode("A").ids == tokenizer.encode("ab c").ids);
  CHECK(tokenizer.encode("[PAD1]").ids.front() != 16);  // padding is no token of any text
  CHECK(tokenizer.decode({13, 14, 3, 9}) == "caf\u00e9s abc");
}

TEST_CASE("what a Unigram vocabulary of a GGUF may not be", "[tokenizer]") {
  using V = GgufVocabulary;
  CHECK_THAT(error_of(t5_gguf(false), [](V& v) { v.scores.pop_back(); }),
             ContainsSubstring("m.gguf: tokenizer.ggml.scores: found 16 values; allowed: 17, one a token"));
  CHECK_THAT(error_of(t5_gguf(false), [](V& v) { v.remove_extra_whitespaces = false; }),
             ContainsSubstring("remove_extra_whitespaces: found false; allowed: true, for t5"));
  CHECK_THAT(error_of(t5_gguf(false), [](V& v) { v.add_space_prefix = false; }),
             ContainsSubstring("add_space_prefix: found false; allowed: true, for t5"));
  CHECK_THAT(error_of(t5_gguf(false), [](V& v) { v.unknown.reset(); }),
             ContainsSubstring("unknown_token_id: found nothing; allowed: an id"));
  CHECK_THAT(error_of(t5_gguf(false), [](V& v) { v.eos.reset(); }), ContainsSubstring("eos_token_id: found nothing"));
  CHECK_THAT(error_of(t5_gguf(false), [](V& v) { v.types[5] = 6; }),
             ContainsSubstring("token_type[5]: found 6, a byte; allowed: 1 to 5, for t5"));
  CHECK_THAT(error_of(t5_gguf(true), [](V& v) { v.precompiled_charsmap.resize(6); }),
             ContainsSubstring("m.gguf: tokenizer.ggml: precompiled_charsmap: found a trie of 268 bytes in 6"));
}

}  // namespace lw::from_gguf_test
