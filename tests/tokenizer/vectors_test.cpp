// Ids of real vocabularies: vectors made with the reference implementations, and counts of whole files.
#include <filesystem>
#include <optional>
#include <sstream>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/tokenizer/from_json.h"
#include "tests/catch.h"
#include "tests/tokenizer/gguf_vocabulary.h"

namespace lw::vectors_test {
namespace {

namespace fs = std::filesystem;

/// The folder of real vocabularies and texts beside the source tree; nothing where it is absent.
std::optional<fs::path> data() {
  const fs::path folder = fs::path(LW_SOURCE_DIR).parent_path() / "shared" / "data";
  if (fs::exists(folder)) return folder;
  WARN("skipped: there is no " + folder.string());
  SUCCEED();  // Catch takes a case without any assertion for a mistake
  return std::nullopt;
}

Tokenizer from_gguf(const fs::path& path, const std::optional<std::string>& pre = std::nullopt) {
  return tokenizer_from_gguf(test::GgufMetadata(path).vocabulary(), path.filename().string(), pre);
}

std::vector<std::string> texts_of(const fs::path& path) {
  const std::string all = read_file(path);
  const std::string between = "\n__ggml_vocab_test__\n";
  std::vector<std::string> texts;
  size_t begin = 0;
  for (size_t end; (end = all.find(between, begin)) != std::string::npos; begin = end + between.size())
    texts.push_back(all.substr(begin, end - begin));
  return texts;
}

std::vector<std::vector<int64_t>> ids_of(const fs::path& path) {
  std::vector<std::vector<int64_t>> all;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    all.emplace_back();
    for (int64_t id = 0; words >> id;) all.back().push_back(id);
  }
  return all;
}

/// Every text of the vectors in the folder gives its ids, and most give the text again.
void check_vectors(const Tokenizer& tokenizer, const fs::path& folder, const std::string& name) {
  const auto texts = texts_of(folder / ("ggml-vocab-" + name + ".gguf.inp"));
  const auto ids = ids_of(folder / ("ggml-vocab-" + name + ".gguf.out"));
  INFO(name << " in " << folder);
  CHECK(texts.size() >= 40);
  REQUIRE(texts.size() <= ids.size());
  size_t wrong = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (tokenizer.encode(texts[i]).ids == ids[i]) continue;
    ++wrong;
    INFO(texts[i]);
    CHECK(tokenizer.encode(texts[i]).ids == ids[i]);
  }
  CHECK(wrong == 0);
}

void check_both(const Tokenizer& tokenizer, const fs::path& data, const std::string& name) {
  check_vectors(tokenizer, data / "vocab", name);
  check_vectors(tokenizer, data / "vectors" / "llama.cpp-new", name);
}

/// The form in which the data set's rows are usually joined: a row is a line with its end, or empty; between two
/// stands an empty line.
std::string as_rows(const std::string& text) {
  std::string joined;
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (begin != 0) joined += "\n\n";
    if (line.find_first_not_of(' ') != std::string::npos) joined += line + "\n";
  }
  return joined;
}

size_t count(const Tokenizer& tokenizer, const std::string& text) { return tokenizer.encode(text).ids.size(); }

}  // namespace

TEST_CASE("vectors of llama.cpp's test set", "[tokenizer]") {
  const auto folder = data();
  if (!folder) return;
  const fs::path vocab = *folder / "vocab";
  const fs::path files = *folder / "tokenizers";
  for (const char* name : {"gpt-2", "mpt", "phi-3", "starcoder"})
    check_both(from_gguf(vocab / ("ggml-vocab-" + std::string(name) + ".gguf")), *folder, name);
  check_both(tokenizer_from_folder(files / "ort_phi-3"), *folder, "phi-3");
  // phi-3 has Llama-2's pieces, and these texts hold none of the tokens that it adds.
  check_both(tokenizer_from_folder(files / "ort_phi-3"), *folder, "llama-spm");
  check_both(tokenizer_from_folder(files / "qwen2"), *folder, "qwen2");
}

TEST_CASE("vectors of swift-transformers", "[tokenizer]") {
  const auto folder = data();
  if (!folder) return;
  const fs::path vectors = *folder / "vectors" / "swift-transformers";
  const Tokenizer gpt2 = from_gguf(*folder / "vocab" / "ggml-vocab-gpt-2.gguf");
  const Tokenizer llama2 = from_gguf(*folder / "vocab" / "ggml-vocab-phi-3.gguf");  // the same pieces, and BOS first
  const auto check = [](const Tokenizer& tokenizer, const std::string& text, const Json& ids) {
    INFO(text);
    CHECK(tokenizer.encode(text, {true, false}).ids == ids.get<std::vector<int64_t>>());
    CHECK(tokenizer.decode(ids.get<std::vector<int64_t>>(), true) == text);
  };
  const Json tests = parse_json(read_file(vectors / "tokenizer_tests.json"), "tokenizer_tests.json");
  for (const auto& [tokenizer, name] :
       {std::pair{&gpt2, "distilgpt2"}, std::pair{&llama2, "coreml-projects/Llama-2-7b-chat-coreml"}})
    for (const Json& one : tests[name]) check(*tokenizer, one["input"].get<std::string>(), one["encoded"]["input_ids"]);
  for (const auto& [tokenizer, name] :
       {std::pair{&gpt2, "gpt2_encoded_tokens.json"}, std::pair{&llama2, "llama_encoded.json"}}) {
    const Json one = parse_json(read_file(vectors / name), name);
    check(*tokenizer, one["text"].get<std::string>(), one["token_ids"]);
  }
}

TEST_CASE("whole files have the counts that are published", "[tokenizer]") {
  const auto folder = data();
  if (!folder) return;
  const fs::path vocab = *folder / "vocab";
  const std::string wiki = read_file(*folder / "text" / "wiki.test.raw");
  const Tokenizer gpt2 = from_gguf(vocab / "ggml-vocab-gpt-2.gguf");
  CHECK(count(gpt2, wiki) == 286221);
  CHECK(count(from_gguf(vocab / "ggml-vocab-phi-3.gguf"), wiki) == 335687);
  CHECK(count(tokenizer_from_folder(*folder / "tokenizers" / "ort_phi-3"), wiki) == 335687);
  CHECK(count(from_gguf(vocab / "ggml-vocab-mpt.gguf"), wiki) == 287159);
  CHECK(count(from_gguf(vocab / "ggml-vocab-starcoder.gguf"), wiki) == 355915);
  const std::string rows = as_rows(wiki);
  CHECK(sha256(rows).substr(0, 12) == "696cca6b65a1");
  CHECK(count(gpt2, rows) == 287644);
  CHECK(count(from_gguf(vocab / "ggml-vocab-phi-3.gguf"), rows) == 341468);
  CHECK(count(from_gguf(vocab / "ggml-vocab-mpt.gguf"), rows) == 288730);
  CHECK(count(from_gguf(vocab / "ggml-vocab-starcoder.gguf"), rows) == 355923);
  const std::string shakespeare = read_file(*folder / "text" / "tinyshakespeare.txt");
  CHECK(count(gpt2, shakespeare) == 338025);
  const std::string head = shakespeare.substr(0, static_cast<size_t>(0.9 * static_cast<double>(shakespeare.size())));
  CHECK(count(gpt2, head) == 301966);
  CHECK(count(gpt2, shakespeare.substr(head.size())) == 36059);
}

}  // namespace lw::vectors_test
