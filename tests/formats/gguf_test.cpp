// GGUF files: what they hold comes back, and every way one can be broken has its message.
#include "harness/formats/gguf.h"

#include "harness/base/json_read.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string error_of(const std::string& bytes, ErrorKind kind = ErrorKind::kInput) {
  return message_of(
      "f", [&] { parse_gguf(bytes_of(bytes), "f"); }, kind);
}

std::string key_error(const std::string& key) {
  Gguf file;
  file.keys = {key};
  return error_of(file.bytes());
}

/// A file with these tensors and as many bytes of data.
std::string tensor_error(const std::vector<std::string>& tensors, size_t data, ErrorKind kind = ErrorKind::kInput) {
  Gguf file;
  file.tensors = tensors;
  file.data = std::string(data, '\0');
  return error_of(file.bytes(), kind);
}

}  // namespace

TEST_CASE("metadata of every type and tensors come back", "[formats]") {
  Gguf file;
  file.alignment = 64;
  // The vocabulary comes before the architecture in files of llama2.c's converter: order means nothing.
  file.keys = {Gguf::array("tokenizer.ggml.tokens", 8, 2, Gguf::text("<s>") + Gguf::text(std::string("\0\xFF", 2))),
               Gguf::key("u8", 0, raw(uint8_t{200})),
               Gguf::key("i8", 1, raw(int8_t{-7})),
               Gguf::key("u16", 2, raw(uint16_t{60000})),
               Gguf::key("i16", 3, raw(int16_t{-300})),
               Gguf::key("u32", 4, raw(uint32_t{4294967295})),
               Gguf::key("i32", 5, raw(int32_t{-1})),
               Gguf::key("f32", 6, raw(1e-5F)),
               Gguf::key("bool", 7, std::string(1, '\1')),
               Gguf::key("general.architecture", 8, Gguf::text("llama")),
               Gguf::key("u64", 10, raw(~uint64_t{0})),
               Gguf::key("i64", 11, raw(int64_t{-5})),
               Gguf::key("f64", 12, raw(0.1)),
               Gguf::array("empty", 6, 0, ""),
               Gguf::array("many", 5, 5, raw(1) + raw(2) + raw(3) + raw(4) + raw(5)),
               Gguf::key("general.alignment", 4, raw(uint32_t{64}))};
  file.tensors = {Gguf::tensor("a", {3, 2}, 0, 0), Gguf::tensor("b", {32}, 8, 64)};
  for (int i = 0; i < 6; ++i) file.data += raw(static_cast<float>(i));
  file.data.resize(64, '\0');
  file.data += raw(uint16_t{0x3C00}) + std::string(32, '\3');
  for (const uint32_t version : {2U, 3U}) {
    file.version = version;
    const std::string bytes = file.bytes();
    const GgufContents contents = parse_gguf(bytes_of(bytes), "f");
    CHECK(contents.version == version);
    std::map<std::string, std::string> texts;
    for (const auto& [key, value] : contents.metadata) texts[key] = value.text();
    CHECK(texts == std::map<std::string, std::string>{{"tokenizer.ggml.tokens", "[\"<s>\", \"\\x00\\xff\"]"},
                                                      {"u8", "200"},
                                                      {"i8", "-7"},
                                                      {"u16", "60000"},
                                                      {"i16", "-300"},
                                                      {"u32", "4294967295"},
                                                      {"i32", "-1"},
                                                      {"f32", "1e-05"},
                                                      {"bool", "true"},
                                                      {"general.architecture", "\"llama\""},
                                                      {"u64", "18446744073709551615"},
                                                      {"i64", "-5"},
                                                      {"f64", "0.1"},
                                                      {"empty", "[]"},
                                                      {"many", "[1, 2, 3, 4, ... (5)]"},
                                                      {"general.alignment", "64"}});
    CHECK(std::get<GgufValue::Numbers>(contents.metadata.at("f32").values)[0] == double{1e-5F});
    CHECK(std::get<GgufValue::Texts>(contents.metadata.at("tokenizer.ggml.tokens").values)[1] ==
          std::string("\0\xFF", 2));
    REQUIRE(contents.tensors.size() == 2);
    CHECK(contents.tensors[0].shape == std::vector<int64_t>{2, 3});  // the file says 3, 2: innermost first
    CHECK(contents.tensors[0].bytes.size() == 24);
    CHECK(contents.tensors[1].type->name == "Q8_0");
    CHECK(contents.tensors[1].bytes.size() == 34);
    CHECK(contents.tensors[1].bytes.data() == bytes_of(bytes).data() + bytes.size() - 34);
  }
}

