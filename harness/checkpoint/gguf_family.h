// Reads llama.cpp's metadata and tensor names through the families of config.json: metadata become the config.json that
// the family would have, so that each family is read in one place. What is special to a family is in its file.
#pragma once
#include <memory>
#include <string>

#include "harness/checkpoint/config_writer.h"
#include "harness/checkpoint/pretrained.h"

namespace lw {

/// The metadata of one file, and the config.json that they become.
class GgufConfig {
 public:
  /// @param metadata full keys to values, with or without tokenizer.*. @param place for errors. @param source holds the
  /// tensors under their GGUF names. @throws Error(kInput) for an architecture that no family has.
  GgufConfig(const Json& metadata, const std::string& place, const TensorSource& source);

  const Family& family() const { return *family_; }
  const std::string& architecture() const { return architecture_; }
  /// With `model_type`. Call once. @throws Error(kInput) for a key that is not read.
  const Json& convert();
  const FamilyConfig& values() const { return keys_; }

  // For a family's from_gguf:
  /// The metadata below the architecture: "attention.head_count".
  FamilyConfig& keys() { return keys_; }
  ConfigWriter& config() { return config_; }
  bool has_tensor(std::string_view name) const { return source_.has(name); }
  /// The epsilon of RMSNorm or of LayerNorm, under the family's key.
  void rms_norm(const char* key = "rms_norm_eps");
  void layer_norm(const char* key);
  /// @param part the family rotates part of each head, and states the share even where it is the whole.
  void rope(bool part = false);
  /// `attention_bias`: whether queries have a bias.
  void attention_bias();

  int64_t width = 0, layers = 0, heads = 0, head_width = 0, ffn = 0, context = 0;  // of the file

 private:
  void read_shape();

  const Family* family_ = nullptr;
  std::string architecture_;
  FamilyConfig keys_;
  const TensorSource& source_;
  ConfigWriter config_;
};

/// @param metadata, place, source as above; shapes row-major.
/// @throws Error(kInput) for an architecture or a key that is not known here.
Checkpoint open_gguf_checkpoint(const Json& metadata, const std::string& place, std::unique_ptr<TensorSource> source);

}  // namespace lw
