// SentencePiece's .model files: ids copied from the sentencepiece library (0.2.3), and what is refused.
#include <cstring>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/tokenizer/from_json.h"
#include "harness/tokenizer/from_sentencepiece.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::sentencepiece_test {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<int64_t>;
using Type = SentencePieceModel::Type;

std::string varint(uint64_t number) {
  std::string out;
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80U);
  return out + static_cast<char>(number);
}
std::string whole(uint64_t field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(uint64_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}
std::string piece(const std::string& text, float score, Type type = Type::kNormal) {
  std::string number(4, '\0');
  std::memcpy(number.data(), &score, 4);
  return bytes(1, bytes(1, text) + varint(2 << 3 | 5) + number + whole(3, static_cast<uint64_t>(type)));
}

std::string pieces(bool byte_fallback) {
  std::string out = piece("<unk>", 0, Type::kUnknown) + piece("<s>", 0, Type::kControl) +
                    piece("</s>", 0, Type::kControl) + piece("[X]", 0, Type::kUserDefined) +
                    piece("\u2581\u2581", 0, Type::kUserDefined) + piece("\u2581", -3) + piece("a", -3.5F) +
                    piece("b", -4) + piece("ab", -2) + piece("\u2581a", -2.5F) + piece("\u2581ab", -2.25F) +
                    piece("ba", -5) + piece("s", -6);
  constexpr const char* kHex = "0123456789ABCDEF";
  for (size_t byte = 0; byte_fallback && byte < 256; ++byte)
    out += piece(std::string("<0x") + kHex[byte / 16] + kHex[byte % 16] + ">", 0, Type::kByte);
  return out;
}

Tokenizer read(const std::string& model) {
  return Tokenizer(read_sentencepiece(parse_sentencepiece_model(model, "m"), "m"));
}
std::string error_of(const std::string& model) {
  const std::string error = test::error_of([&] { read(model); });
  if (!error.empty()) CHECK(test::error_kind_of([&] { read(model); }) == ErrorKind::kInput);
  return error;
}

/// Settings, and the ids of each text under them: "10 3|8".
struct Row {
  uint64_t kind;
  bool byte_fallback, add_dummy_prefix, remove_extra_whitespaces, whitespace_as_suffix, escape_whitespaces;
  std::string ids;
};

}  // namespace

TEST_CASE("every setting of a SentencePiece model gives the library's ids", "[tokenizer]") {
  const std::vector<std::string> texts = {
      "ab  ab[X]abba",          " a b ",       "\u00e9", "<s>ab", "\u2581\u2581\u2581ab", "a[X",
      "a\u00e9 \u00e9\u6f22ab", "  ab   ba  ", ""};
  const std::vector<Row> rows = {
      {1, false, true, true, false, true, "10 10 3 8 11|9 5 7|5 0|5 0 12 0 8|4 4 8|9 0|9 0 5 0 8|10 5 11|"},
      {1, false, false, false, false, true, "8 4 8 3 8 11|9 5 7 5|0|0 12 0 8|4 10|6 0|6 0 5 0 8|4 8 5 4 11 4|"},
      {1, false, true, true, true, true, "8 10 3 8 11 5|6 5 7 5|0 5|0 12 0 8 5|4 10 5|6 0 5|6 0 5 0 8 5|8 5 11 5|"},
      {1, false, true, true, false, false, "0 8 0 8 3 8 11|0 6 0 7|0|0 12 0 8|0 4 10|0 6 0|0 6 0 8|0 8 0 11|"},
      {1, true, true, true, false, true,
       "10 10 3 8 11|9 5 7|5 208 182|5 73 12 75 8|4 4 8|9 104 101|9 208 182 5 208 182 243 201 175 8|10 5 11|"},
      {1, true, false, false, false, true,
       "8 4 8 3 8 11|9 5 7 5|208 182|73 12 75 8|4 10|6 104 101|6 208 182 5 208 182 243 201 175 8|4 8 5 4 11 4|"},
      {1, true, true, true, true, true,
       "8 10 3 8 11 5|6 5 7 5|208 182 5|73 12 75 8 5|4 10 5|6 104 101 5|6 208 182 5 208 182 243 201 175 8 5|8 5 11 5|"},
      {1, true, true, true, false, false,
       "45 8 45 8 3 8 11|45 6 45 7|45 208 182|45 73 12 75 8|45 4 10|45 6 104 101|45 6 208 182 45 208 182 243 201 175 "
       "8|45 8 45 11|"},
      {2, false, true, true, false, true, "10 10 3 8 11|9 5 7|5 0|5 0 12 0 8|4 4 8|9 0|9 0 5 0 8|10 5 11|"},
      {2, false, false, false, false, true, "8 4 8 3 8 11|9 5 7 5|0|0 12 0 8|4 10|6 0|6 0 5 0 8|4 8 4 5 11 4|"},
      {2, false, true, true, true, true, "8 10 3 8 11 5|6 5 7 5|0 5|0 12 0 8 5|4 10 5|6 0 5|6 0 5 0 8 5|8 5 11 5|"},
      {2, false, true, true, false, false, "0 8 0 8 3 8 11|0 6 0 7|0|0 12 0 8|0 4 10|0 6 0|0 6 0 8|0 8 0 11|"},
      {2, true, true, true, false, true,
       "10 10 3 8 11|9 5 7|5 208 182|5 73 12 75 8|4 4 8|9 104 101|9 208 182 5 208 182 243 201 175 8|10 5 11|"},
      {2, true, false, false, false, true,
       "8 4 8 3 8 11|9 5 7 5|208 182|73 12 75 8|4 10|6 104 101|6 208 182 5 208 182 243 201 175 8|4 8 4 5 11 4|"},
      {2, true, true, true, true, true,
       "8 10 3 8 11 5|6 5 7 5|208 182 5|73 12 75 8 5|4 10 5|6 104 101 5|6 208 182 5 208 182 243 201 175 8 5|8 5 11 5|"},
      {2, true, true, true, false, false,
       "45 8 45 8 3 8 11|45 6 45 7|45 208 182|45 73 12 75 8|45 4 10|45 6 104 101|45 6 208 182 45 208 182 243 201 175 "
       "8|45 8 45 11|"},
  };
  for (const Row& row : rows) {
    const std::string trainer = whole(3, row.kind) + whole(24, row.whitespace_as_suffix) + whole(35, row.byte_fallback);
    const std::string normalizer =
        whole(3, row.add_dummy_prefix) + whole(4, row.remove_extra_whitespaces) + whole(5, row.escape_whitespaces);
    const Tokenizer tokenizer = read(pieces(row.byte_fallback) + bytes(2, trainer) + bytes(3, normalizer));
    INFO(row.kind << row.byte_fallback << row.add_dummy_prefix << row.remove_extra_whitespaces
                  << row.whitespace_as_suffix << row.escape_whitespaces);
    std::string ids;
    for (const std::string& text : texts) {
      if (&text != &texts.front()) ids += '|';
      std::string of_text;
      for (const int64_t id : tokenizer.encode(text).ids) of_text += (of_text.empty() ? "" : " ") + std::to_string(id);
      ids += of_text;
    }
    CHECK(ids == row.ids);
  }
}

