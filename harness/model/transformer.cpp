#include "harness/model/transformer.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>

#include "harness/base/error.h"

namespace lw {

Transformer::Transformer(ModelConfig config, std::shared_ptr<PositionEncoding> encoding) : config_(std::move(config)) {
  const ModelConfig& c = config_;
  LW_CHECK(c.vocabulary > 0, "a model needs a vocabulary");
  embedding_VD_ = register_parameter("embed_tokens", at::zeros({c.vocabulary, c.width}));
  if (c.token_type) token_type_D_ = register_parameter("token_type", at::zeros({c.width}));
  if (c.embedding_norm) embed_norm_ = register_module("embed_norm", std::make_shared<Norm>(c, c.width));
  for (int64_t i = 0; i < c.layers; ++i)
    blocks_.push_back(register_module("layers_" + std::to_string(i), std::make_shared<Block>(c, i)));
  if (c.norm_placement != NormPlacement::kPost) norm_ = register_module("norm", std::make_shared<Norm>(c, c.width));
  if (c.head && c.head_transform) {
    transform_ = register_module("head_transform", std::make_shared<Linear>(c.width, c.width, true));
    transform_norm_ = register_module("head_norm", std::make_shared<Norm>(c, c.width));
  }
  if (c.head && !c.tied_embeddings)
    lm_head_ = register_module("lm_head", std::make_shared<Linear>(c.width, c.vocabulary, c.head_bias));
  if (c.head && c.tied_embeddings && c.head_bias)
    head_bias_V_ = register_parameter("head_bias", at::zeros({c.vocabulary}));
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
  if (transform_) transform_->reset_parameters(head_rng, config_.init_std);
  if (lm_head_) lm_head_->reset_parameters(head_rng, config_.init_std);
  Rng position_rng = rng.stream("position");
  encoding_->reset_parameters(position_rng);
}

at::Tensor Transformer::embed(const at::Tensor& tokens_BT, const at::Tensor& pos_BT) const {
  auto x_BTD = at::embedding(embedding_VD_, tokens_BT);
  if (config_.embedding_scale != 1.0)
    x_BTD = x_BTD * at::full({}, config_.embedding_scale, x_BTD.options().requires_grad(false));
  if (token_type_D_.defined()) x_BTD = x_BTD + token_type_D_;
  x_BTD = encoding_->embed(x_BTD, pos_BT);
  return embed_norm_ ? embed_norm_->forward(x_BTD) : x_BTD;
}

at::Tensor Transformer::hidden(const at::Tensor& tokens_BT, const at::Tensor& pos_BT, Cache* cache, int64_t tile,
                               const at::Tensor& only_BQ, const at::Tensor& memory_BSD) {
  encoding_->check_positions(pos_BT);
  if (cache != nullptr) cache->layers.resize(blocks_.size());
  PassMemo memo;
  const Pass pass{pos_BT, *encoding_, memo, tile, memory_BSD};
  auto x_BTD = embed(tokens_BT, pos_BT);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const bool last = i + 1 == blocks_.size();
    x_BTD =
        blocks_[i]->forward(x_BTD, pass, cache == nullptr ? nullptr : &cache->layers[i], last ? only_BQ : at::Tensor());
  }
  if (cache != nullptr) cache->length += tokens_BT.size(1);
  return norm_ ? norm_->forward(x_BTD) : x_BTD;
}

at::Tensor Transformer::logits(const at::Tensor& hidden_D) const {
  if (!config_.head)
    throw Error(ErrorKind::kInput, "this model has no output weights: it gives hidden states, not logits");
  auto x_D = hidden_D;
  if (transform_) x_D = transform_norm_->forward(activate(config_.activation, transform_->forward(x_D)));
  auto logits_V = lm_head_ ? lm_head_->forward(x_D) : linear_of(x_D, embedding_VD_, head_bias_V_);
  if (config_.logit_scale != 1.0) logits_V = logits_V * config_.logit_scale;
  if (config_.logit_softcap > 0) logits_V = (logits_V / config_.logit_softcap).tanh() * config_.logit_softcap;
  return logits_V;
}

void Transformer::share_embedding(const Transformer& other) {
  LW_CHECK(embedding_VD_.sizes() == other.embedding_VD_.sizes(), "embeddings of two shapes");
  embedding_VD_ = replace_parameter("embed_tokens", other.embedding_VD_);
}

void Transformer::set_encoding(std::shared_ptr<PositionEncoding> encoding) {
  encoding_ = replace_module("position", std::move(encoding));
}

}  // namespace lw
