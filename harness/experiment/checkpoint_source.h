// A checkpoint opened once, with its tokenizer. The code that evaluates it reads the weights.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/checkpoint/pretrained.h"
#include "harness/experiment/token_codec.h"
#include "harness/formats/hub_cache.h"

namespace lw {

class CheckpointSource {
 public:
  /// @param name a Hugging Face folder, a .gguf file, or the id of a model in the Hub's cache. @param pre how text is
  /// cut, for GGUF files that do not say.
  /// @throws Error of every kind.
  CheckpointSource(const std::string& name, std::string pre, AddBos add_bos = AddBos::kAuto);

  /// As it was named; an id of the Hub with its commit: "org/name@1f…".
  std::string name() const { return place_.pinned(); }
  /// Where an id of the Hub led; its id is "" for a path.
  const CheckpointPlace& place() const { return place_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  /// Read on first use. @throws Error(kInput) where there is no tokenizer, or where it has
  /// tokens without a row in the model's embedding.
  const TokenCodec& text() const;
  /// The reason that there is no tokenizer; "" where there is one. @throws as text() where it is not the model's.
  std::string why_no_text() const;
  /// Whether the family was always trained with BOS before its texts and fails without it.
  bool needs_bos() const;
  /// What a user should know about the files and the tokenizer, one sentence each.
  std::vector<std::string> notes() const;
  /// "safetensors", "GGUF 3".
  std::string format() const;
  /// "F32: 48 tensors, Q4_0: 12 tensors".
  std::string stored() const;
  /// SHA-256 of the files that hold weights, settings and vocabulary; computed on first use.
  const std::string& sha256() const;
  /// The key that the training length was read from, and its origin: "context_length, metadata".
  std::string train_length_origin() const;

 private:
  void read_text() const;

  CheckpointPlace place_;
  std::string path_, pre_;
  AddBos add_bos_;
  Checkpoint checkpoint_;
  mutable std::once_flag text_once_, hash_once_;
  mutable std::unique_ptr<const TokenCodec> text_;
  mutable std::optional<Error> no_text_;
  mutable std::string sha256_;
};

/// Opens each checkpoint of a config once.
class CheckpointSources {
 public:
  std::shared_ptr<const CheckpointSource> open(const std::string& path, const std::string& pre, AddBos add_bos);

 private:
  std::map<std::string, std::shared_ptr<const CheckpointSource>> open_;
};

}  // namespace lw
