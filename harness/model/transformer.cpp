#include "harness/model/transformer.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/silu.h>

#include <cmath>

#include "harness/base/error.h"

namespace lw {
namespace {

/// In place and independent of LibTorch's generators, whose streams differ between versions.
void fill_normal(torch::Tensor parameter, Rng& rng, double std) {
  torch::NoGradGuard no_grad;
  auto values = torch::empty(parameter.sizes(), torch::kFloat32);
  float* data = values.data_ptr<float>();
  for (int64_t i = 0; i < values.numel(); ++i) data[i] = static_cast<float>(std * rng.normal());
  parameter.copy_(values);
}

torch::Tensor activate(Activation kind, const torch::Tensor& x) {
  switch (kind) {
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kGeluTanh:
      return at::gelu(x, "tanh");
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kSilu:
      return at::silu(x);
  }
  LW_CHECK(false, "an activation without a function");
  return x;
}

/// [B, T, H*E] -> [B, H, T, E]
torch::Tensor split_heads(const torch::Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

/// Rows of x_BTD at index_BQ: [B, Q, D].
torch::Tensor pick(const torch::Tensor& x_BTD, const torch::Tensor& index_BQ) {
  return x_BTD.gather(1, index_BQ.unsqueeze(-1).expand({-1, -1, x_BTD.size(-1)}));
}

torch::Tensor pick_positions(const Pass& pass, const torch::Tensor& index_BQ) {
  return pass.pos_BT.expand({index_BQ.size(0), -1}).gather(1, index_BQ);
}

}  // namespace

Norm::Norm(const ModelConfig& config) : kind_(config.norm), eps_(config.norm_eps) {
  weight_ = register_parameter("weight", torch::ones({config.width}));
  if (kind_ == NormKind::kLayerNorm) bias_ = register_parameter("bias", torch::zeros({config.width}));
}

torch::Tensor Norm::forward(const torch::Tensor& x) const {
  if (kind_ == NormKind::kLayerNorm) return at::layer_norm(x, {x.size(-1)}, weight_, bias_, eps_);
  return x * (x.square().mean(-1, true) + eps_).rsqrt() * weight_;
}

Linear::Linear(int64_t in, int64_t out, bool bias) {
  weight_ = register_parameter("weight", torch::zeros({out, in}));
  if (bias) bias_ = register_parameter("bias", torch::zeros({out}));
}

torch::Tensor Linear::forward(const torch::Tensor& x) const { return at::linear(x, weight_, bias_); }

void Linear::reset_parameters(Rng& rng, double std) {
  fill_normal(weight_, rng, std);
  if (bias_.defined()) {
    torch::NoGradGuard no_grad;
    bias_.zero_();
  }
}

Block::Block(const ModelConfig& c, int64_t layer) : config_(c), layer_(layer) {
  const int64_t q = c.heads * c.head_width, kv = c.kv_heads * c.head_width;
  attention_norm_ = register_module("input_layernorm", std::make_shared<Norm>(c));
  q_proj_ = register_module("q_proj", std::make_shared<Linear>(c.width, q, c.bias));
  k_proj_ = register_module("k_proj", std::make_shared<Linear>(c.width, kv, c.bias));
  v_proj_ = register_module("v_proj", std::make_shared<Linear>(c.width, kv, c.bias));
  o_proj_ = register_module("o_proj", std::make_shared<Linear>(q, c.width, c.bias));
  ffn_norm_ = register_module("post_attention_layernorm", std::make_shared<Norm>(c));
  if (c.gated) gate_proj_ = register_module("gate_proj", std::make_shared<Linear>(c.width, c.ffn, c.bias));
  up_proj_ = register_module("up_proj", std::make_shared<Linear>(c.width, c.ffn, c.bias));
  down_proj_ = register_module("down_proj", std::make_shared<Linear>(c.ffn, c.width, c.bias));
}

void Block::reset_parameters(Rng& rng) {
  // What writes into the residual stream starts smaller, so that depth does not raise its variance (GPT-2).
  const double std = config_.init_std, out_std = std / std::sqrt(2.0 * double(config_.layers));
  for (const auto& linear : {q_proj_, k_proj_, v_proj_, gate_proj_, up_proj_})
    if (linear) linear->reset_parameters(rng, std);
  for (const auto& linear : {o_proj_, down_proj_}) linear->reset_parameters(rng, out_std);
}

torch::Tensor Block::attention(const torch::Tensor& x_BTD, const Pass& pass, LayerCache* cache,
                               const torch::Tensor& only_BQ) {
  const auto asking_BQD = only_BQ.defined() ? pick(x_BTD, only_BQ) : x_BTD;
  AttentionInput in;
  in.q_BHQE = split_heads(q_proj_->forward(asking_BQD), config_.heads);
  in.k_BHKE = split_heads(k_proj_->forward(x_BTD), config_.kv_heads);
  in.v_BHKE = split_heads(v_proj_->forward(x_BTD), config_.kv_heads);
  if (const int64_t repeat = config_.heads / config_.kv_heads; repeat > 1) {
    in.k_BHKE = in.k_BHKE.repeat_interleave(repeat, 1);
    in.v_BHKE = in.v_BHKE.repeat_interleave(repeat, 1);
  }
  in.key_pos_BK = pass.pos_BT;
  in.query_pos_BQ = only_BQ.defined() ? pick_positions(pass, only_BQ) : pass.pos_BT;
  in.layer = layer_;
  in.causal = config_.causal();
  const auto out_BHQE = attend(pass.encoding, in, &pass.memo, cache, pass.tile);
  return o_proj_->forward(out_BHQE.transpose(1, 2).reshape({asking_BQD.size(0), asking_BQD.size(1), -1}));
}

torch::Tensor Block::feed_forward(const torch::Tensor& x_BTD) {
  if (!config_.gated) return down_proj_->forward(activate(config_.activation, up_proj_->forward(x_BTD)));
  return down_proj_->forward(activate(config_.activation, gate_proj_->forward(x_BTD)) * up_proj_->forward(x_BTD));
}

torch::Tensor Block::forward(const torch::Tensor& x_BTD, const Pass& pass, LayerCache* cache,
                             const torch::Tensor& only_BQ) {
  const auto change_BQD = attention(attention_norm_->forward(x_BTD), pass, cache, only_BQ);
  const auto middle_BQD = (only_BQ.defined() ? pick(x_BTD, only_BQ) : x_BTD) + change_BQD;
  return middle_BQD + feed_forward(ffn_norm_->forward(middle_BQD));
}

Transformer::Transformer(ModelConfig config, std::shared_ptr<PositionEncoding> encoding) : config_(std::move(config)) {
  LW_CHECK(config_.vocabulary > 0, "a model needs a vocabulary");
  embedding_VD_ = register_parameter("embed_tokens", torch::zeros({config_.vocabulary, config_.width}));
  for (int64_t i = 0; i < config_.layers; ++i)
    blocks_.push_back(register_module("layers_" + std::to_string(i), std::make_shared<Block>(config_, i)));
  norm_ = register_module("norm", std::make_shared<Norm>(config_));
  if (!config_.tied_embeddings)
    lm_head_ = register_module("lm_head", std::make_shared<Linear>(config_.width, config_.vocabulary, false));
  encoding_ = register_module("position", std::move(encoding));
}

void Transformer::reset_parameters(const Rng& rng) {
  Rng embedding_rng = rng.stream("embedding");
  fill_normal(embedding_VD_, embedding_rng, config_.init_std);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    Rng block_rng = rng.stream("block").stream(i);
    blocks_[i]->reset_parameters(block_rng);
  }
  Rng head_rng = rng.stream("head");
  if (lm_head_) lm_head_->reset_parameters(head_rng, config_.init_std);
  Rng position_rng = rng.stream("position");
  encoding_->reset_parameters(position_rng);
}

torch::Tensor Transformer::hidden(const torch::Tensor& tokens_BT, const torch::Tensor& pos_BT, Cache* cache,
                                  int64_t tile, const torch::Tensor& only_BQ) {
  if (cache != nullptr) cache->layers.resize(blocks_.size());
  PassMemo memo;
  const Pass pass{pos_BT, *encoding_, memo, tile};
  auto x_BTD = encoding_->embed(at::embedding(embedding_VD_, tokens_BT), pos_BT);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const bool last = i + 1 == blocks_.size();
    x_BTD = blocks_[i]->forward(x_BTD, pass, cache == nullptr ? nullptr : &cache->layers[i],
                                last ? only_BQ : torch::Tensor());
  }
  if (cache != nullptr) cache->length += tokens_BT.size(1);
  return norm_->forward(x_BTD);
}

torch::Tensor Transformer::logits(const torch::Tensor& hidden_D) const {
  return lm_head_ ? lm_head_->forward(hidden_D) : at::linear(hidden_D, embedding_VD_);
}

void Transformer::set_encoding(std::shared_ptr<PositionEncoding> encoding) {
  encoding_ = replace_module("position", std::move(encoding));
}

}  // namespace lw
