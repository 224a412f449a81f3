// Damaged files: whatever happens to a file's bytes, reading ends in values or in one plain error.
//
// The mutations are the same in every run. Built with -fsanitize=address,undefined this also shows that no
// byte outside the file is touched.
#include <random>

#include "harness/formats/container.h"
#include "harness/formats/dtypes.h"
#include "harness/formats/gguf_vocabulary.h"
#include "harness/formats/shard_index.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

struct Outcome {
  size_t read = 0, refused = 0;
};

/// One or a few changes: a byte set, a bit flipped, a piece cut out, doubled or overwritten by a huge number.
std::string damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&random](size_t n) { return static_cast<size_t>(random()) % n; };
  for (size_t change = 0, changes = 1 + below(3); change < changes && !bytes.empty(); ++change) {
    const size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, 1 + below(8));
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, 1 + below(16)));
        break;
      default:
        for (size_t i = at; i < std::min(bytes.size(), at + 8); ++i) bytes[i] = i + 1 == at + 8 ? '\x7F' : '\xFF';
    }
  }
  return bytes;
}

/// Reads `count` damaged copies. Anything but an lw::Error about the input ends the test.
template <class Read>
Outcome read_damaged(const std::string& good, size_t count, Read read) {
  read(good);  // must not throw
  std::mt19937 random(7);
  Outcome outcome;
  for (size_t i = 0; i < count; ++i) {
    const std::string bytes = damaged(good, random);
    try {
      read(bytes);
      ++outcome.read;
    } catch (const Error& e) {
      const bool is_plain = e.kind() == ErrorKind::kInput;
      const std::string message = e.what();
      if (!is_plain || message.find('\n') != std::string::npos || message.size() > 2000) FAIL(message);
      ++outcome.refused;
    }
  }
  return outcome;
}

void read_gguf(const std::string& bytes) {
  const GgufContents contents = parse_gguf(bytes_of(bytes), "f");
  for (const auto& [key, value] : contents.metadata) value.text();
  for (const auto& tensor : contents.tensors) {
    std::vector<float> out(*element_count(tensor.shape));
    if (tensor.type->is_readable) dequantise(*tensor.type, tensor.bytes, out, "f");
  }
}

void read_safetensors(const std::string& bytes) {
  const SafetensorsContents contents = parse_safetensors(bytes_of(bytes), "f");
  for (const auto& entry : contents.entries) {
    if (entry.bytes.empty() || entry.dtype == "F4") continue;
    std::vector<float> out(*element_count(entry.shape));
    float32_from(entry.dtype, entry.bytes, out, "f");
  }
}

}  // namespace

TEST_CASE("damaged safetensors files", "[formats]") {
  const std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],)"
                             R"("data_offsets":[0,16]},"b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]},)"
                             R"("c":{"dtype":"F16","shape":[],"data_offsets":[22,24]}})";
  const Outcome o = read_damaged(safetensors_of(header, std::string(24, '\1')), 20000, read_safetensors);
  CHECK(o.refused > 10000);  // most of the file is header, where little may change
  CHECK(o.read > 100);
}

TEST_CASE("damaged GGUF files", "[formats]") {
  Gguf file;
  file.keys = {Gguf::key("general.architecture", 8, Gguf::text("llama")),
               Gguf::key("general.alignment", 4, raw(uint32_t{32})),
               Gguf::array("tokenizer.ggml.tokens", 8, 2, Gguf::text("a") + Gguf::text("b")),
               Gguf::array("tokenizer.ggml.scores", 6, 2, raw(1.0F) + raw(2.0F)), Gguf::key("eps", 6, raw(1e-5F))};
  file.tensors = {Gguf::tensor("a", {32, 2}, 8, 0), Gguf::tensor("b", {2, 2}, 0, 96),
                  Gguf::tensor("c", {256}, 14, 128)};
  file.data = std::string(128 + 210, '\1');
  const Outcome o = read_damaged(file.bytes(), 20000, read_gguf);
  CHECK(o.refused > 5000);
  CHECK(o.read > 1000);
}

TEST_CASE("damaged indices", "[formats]") {
  const std::string index = R"({"metadata": {"total_size": 12}, "weight_map": {"a": "m-1.safetensors"}})";
  const Outcome shards = read_damaged(index, 5000, [](const std::string& text) { parse_shard_index(text, "f"); });
  CHECK(shards.refused > 2000);
  CHECK(shards.read > 100);
}

TEST_CASE("damaged vocabularies", "[formats]") {
  const test::TempFolder folder;
  Gguf file;
  file.keys = {Gguf::key("tokenizer.ggml.model", 8, Gguf::text("gpt2")),
               Gguf::array("tokenizer.ggml.tokens", 8, 2, Gguf::text("a") + Gguf::text("b")),
               Gguf::array("tokenizer.ggml.token_type", 5, 2, raw(1) + raw(3)),
               Gguf::key("tokenizer.ggml.bos_token_id", 4, raw(uint32_t{1}))};
  const Outcome o = read_damaged(file.bytes(), 1500, [&](const std::string& bytes) {
    write_file(folder / "v", bytes);
    read_gguf_vocabulary(GgufFile(folder / "v"));
  });
  CHECK(o.refused > 500);
}

}  // namespace lw::formats_test
