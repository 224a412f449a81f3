#include "harness/model/block.h"

#include <cmath>

#include "encodings/tensor.h"
#include "harness/base/error.h"

namespace lw {

Block::Block(const ModelConfig& c, int64_t layer) : config_(c) {
  LW_CHECK(!c.parallel || c.norm_placement == NormPlacement::kPre, "a parallel block is a pre-norm one");
  LW_CHECK(!c.cross_attention || !c.parallel, "cross attention comes between two sub-layers");
  const auto add_norm = [&](const char* name) { return register_module(name, std::make_shared<Norm>(c, c.width)); };
  attention_norm_ = add_norm("input_layernorm");
  attention_.emplace(*this, c, layer);
  if (c.cross_attention) {
    cross_norm_ = add_norm("cross_layernorm");
    cross_.emplace(*this, c, layer, "cross_");
  }
  if (!c.shared_norm) ffn_norm_ = add_norm("post_attention_layernorm");
  ffn_.emplace(*this, c);
  if (c.norm_placement != NormPlacement::kSandwich) return;
  attention_out_norm_ = add_norm("attention_output_norm");
  ffn_out_norm_ = add_norm("ffn_output_norm");
}

void Block::reset_parameters(Rng& rng) {
  // Weights that write into the residual stream start smaller, so that depth does not raise its variance (GPT-2).
  const double std = config_.init_std, out_std = std / std::sqrt(2.0 * double(config_.layers));
  attention_->reset_inner(rng, std);
  ffn_->reset_inner(rng, std);
  attention_->reset_output(rng, out_std);
  ffn_->reset_output(rng, out_std);
  if (!cross_) return;
  cross_->reset_inner(rng, std);
  cross_->reset_output(rng, out_std);
}

at::Tensor Block::forward(const at::Tensor& x_BTD, const Pass& pass, LayerCache* cache, const at::Tensor& only_BQ) {
  if (config_.norm_placement == NormPlacement::kPost) return forward_post_norm(x_BTD, pass, cache, only_BQ);
  const auto normed_BTD = attention_norm_->forward(x_BTD);
  auto change_BQD = attention_->forward(normed_BTD, pass, cache, only_BQ);
  if (attention_out_norm_) change_BQD = attention_out_norm_->forward(change_BQD);
  const auto query_BQD = only_BQ.defined() ? pick(x_BTD, only_BQ) : x_BTD;
  auto middle_BQD = query_BQD + change_BQD;
  if (config_.parallel) {
    if (ffn_norm_) return middle_BQD + ffn_->forward(ffn_norm_->forward(query_BQD));
    return middle_BQD + ffn_->forward(only_BQ.defined() ? pick(normed_BTD, only_BQ) : normed_BTD);
  }
  if (cross_) middle_BQD = middle_BQD + cross_->across(cross_norm_->forward(middle_BQD), pass, cache);
  change_BQD = ffn_->forward(ffn_norm_->forward(middle_BQD));
  return middle_BQD + (ffn_out_norm_ ? ffn_out_norm_->forward(change_BQD) : change_BQD);
}

at::Tensor Block::forward_post_norm(const at::Tensor& x_BTD, const Pass& pass, LayerCache* cache,
                                    const at::Tensor& only_BQ) const {
  const auto change_BQD = attention_->forward(x_BTD, pass, cache, only_BQ);
  const auto middle_BQD = attention_norm_->forward((only_BQ.defined() ? pick(x_BTD, only_BQ) : x_BTD) + change_BQD);
  return ffn_norm_->forward(middle_BQD + ffn_->forward(middle_BQD));
}

}  // namespace lw