TEST_CASE("files that are no GGUF say what they are", "[formats]") {
  CHECK(error_of("") == "found an empty file");
  CHECK(error_of("GG") == "found no GGUF file: it does not begin with 'GGUF'");
  CHECK(error_of("GGUF") == "the version: found 0 bytes left in the file where 4 are needed; cut short, or damaged?");
  CHECK(error_of("some text") == "found no GGUF file: it does not begin with 'GGUF'");
  CHECK(error_of(small_safetensors({"w"})) == "found a safetensors file");
  CHECK(error_of("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n") ==
        "found a Git LFS pointer, not the file itself; get it with 'git lfs pull'");
  CHECK(error_of("<!DOCTYPE html><html>") == "found an HTML page; was a web page downloaded instead of the file?");
  CHECK(error_of("tjgg\1\0\0\0") == "found a GGML file from before GGUF, which is not read; convert it to GGUF");
  Gguf file;
  for (const uint32_t version : {0U, 1U, 4U}) {
    file.version = version;
    CHECK(error_of(file.bytes()) == "found GGUF version " + std::to_string(version) + "; allowed: 2, 3");
  }
  file.version = 0x03000000;
  CHECK(error_of(file.bytes()) == "found a big-endian GGUF file, which is not supported; convert it to little endian");
}

TEST_CASE("every cut of a good GGUF file is noticed", "[formats]") {
  Gguf file;
  file.keys = {Gguf::key("general.architecture", 8, Gguf::text("llama")),
               Gguf::array("a", 4, 2, raw(uint32_t{1}) + raw(uint32_t{2}))};
  file.tensors = {Gguf::tensor("w", {4}, 0, 0)};
  file.data = std::string(16, '\1');
  const std::string bytes = file.bytes();
  CHECK(error_of(bytes).empty());
  for (size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK_FALSE(error_of(bytes.substr(0, size)).empty());
  }
  CHECK(error_of(bytes.substr(0, bytes.size() - 1)) ==
        "w: found 16 bytes at offset 0 of 15 bytes of data; cut short, or damaged?");
}

TEST_CASE("huge counts and lengths are compared with the bytes that are left", "[formats]") {
  Gguf file;
  file.keys = {Gguf::key("k", 0, "x")};
  file.key_count = uint64_t{1} << 63;
  CHECK(error_of(file.bytes()) ==
        "found 9223372036854775808 metadata keys, which 14 bytes cannot hold; cut short, or damaged?");
  file.key_count = 1;
  file.tensor_count = uint64_t{1} << 40;
  CHECK(error_of(file.bytes()) == "found 1099511627776 tensors, which 0 bytes cannot hold; cut short, or damaged?");
  // A key, a text and an array as long as no file is.
  const std::string start = Gguf{3, 0, 1, {}, {}, "", 32}.bytes();
  CHECK(error_of(start + raw(uint64_t{1} << 48) + std::string(24, 'x')) ==
        "metadata key 0: found a text of 281474976710656 bytes; allowed: 1073741824 or fewer");
  CHECK(error_of(start + raw(uint64_t{1} << 29) + std::string(24, 'x')) ==
        "metadata key 0: found 24 bytes left in the file where 536870912 are needed; cut short, or damaged?");
  CHECK(key_error(Gguf::key("k", 8, raw(uint64_t{1} << 60))) ==
        "k: found a text of 1152921504606846976 bytes; allowed: 1073741824 or fewer");
  CHECK(key_error(Gguf::array("k", 8, 1000, "")) ==
        "k: found an array of 1000 elements with 0 bytes left in the file; cut short, or damaged?");
  CHECK(key_error(Gguf::array("k", 0, ~uint64_t{0}, "xxxxxxxx")) ==
        "k: found an array of 18446744073709551615 elements with 8 bytes left in the file; cut short, or damaged?");
  CHECK(key_error(Gguf::array("k", 12, 2, "xxxxxxxx")) ==
        "k: found an array of 2 elements with 8 bytes left in the file; cut short, or damaged?");
}

