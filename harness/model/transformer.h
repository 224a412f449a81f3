// The one transformer behind every model, trained here or loaded, causal or bidirectional, with any position scheme.
// Families of checkpoints differ in switches of ModelConfig. Parameters are named as in Hugging Face's LLaMA where it
// has a counterpart.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "encodings/position_sampler.h"
#include "harness/model/block.h"

namespace lw {

/// Keys and values of every layer, and how many tokens they cover.
struct Cache {
  std::vector<LayerCache> layers;
  int64_t length = 0;
};

class Transformer : public Module {
 public:
  Transformer(ModelConfig config, std::shared_ptr<PositionEncoding> encoding);
  /// Draws every parameter anew; the same rng gives the same weights on every machine.
  void reset_parameters(const Rng& rng);

  /// Final hidden states, normalised: [B, T, D].
  /// @param tokens_BT int64. @param pos_BT int64 positions; B may be 1 for all rows alike.
  /// @param cache extended by these tokens when not null. @param tile see attend().
  /// @param only_BQ when defined, indices into T: only these hidden states are returned. [B, Q, D]
  /// @param memory_BSD an encoder's output, for models with cross attention.
  /// @throws Error(kUnsupported) for positions that the scheme does not define.
  at::Tensor hidden(const at::Tensor& tokens_BT, const at::Tensor& pos_BT, Cache* cache = nullptr, int64_t tile = 0,
                    const at::Tensor& only_BQ = {}, const at::Tensor& memory_BSD = {});
  /// Logits of hidden states: [..., V], in the type of the hidden states, which may be wider than that of the weights.
  /// @throws Error(kInput) for a model that has no output weights.
  at::Tensor logits(const at::Tensor& hidden_D) const;

  const ModelConfig& config() const { return config_; }
  PositionEncoding& encoding() { return *encoding_; }
  std::shared_ptr<PositionEncoding> shared_encoding() const { return encoding_; }
  /// Shares the embeddings of `other` from now on: one tensor for both. The shape must be the same.
  void share_embedding(const Transformer& other);
  /// The same weights under another position setting; parameters of the encoding are not shared.
  void set_encoding(std::shared_ptr<PositionEncoding> encoding);

  /// Null: tokens are at 0, 1, 2, ... The caller of hidden() draws the positions; hidden() uses those it is given.
  const PositionSampler* sampler() const { return sampler_.get(); }
  void set_sampler(std::shared_ptr<const PositionSampler> sampler) { sampler_ = std::move(sampler); }

 private:
  at::Tensor embed(const at::Tensor& tokens_BT, const at::Tensor& pos_BT) const;

  ModelConfig config_;
  std::shared_ptr<PositionEncoding> encoding_;
  std::shared_ptr<const PositionSampler> sampler_;
  at::Tensor embedding_VD_;
  at::Tensor token_type_D_;           // undefined when there is none
  std::shared_ptr<Norm> embed_norm_;  // null when there is none
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Norm> norm_;         // null in post-norm models
  std::shared_ptr<Linear> transform_;  // of the head; null when there is none
  std::shared_ptr<Norm> transform_norm_;
  std::shared_ptr<Linear> lm_head_;  // null when tied
  at::Tensor head_bias_V_;           // of tied output weights
};

}  // namespace lw
