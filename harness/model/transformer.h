// One pre-norm transformer for every model that is trained here: causal or bidirectional, any position
// scheme. Parameters are named as in Hugging Face's LLaMA where there is a counterpart.
#pragma once
#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

#include "encodings/position_sampler.h"
#include "harness/base/rng.h"
#include "harness/model/attention.h"
#include "harness/model/model_config.h"

namespace lw {

/// Keys and values of every layer, and how many tokens they cover.
struct Cache {
  std::vector<LayerCache> layers;
  int64_t length = 0;
};

/// What is alike for all layers of one forward pass.
struct Pass {
  torch::Tensor pos_BT;  // int64; B may be 1 for all rows alike
  PositionEncoding& encoding;
  PassMemo& memo;
  int64_t tile = 0;  // see attend()
};

/// Layer or RMS normalisation over the last dimension.
class Norm : public torch::nn::Module {
 public:
  explicit Norm(const ModelConfig& config);
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  NormKind kind_;
  double eps_;
  torch::Tensor weight_, bias_;
};

/// y = x W^T + b with W [out, in].
class Linear : public torch::nn::Module {
 public:
  Linear(int64_t in, int64_t out, bool bias);
  torch::Tensor forward(const torch::Tensor& x) const;
  void reset_parameters(Rng& rng, double std);

 private:
  torch::Tensor weight_, bias_;
};

class Block : public torch::nn::Module {
 public:
  Block(const ModelConfig& config, int64_t layer);
  /// @param x_BTD residual stream. @param pass what is alike for all layers.
  /// @param only_BQ when defined, int64 indices into T: the block's output is wanted there alone, so that
  ///                queries and the feed-forward layer are computed for nothing else.
  /// @returns [B, T, D], or [B, Q, D].
  torch::Tensor forward(const torch::Tensor& x_BTD, const Pass& pass, LayerCache* cache, const torch::Tensor& only_BQ);
  void reset_parameters(Rng& rng);

 private:
  torch::Tensor attention(const torch::Tensor& x_BTD, const Pass& pass, LayerCache* cache,
                          const torch::Tensor& only_BQ);
  torch::Tensor feed_forward(const torch::Tensor& x_BTD);

  ModelConfig config_;
  int64_t layer_;
  std::shared_ptr<Norm> attention_norm_, ffn_norm_;
  std::shared_ptr<Linear> q_proj_, k_proj_, v_proj_, o_proj_, gate_proj_, up_proj_, down_proj_;
};

class Transformer : public torch::nn::Module {
 public:
  Transformer(ModelConfig config, std::shared_ptr<PositionEncoding> encoding);
  /// Draws every parameter anew; the same rng gives the same weights on every machine.
  void reset_parameters(const Rng& rng);

  /// Final hidden states, normalised: [B, T, D].
  /// @param tokens_BT int64. @param pos_BT int64 positions; B may be 1 for all rows alike.
  /// @param cache extended by these tokens when not null. @param tile see attend().
  /// @param only_BQ when defined, indices into T: hidden states are wanted there alone. [B, Q, D]
  torch::Tensor hidden(const torch::Tensor& tokens_BT, const torch::Tensor& pos_BT, Cache* cache = nullptr,
                       int64_t tile = 0, const torch::Tensor& only_BQ = {});
  /// Logits of hidden states: [..., V].
  torch::Tensor logits(const torch::Tensor& hidden_D) const;

  const ModelConfig& config() const { return config_; }
  PositionEncoding& encoding() { return *encoding_; }
  /// The same weights under another position setting; parameters of the encoding are not shared.
  void set_encoding(std::shared_ptr<PositionEncoding> encoding);

  /// Null: tokens stand at 0, 1, 2, ... What calls hidden() asks it for positions; hidden() takes what it is given.
  const PositionSampler* sampler() const { return sampler_.get(); }
  void set_sampler(std::shared_ptr<const PositionSampler> sampler) { sampler_ = std::move(sampler); }

 private:
  ModelConfig config_;
  std::shared_ptr<PositionEncoding> encoding_;
  std::shared_ptr<const PositionSampler> sampler_;
  torch::Tensor embedding_VD_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Norm> norm_;
  std::shared_ptr<Linear> lm_head_;  // null when tied
};

}  // namespace lw