TEST_CASE("tokens of a SentencePiece model know the bytes that they stand for", "[tokenizer]") {
  const Tokenizer tokenizer = read(pieces(false));
  const Encoding encoding = tokenizer.encode("  ab  [X]ab");
  CHECK(encoding.ids == Ids{10, 5, 3, 8});
  CHECK(encoding.spans == std::vector<TextSpan>{{2, 4}, {4, 5}, {6, 9}, {9, 11}});
  CHECK(tokenizer.decode(encoding.ids) == "ab [X]ab");
  CHECK(tokenizer.bos() == 1);
  CHECK(tokenizer.eos() == 2);
  CHECK(tokenizer.prefix().empty());
  CHECK(tokenizer.encode("<s>ab", {false, true}).ids == Ids{1, 10});
}

TEST_CASE("files that are no SentencePiece model, or one that is not supported, are refused", "[tokenizer]") {
  const std::string good = pieces(false),
                    none = "m: found no SentencePiece model; allowed: a protocol buffer with pieces and scores";
  for (const std::string& bad : {std::string("\x0A\xFF", 2), good.substr(0, good.size() - 1), std::string("\x0B", 1),
                                 std::string(12, '\xFF'), bytes(2, whole(3, 1))})
    CHECK(error_of(bad) == none);
  CHECK(error_of("") == "m: found an empty file");
  CHECK(error_of("version https://git-lfs.github.com/spec/v1\n").find("m: found a Git LFS pointer") == 0);
  CHECK(error_of(good + piece("a", 0)) == "m: pieces[13]: found 'a' twice; allowed: once");
  CHECK(error_of(good + piece("", 0)) == "m: pieces[13]: found an empty piece; allowed: text");
  CHECK(error_of(good + piece("\xFF", 0)) == "m: pieces[13]: found bytes that are not UTF-8; allowed: UTF-8");
  CHECK(error_of(good + piece("<0x41>", 0, Type::kByte)) ==
        "m: pieces[13]: found '<0x41>', a byte, in a model without byte_fallback; allowed: other pieces");
  CHECK(error_of(good + piece("<x>", 0, Type::kUnknown)) == "m: pieces: found 2 pieces of type UNKNOWN; allowed: one");
  CHECK(error_of(piece("a", 0)) == "m: pieces: found 0 pieces of type UNKNOWN; allowed: one");
  CHECK(error_of(good + bytes(2, whole(35, 1))) ==
        "m: pieces: found 0 byte pieces; allowed: 256, since byte_fallback is set");
  CHECK(error_of(good + bytes(2, whole(3, 3))) ==
        "m: trainer_spec.model_type: found a model of words; allowed: unigram, BPE");
  CHECK(error_of(good + bytes(2, whole(3, 4))) ==
        "m: trainer_spec.model_type: found a model of characters; allowed: unigram, BPE");
  CHECK(error_of(good + bytes(2, whole(3, 9))) == "m: trainer_spec.model_type: found 9; allowed: 1 to 4");
  const std::string unused = good + piece("aa", -1, Type::kUnused);
  CHECK(read(unused).encode("aa").ids == Ids{9, 6});
  CHECK(error_of(unused + bytes(2, whole(3, 2))) ==
        "m: pieces[13]: found 'aa', whose type is UNUSED; allowed: pieces in use, in a BPE model");
  CHECK(error_of(good + bytes(3, bytes(2, "abc"))).find("m: precompiled_charsmap: found ") == 0);
}

