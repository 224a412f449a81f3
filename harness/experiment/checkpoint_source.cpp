#include "harness/experiment/checkpoint_source.h"

#include <filesystem>
#include <optional>

#include "harness/base/files.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/formats/container.h"
#include "harness/formats/gguf_vocabulary.h"
#include "harness/tokenizer/from_gguf.h"
#include "harness/tokenizer/from_json.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

/// Files beside the weights that decide what a model computes and how it reads text.
constexpr const char* kSettings[] = {
    "config.json",       "tokenizer.json", "tokenizer_config.json",   "vocab.json",      "merges.txt",
    "added_tokens.json", "vocab.txt",      "special_tokens_map.json", "tokenizer.model", "spiece.model"};

Tokenizer tokenizer_of(const Checkpoint& checkpoint, const std::string& path, const std::string& pre) {
  const GgufFile* gguf = checkpoint.container->gguf();
  if (gguf == nullptr) {
    for (const char* name : {"tokenizer.json", "tokenizer_config.json", "vocab.json"})
      if (fs::exists(fs::path(path) / name)) read_json_text(fs::path(path) / name);  // a Git LFS pointer says so
    return tokenizer_from_folder(path);
  }
  return tokenizer_from_gguf(read_gguf_vocabulary(*gguf), path,
                             pre.empty() ? std::nullopt : std::optional<std::string>(pre));
}

}  // namespace

CheckpointSource::CheckpointSource(const std::string& name, std::string pre, AddBos add_bos)
    : place_(locate_checkpoint(name)),
      path_(place_.path.string()),
      pre_(std::move(pre)),
      add_bos_(add_bos),
      checkpoint_(open_checkpoint(path_)) {}

void CheckpointSource::read_text() const {
  std::call_once(text_once_, [this] {
    std::optional<Tokenizer> tokenizer;
    try {
      tokenizer.emplace(tokenizer_of(checkpoint_, path_, pre_));
    } catch (const Error& e) {
      no_text_ = e;
      return;
    }
    text_ = std::make_unique<TokenCodec>(std::move(*tokenizer), checkpoint_.model.model.vocabulary, path_, add_bos_);
  });
}

const TokenCodec& CheckpointSource::text() const {
  read_text();
  if (no_text_) throw *no_text_;
  return *text_;
}

std::string CheckpointSource::why_no_text() const {
  read_text();
  return no_text_ ? no_text_->what() : "";
}

bool CheckpointSource::needs_bos() const { return checkpoint_.family->needs_bos; }

std::vector<std::string> CheckpointSource::notes() const {
  std::vector<std::string> out = checkpoint_.container->notes();
  out.insert(out.end(), checkpoint_.remarks.begin(), checkpoint_.remarks.end());
  if (!why_no_text().empty()) return out;
  out.insert(out.end(), text().notes().begin(), text().notes().end());
  if (needs_bos() && !text().bos().id)
    out.push_back("texts begin without BOS, and " + std::string(checkpoint_.family->name) +
                  " was never trained so: its losses will be far too high; add_bos: true puts one");
  return out;
}

std::string CheckpointSource::format() const {
  const GgufFile* gguf = checkpoint_.container->gguf();
  return gguf == nullptr ? "safetensors" : lw::text("GGUF ", gguf->version());
}

std::string CheckpointSource::stored() const {
  std::map<std::string, int64_t> counts;
  for (const auto& tensor : checkpoint_.container->tensors()) ++counts[tensor.dtype];
  std::string out;
  for (const auto& [dtype, count] : counts)
    out += (out.empty() ? "" : ", ") + dtype + ": " + format_grouped(count) + (count == 1 ? " tensor" : " tensors");
  return out;
}

const std::string& CheckpointSource::sha256() const {
  std::call_once(hash_once_, [this] {
    std::vector<fs::path> files = checkpoint_.container->files();
    if (fs::is_directory(path_))
      for (const char* name : kSettings)
        if (fs::exists(fs::path(path_) / name)) files.push_back(fs::path(path_) / name);
    if (files.size() == 1) {
      sha256_ = sha256_of_file(files.front());  // as sha256sum prints it
      return;
    }
    std::string all;
    for (const auto& file : files) all += file.filename().string() + "\n" + sha256_of_file(file) + "\n";
    sha256_ = lw::sha256(all);
  });
  return sha256_;
}

std::string CheckpointSource::train_length_origin() const {
  const std::string value = std::to_string(checkpoint_.model.train_length);
  for (const char* key : {"original_max_position_embeddings", "rope.scaling.original_context_length", "context_length",
                          "max_position_embeddings", "n_positions"})
    for (const auto& known : checkpoint_.values)
      if (known.key.ends_with(key) && known.value == value) return known.key + ", " + known.origin;
  return "";
}

std::shared_ptr<const CheckpointSource> CheckpointSources::open(const std::string& path, const std::string& pre,
                                                                AddBos add_bos) {
  auto& known = open_[path + "\n" + pre + "\n" + name_of(kAddBosWords, add_bos)];
  if (known == nullptr) known = std::make_shared<const CheckpointSource>(path, pre, add_bos);
  return known;
}

}  // namespace lw
