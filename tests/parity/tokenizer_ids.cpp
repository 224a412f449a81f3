// Encodes many texts for tests/parity/tokenizer_ids.py, which compares the ids with those of the tokenizers library.
//
// usage: tokenizer_ids TOKENIZER TEXTS IDS [parse_special] [pre=NAME]
// TOKENIZER is a folder, a tokenizer.json, a SentencePiece .model or a .gguf. TEXTS holds for each text its length (32
// bits, little-endian) and its bytes; IDS gets for each the number of ids, the ids, the length of the decoded text and
// that text.
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iostream>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/tokenizer/from_json.h"
#include "tests/tokenizer/gguf_vocabulary.h"

namespace {

void put(std::string& out, uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift);
}

lw::Tokenizer load(const std::filesystem::path& path, const std::optional<std::string>& pre) {
  if (std::filesystem::is_directory(path)) return lw::tokenizer_from_folder(path);
  if (path.extension() == ".json" || path.extension() == ".model") return lw::tokenizer_from_file(path);
  return lw::tokenizer_from_gguf(lw::test::GgufMetadata(path).vocabulary(), path.string(), pre);
}

int run(int argc, char** argv) {
  if (argc < 4)
    throw lw::Error(lw::ErrorKind::kUsage, "usage: tokenizer_ids TOKENIZER TEXTS IDS [parse_special] [pre=NAME]");
  lw::EncodeOptions options;
  std::optional<std::string> pre;
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "parse_special") options.parse_special = true;
    if (word.rfind("pre=", 0) == 0) pre = word.substr(4);
  }
  const lw::Tokenizer tokenizer = load(argv[1], pre);
  const std::string texts = lw::read_file(argv[2]);
  std::string out;
  double seconds = 0.0;
  for (size_t at = 0; at < texts.size();) {
    uint32_t length = 0;
    std::memcpy(&length, texts.data() + at, sizeof length);
    at += sizeof length;
    const std::clock_t begin = std::clock();  // of this process: other work on the machine does not count
    const lw::Encoding encoding = tokenizer.encode(std::string_view(texts).substr(at, length), options);
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    at += length;
    put(out, static_cast<uint32_t>(encoding.ids.size()));
    for (const int64_t id : encoding.ids) put(out, static_cast<uint32_t>(id));
    const std::string decoded = tokenizer.decode(encoding.ids);
    put(out, static_cast<uint32_t>(decoded.size()));
    out += decoded;
  }
  lw::write_file(argv[3], out);
  std::cout << seconds << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 2;
  }
}