TEST_CASE("metadata that is not what it should be", "[formats]") {
  CHECK(key_error(Gguf::key("", 4, "wxyz")) == "metadata key 0: found an empty key; allowed: a name");
  CHECK(key_error(Gguf::key("k", 13, "xxxxxxxx")) == "k: found value type 13; allowed: 0 to 12");
  CHECK(key_error(Gguf::array("k", 13, 0, "")) == "k: found value type 13; allowed: 0 to 12");
  CHECK(key_error(Gguf::array("k", 9, 1, raw(uint32_t{0}) + raw(uint64_t{0}))) ==
        "k: found an array of arrays; allowed: scalars and texts");
  CHECK(key_error(Gguf::key("k", 7, "\2")) == "k: found the bool 2; allowed: 0, 1");
  Gguf twice;
  twice.keys = {Gguf::key("k", 0, "x"), Gguf::key("k", 0, "x")};
  CHECK(error_of(twice.bytes()) == "k: found twice; each key may stand once");
  const std::string at = "general.alignment: found ";
  for (const uint32_t wrong : {0U, 3U, 1U << 30})
    CHECK(key_error(Gguf::key("general.alignment", 4, raw(wrong))) ==
          at + std::to_string(wrong) + "; allowed: a power of two up to 65536");
  CHECK(key_error(Gguf::key("general.alignment", 10, raw(uint64_t{32}))) == at + "a value of type u64; allowed: u32");
  CHECK(key_error(Gguf::array("general.alignment", 4, 1, raw(uint32_t{32}))) ==
        at + "a value of type u32; allowed: u32");
}

TEST_CASE("tensors whose description cannot be", "[formats]") {
  CHECK(tensor_error({Gguf::tensor("w", {}, 0, 0)}, 64) == "w: found 0 dimensions; allowed: 1 to 4");
  CHECK(tensor_error({Gguf::tensor("w", {1, 1, 1, 1, 1}, 0, 0)}, 64) == "w: found 5 dimensions; allowed: 1 to 4");
  CHECK(tensor_error({Gguf::tensor("w", {4, 0}, 0, 0)}, 64) ==
        "w: found a dimension of 0; allowed: 1 or more, as the file holds");  // the reference once divided by it
  CHECK(tensor_error({Gguf::tensor("w", {uint64_t{1} << 63}, 0, 0)}, 64) ==
        "w: found a dimension of 9223372036854775808; allowed: 1 or more, as the file holds");
  CHECK(tensor_error({Gguf::tensor("w", {(uint64_t{1} << 42) + 1}, 0, 0)}, 64) ==
        "w: found 17592186044420 bytes at offset 0 of 64 bytes of data; cut short, or damaged?");
  CHECK(tensor_error({Gguf::tensor("w", {uint64_t{1} << 32, uint64_t{1} << 32}, 0, 0)}, 64) ==
        "w: found shape [4294967296, 4294967296], which no file can hold");
  CHECK(tensor_error({Gguf::tensor("w", {uint64_t{1} << 62}, 0, 0)}, 64) ==  // times four bytes it wraps to zero
        "w: found shape [4611686018427387904], which no file can hold");
  // The largest that does not wrap by itself: with the padding behind it the sum would.
  CHECK(tensor_error({Gguf::tensor("w", {(uint64_t{1} << 62) - 1}, 0, 0), Gguf::tensor("v", {4}, 0, 0)}, 64) ==
        "w: found 18446744073709551612 bytes at offset 0 of 64 bytes of data; cut short, or damaged?");
  CHECK(tensor_error({Gguf::tensor("w", {33}, 2, 0)}, 64) ==
        "w: found rows of 33 elements; allowed for Q4_0: multiples of 32");
  CHECK(tensor_error({Gguf::tensor("w", {576}, 12, 0)}, 512) ==
        "w: found rows of 576 elements; allowed for Q4_K: multiples of 256");
  CHECK(tensor_error({Gguf::tensor("", {4}, 0, 0)}, 64) == "tensor 0: found a name of 0 bytes; allowed: 1 to 63");
  CHECK(tensor_error({Gguf::tensor(std::string(64, 'n'), {4}, 0, 0)}, 64) ==
        "tensor 0: found a name of 64 bytes; allowed: 1 to 63");
  CHECK(tensor_error({Gguf::tensor(std::string(63, 'n'), {4}, 0, 0)}, 64).empty());
  for (const uint32_t none : {4U, 31U, 99U})
    CHECK_THAT(tensor_error({Gguf::tensor("w", {4}, none, 0)}, 64),
               ContainsSubstring("w: found tensor type " + std::to_string(none) + ", which is unknown"));
  CHECK(tensor_error({Gguf::tensor("w", {64}, 40, 0)}, 64) ==
        "w: found type NVFP4; readable as weights: " + readable_ggml_types());
}