TEST_CASE("a folder with nothing but tokenizer.model has a tokenizer; its config states BOS", "[tokenizer]") {
  const test::TempFolder folder;
  write_file(folder / "tokenizer.model", pieces(false));
  const auto prefix = [&](const std::string& config) {
    write_file(folder / "tokenizer_config.json", config);
    return tokenizer_from_folder(folder.path()).prefix();
  };
  const Tokenizer bare = tokenizer_from_folder(folder.path());
  CHECK(bare.prefix().empty());
  CHECK(bare.notes() == std::vector<std::string>{"no file says whether BOS stands before a text: none is put"});
  CHECK(prefix(R"({"tokenizer_class": "LlamaTokenizer"})") == Ids{1});
  CHECK(prefix(R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": false})").empty());
  CHECK(prefix(R"({"add_bos_token": true})") == Ids{1});
  CHECK(prefix(R"({"tokenizer_class": "XLNetTokenizer"})").empty());
  write_file(folder / "added_tokens.json", R"({"<pad>": 13})");
  CHECK(tokenizer_from_folder(folder.path()).encode("ab<pad>ab").ids == Ids{10, 13, 10});
  write_file(folder / "added_tokens.json", R"({"<pad>": 8})");
  CHECK(test::error_of([&] { tokenizer_from_folder(folder.path()); }) ==
        (folder / "tokenizer.model").string() +
            ": the added token '<pad>': found the id 8, which is 'ab' in the model");
  CHECK(tokenizer_from_file(folder / "tokenizer.model").encode("ab").ids == Ids{10});
}

TEST_CASE("real SentencePiece models give the library's ids", "[tokenizer]") {
  const fs::path data = fs::path(LW_SOURCE_DIR).parent_path() / "shared" / "data" / "tokenizers" / "sentencepiece";
  if (!fs::exists(data)) {
    WARN("skipped: there is no " + data.string());
    SUCCEED();
    return;
  }
  const std::vector<std::string> texts = {
      "-------",
      "I saw a  girl\u3000with a \uff76\uff9e telescope.  ",
      " \u2581\u3105\u2581x\t\u337f \ufb01",
      "\u543e\u8f29\u306f\u732b\u3067\u3042\u308b\u3002\u540d\u524d\u306f\u307e\u3060\u7121\u3044\u3002",
      "   ",
      "<s>a</s>"};
  const std::vector<Ids> english = {{4, 35, 415, 415, 415},
                                    {9, 459, 11, 939, 44, 11, 4, 0, 4, 142, 82, 8, 28, 21, 132, 6},
                                    {4, 4, 0, 4, 297, 0, 74, 25},
                                    {4, 0},
                                    {},
                                    {4, 0, 8, 0, 19, 0, 8, 0}};
  const std::vector<Ids> japanese = {
      {355, 64, 64, 64, 64, 64, 64},
      {6,    3213, 6,   1995, 931, 5808, 6,    931,  6,    2373, 1079, 2366, 2123, 6,    5808, 1079, 1485,
       1895, 6,    931, 6,    878, 6,    1485, 1129, 2123, 1129, 1995, 2355, 1477, 2586, 1129, 601},
      {6, 6, 0, 6, 5887, 7715, 4579, 6, 5642, 1079},
      {6, 3973, 6019, 9, 6022, 24, 5, 1606, 9, 2206, 2441, 5},
      {},
      {6, 6051, 1995, 4977, 931, 6051, 442, 1995, 4977}};
  const Tokenizer one = tokenizer_from_file(data / "test_model.model"),
                  two = tokenizer_from_file(data / "test_ja_model.model");
  for (size_t i = 0; i < texts.size(); ++i) {
    INFO(texts[i]);
    CHECK(one.encode(texts[i]).ids == english[i]);
    CHECK(two.encode(texts[i]).ids == japanese[i]);
  }
}

}  // namespace lw::sentencepiece_test
