// Vocabularies of GGUF files.
#include "harness/formats/gguf_vocabulary.h"

#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

const std::string kPrefix = "tokenizer.ggml.";

std::string tokens(const std::vector<std::string>& list) {
  std::string elements;
  for (const auto& t : list) elements += Gguf::text(t);
  return Gguf::array(kPrefix + "tokens", 8, list.size(), elements);
}
const std::string kModel = Gguf::key(kPrefix + "model", 8, Gguf::text("llama"));

GgufVocabulary read(const std::vector<std::string>& keys) {
  const test::TempFolder folder;
  Gguf file;
  file.keys = keys;
  write_file(folder / "v.gguf", file.bytes());
  return read_gguf_vocabulary(GgufFile(folder / "v.gguf"));
}

/// The message with these keys beside a model and two tokens, without the file's name.
std::string error_with(const std::vector<std::string>& keys) {
  const std::string error = test::error_of([&] {
    auto all = keys;
    all.push_back(kModel);
    all.push_back(tokens({"a", "b"}));
    read(all);
  });
  const size_t at = error.find(": " + kPrefix);
  return at == std::string::npos ? error : error.substr(at + 2 + kPrefix.size());
}

}  // namespace

TEST_CASE("a vocabulary comes back whole", "[formats]") {
  const GgufVocabulary v = read({tokens({"<s>", std::string("\xE2\x96", 2), std::string("a\0b", 3)}),
                                 Gguf::array(kPrefix + "scores", 6, 3, raw(0.0F) + raw(-1.5F) + raw(2.0F)),
                                 Gguf::array(kPrefix + "token_type", 5, 3, raw(3) + raw(6) + raw(1)),
                                 Gguf::array(kPrefix + "merges", 8, 1, Gguf::text("a b")),
                                 Gguf::array(kPrefix + "precompiled_charsmap", 0, 2, std::string("\xFF\0", 2)),
                                 Gguf::key(kPrefix + "bos_token_id", 4, raw(uint32_t{0})),
                                 Gguf::key(kPrefix + "eos_token_id", 11, raw(int64_t{2})),
                                 Gguf::key(kPrefix + "padding_token_id", 4, raw(uint32_t{4294967295})),
                                 Gguf::key(kPrefix + "seperator_token_id", 5, raw(int32_t{-1})),
                                 Gguf::key(kPrefix + "add_bos_token", 7, std::string(1, '\1')), kModel});
  CHECK(v.model == "llama");
  CHECK_FALSE(v.pre.has_value());
  CHECK(v.tokens == std::vector<std::string>{"<s>", "\xE2\x96", std::string("a\0b", 3)});
  CHECK(v.scores == std::vector<float>{0, -1.5F, 2});
  CHECK(v.types == std::vector<int64_t>{3, 6, 1});
  CHECK(v.merges == std::vector<std::string>{"a b"});
  CHECK(v.precompiled_charsmap == std::string("\xFF\0", 2));
  CHECK(v.bos == 0);
  CHECK(v.eos == 2);
  CHECK(v.padding == std::nullopt);
  CHECK(v.separator == std::nullopt);
  CHECK(v.unknown == std::nullopt);
  CHECK(v.add_bos == true);
  CHECK(v.add_eos == std::nullopt);
}

TEST_CASE("vocabulary arrays of the wrong type or length are refused", "[formats]") {
  CHECK(error_with({Gguf::array(kPrefix + "scores", 0, 2, "xx")}) ==
        "scores: found an array of u8; allowed: an array of f32");
  CHECK(error_with({Gguf::array(kPrefix + "token_type", 0, 2, "xx")}) ==
        "token_type: found an array of u8; allowed: an array of i32");
  CHECK(error_with({Gguf::array(kPrefix + "scores", 6, 1, raw(0.0F))}) ==
        "scores: found 1 value; allowed: 2, one for each token");
  CHECK(error_with({Gguf::array(kPrefix + "token_type", 5, 3, raw(1) + raw(1) + raw(1))}) ==
        "token_type: found 3 values; allowed: 2, one for each token");
  CHECK(error_with({Gguf::array(kPrefix + "token_type", 5, 2, raw(1) + raw(7))}) ==
        "token_type: found 7; allowed: 1 to 6");
  CHECK(error_with({Gguf::key(kPrefix + "bos_token_id", 4, raw(uint32_t{2}))}) ==
        "bos_token_id: found 2; allowed: less than 2, the number of tokens");
  CHECK(error_with({Gguf::key(kPrefix + "bos_token_id", 5, raw(int32_t{-2}))}) ==
        "bos_token_id: found -2; allowed: less than 2, the number of tokens");
  CHECK(error_with({Gguf::key(kPrefix + "bos_token_id", 8, Gguf::text("1"))}) ==
        "bos_token_id: found a text; allowed: a whole number");
  CHECK(error_with({Gguf::key(kPrefix + "add_bos_token", 4, raw(uint32_t{1}))}) ==
        "add_bos_token: found a u32; allowed: a bool");
  CHECK(error_with({Gguf::key(kPrefix + "pre", 4, raw(uint32_t{1}))}) == "pre: found a u32; allowed: a text");
  const auto end_of = [](const std::vector<std::string>& keys) {
    const std::string error = test::error_of([&] { read(keys); });
    return error.substr(error.find(": ") + 2);
  };
  CHECK(end_of({}) == "tokenizer.ggml.model: found nothing; allowed: a file with its tokenizer");
  CHECK(end_of({kModel}) == "tokenizer.ggml.tokens: found nothing; allowed: an array of text");
}

TEST_CASE("an id of padding or separator past the tokens is kept for the code that may use it", "[formats]") {
  const GgufVocabulary v =
      read({tokens({"a", "b"}), kModel, Gguf::key(kPrefix + "padding_token_id", 4, raw(uint32_t{2})),
            Gguf::key(kPrefix + "seperator_token_id", 4, raw(uint32_t{77}))});
  CHECK(v.padding == 2);
  CHECK(v.separator == 77);
  CHECK(error_with({Gguf::key(kPrefix + "padding_token_id", 5, raw(int32_t{-2}))}) ==
        "padding_token_id: found -2; allowed: less than 2, the number of tokens");
}

TEST_CASE("the embedding's rows are the vocabulary's size; fewer than tokens are refused", "[formats]") {
  const test::TempFolder folder;
  Gguf file;
  file.keys = {kModel, tokens({"a", "b"})};
  write_file(folder / "v", file.bytes());
  const GgufFile gguf(folder / "v");
  require_rows_for_tokens(gguf, 2);
  require_rows_for_tokens(gguf, 64);
  CHECK(message_of((folder / "v").string(), [&] { require_rows_for_tokens(gguf, 1); }) ==
        "token_embd.weight: found 1 row; allowed: 2 or more, one for each token");
}

TEST_CASE("real vocabularies", "[formats]") {
  if (const auto path = real_data("vocab/ggml-vocab-gpt-2.gguf")) {
    const GgufVocabulary v = read_gguf_vocabulary(GgufFile(*path));
    CHECK(v.model == "gpt2");
    CHECK(v.pre == "gpt-2");
    CHECK(v.tokens.size() == 50257);
    CHECK(v.merges.size() == 50000);
    CHECK(v.eos == 50256);
  }
  if (const auto path = real_data("stories260K/stories260K.gguf")) {
    const GgufVocabulary v = read_gguf_vocabulary(GgufFile(*path));
    CHECK(v.tokens.size() == 512);
    CHECK(v.padding == std::nullopt);
    CHECK(v.bos == 1);
  }
}

}  // namespace lw::formats_test
