#include "harness/model/attention_layer.h"

#include <cmath>

#include "encodings/none.h"
#include "encodings/tensor.h"
#include "harness/base/error.h"

namespace lw {
namespace {

/// [B, T, H*E] -> [B, H, T, E]
at::Tensor split_heads(const at::Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

at::Tensor pick_positions(const Pass& pass, const at::Tensor& index_BQ) {
  return pass.pos_BT.expand({index_BQ.size(0), -1}).gather(1, index_BQ);
}

/// Queries are multiplied by it, so that the 1 / sqrt(E) of attend() becomes the scale of this model.
double factor_of_queries(const ModelConfig& c, int64_t layer) {
  const double by_width = std::sqrt(double(c.head_width));
  const double factor = c.attention_scale ? *c.attention_scale * by_width : 1.0;
  return c.attention_scale_by_layer ? factor / double(layer + 1) : factor;
}

}  // namespace

at::Tensor pick(const at::Tensor& x_BTD, const at::Tensor& index_BQ) {
  return x_BTD.gather(1, index_BQ.unsqueeze(-1).expand({-1, -1, x_BTD.size(-1)}));
}

AttentionLayer::AttentionLayer(Module& owner, const ModelConfig& c, int64_t layer, const std::string& prefix)
    : layer_(layer),
      heads_(c.heads),
      kv_heads_(c.kv_heads),
      window_(c.window_of(layer)),
      causal_(c.causal()),
      clip_(c.clip_qkv),
      softcap_(c.attention_softcap),
      query_factor_(factor_of_queries(c, layer)) {
  const int64_t q = c.heads * c.head_width, kv = c.kv_heads * c.head_width;
  const bool bias = c.qkv_bias.value_or(c.bias);
  const auto add = [&](const char* name, int64_t in, int64_t out, bool with_bias) {
    return owner.register_module(prefix + name, std::make_shared<Linear>(in, out, with_bias));
  };
  q_proj_ = add("q_proj", c.width, q, bias);
  k_proj_ = add("k_proj", c.width, kv, bias);
  v_proj_ = add("v_proj", c.width, kv, bias);
  o_proj_ = add("o_proj", q, c.width, c.output_bias.value_or(c.bias));
  if (!c.qk_norm) return;
  q_norm_ = owner.register_module(prefix + "q_norm", std::make_shared<Norm>(c, c.head_width));
  k_norm_ = owner.register_module(prefix + "k_norm", std::make_shared<Norm>(c, c.head_width));
}

at::Tensor AttentionLayer::clipped(const at::Tensor& x) const { return clip_ > 0 ? x.clamp(-clip_, clip_) : x; }

at::Tensor AttentionLayer::for_all_heads(const at::Tensor& x_BHTE) const {
  return heads_ == kv_heads_ ? x_BHTE : x_BHTE.repeat_interleave(heads_ / kv_heads_, 1);
}

at::Tensor AttentionLayer::queries(const at::Tensor& x_BQD) const {
  auto q_BHQE = split_heads(clipped(q_proj_->forward(x_BQD)), heads_);
  if (q_norm_) q_BHQE = q_norm_->forward(q_BHQE);
  return query_factor_ == 1.0 ? q_BHQE : q_BHQE * query_factor_;
}

at::Tensor AttentionLayer::keys(const at::Tensor& x_BTD) const {
  const auto k_BHTE = split_heads(clipped(k_proj_->forward(x_BTD)), kv_heads_);
  return for_all_heads(k_norm_ ? k_norm_->forward(k_BHTE) : k_BHTE);
}

at::Tensor AttentionLayer::values(const at::Tensor& x_BTD) const {
  return for_all_heads(split_heads(clipped(v_proj_->forward(x_BTD)), kv_heads_));
}

at::Tensor AttentionLayer::output(const at::Tensor& out_BHQE) const {
  return o_proj_->forward(out_BHQE.transpose(1, 2).reshape({out_BHQE.size(0), out_BHQE.size(2), -1}));
}

at::Tensor AttentionLayer::forward(const at::Tensor& x_BTD, const Pass& pass, LayerCache* cache,
                                   const at::Tensor& only_BQ) const {
  AttentionInput in;
  in.q_BHQE = queries(only_BQ.defined() ? pick(x_BTD, only_BQ) : x_BTD);
  in.k_BHKE = keys(x_BTD);
  in.v_BHKE = values(x_BTD);
  in.key_pos_BK = pass.pos_BT;
  in.query_pos_BQ = only_BQ.defined() ? pick_positions(pass, only_BQ) : pass.pos_BT;
  in.layer = layer_;
  in.causal = causal_;
  in.window = window_;
  in.softcap = softcap_;
  return output(attend(pass.encoding, in, &pass.memo, cache, pass.tile));
}

at::Tensor AttentionLayer::across(const at::Tensor& x_BQD, const Pass& pass, LayerCache* cache) const {
  LW_CHECK(pass.memory_BSD.defined(), "cross attention needs the encoder's output");
  NoPositions no_positions;
  AttentionInput in;
  in.q_BHQE = queries(x_BQD);
  if (cache != nullptr && cache->cross_k_BHSE.defined()) {
    in.k_BHKE = cache->cross_k_BHSE;
    in.v_BHKE = cache->cross_v_BHSE;
  } else {
    in.k_BHKE = keys(pass.memory_BSD);
    in.v_BHKE = values(pass.memory_BSD);
  }
  if (cache != nullptr) {
    cache->cross_k_BHSE = in.k_BHKE;
    cache->cross_v_BHSE = in.v_BHKE;
  }
  in.query_pos_BQ = at::zeros({1, x_BQD.size(1)}, pass.pos_BT.options());
  in.key_pos_BK = at::zeros({1, in.k_BHKE.size(2)}, pass.pos_BT.options());
  in.layer = layer_;
  in.causal = false;
  return output(attend(no_positions, in, nullptr, nullptr, pass.tile));
}

void AttentionLayer::reset_inner(Rng& rng, double std) {
  for (const auto& linear : {q_proj_, k_proj_, v_proj_}) linear->reset_parameters(rng, std);
}

void AttentionLayer::reset_output(Rng& rng, double std) { o_proj_->reset_parameters(rng, std); }

}  // namespace lw