TEST_CASE("tensors lie in order, without holes, on bytes of their own", "[formats]") {
  const auto f32 = [](const std::string& name, uint64_t offset) { return Gguf::tensor(name, {4}, 0, offset); };
  const std::string next = ", where the tensor before it ends (aligned to 32)";
  CHECK(tensor_error({f32("a", 0), f32("b", 32)}, 48).empty());  // the last needs no padding
  CHECK(tensor_error({f32("a", 0), f32("b", 32)}, 64).empty());
  CHECK(tensor_error({f32("a", 0), f32("b", 16)}, 64) == "b: found offset 16; allowed: 32" + next);
  CHECK(tensor_error({f32("a", 0), f32("b", 0)}, 64) == "b: found offset 0; allowed: 32" + next);
  CHECK(tensor_error({f32("a", 0), f32("b", 64)}, 96) == "b: found offset 64; allowed: 32" + next);
  CHECK(tensor_error({f32("a", 32), f32("b", 0)}, 64) == "a: found offset 32; allowed: 0" + next);
  CHECK(tensor_error({f32("a", ~uint64_t{0})}, 64) == "a: found offset 18446744073709551615; allowed: 0" + next);
  CHECK(tensor_error({f32("a", 0), f32("b", 32)}, 32) ==
        "b: found 16 bytes at offset 32 of 32 bytes of data; cut short, or damaged?");
  CHECK(tensor_error({f32("a", 0), f32("a", 32)}, 64) == "a: found twice; each tensor may stand once");
}

TEST_CASE("real GGUF files", "[formats]") {
  if (const auto path = real_data("stories260K/stories260K.gguf")) {
    const GgufFile file(*path);
    CHECK(file.tensors().size() == 48);
    CHECK(file.metadata().size() == 19);
    CHECK(file.find("llama.context_length")->text() == "128");
    CHECK(file.find("tokenizer.ggml.padding_token_id")->text() == "4294967295");
    CHECK(file.find("no.such.key") == nullptr);
  }
  if (const auto path = real_data("vocab/ggml-vocab-gpt-2.gguf")) {
    const GgufFile file(*path);
    CHECK(file.tensors().empty());
    CHECK(file.find("tokenizer.ggml.merges")->size() == 50000);
  }
}

TEST_CASE("metadata as JSON keep their types, and leave the tokenizer out", "[formats]") {
  const test::TempFolder folder;
  Gguf file;
  file.keys = {Gguf::key("llama.context_length", 10, raw(uint64_t{128})),
               Gguf::key("llama.eps", 6, raw(1e-5F)),
               Gguf::key("llama.parallel", 7, std::string(1, '\1')),
               Gguf::array("llama.head_count_kv", 5, 2, raw(4) + raw(8)),
               Gguf::array("llama.flags", 7, 2, std::string("\1\0", 2)),
               Gguf::key("general.name", 8, Gguf::text("m")),
               Gguf::array("tokenizer.ggml.tokens", 8, 1, Gguf::text("a"))};
  write_file(folder / "m.gguf", file.bytes());
  CHECK(model_metadata(GgufFile(folder / "m.gguf")) == SortedJson{{"llama.context_length", 128},
                                                                  {"llama.eps", double{1e-5F}},
                                                                  {"llama.parallel", true},
                                                                  {"llama.head_count_kv", {4, 8}},
                                                                  {"llama.flags", {true, false}},
                                                                  {"general.name", "m"}});
}

}  // namespace lw::formats_test
