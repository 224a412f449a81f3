#include "harness/model/model.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/model/attention_cost.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

int64_t tile_for(const Transformer& model, const at::Tensor& tokens_BT) {
  return judging_tile(tokens_BT.size(0), model.config().heads, tokens_BT.size(1));
}

torch::Tensor positions_from(int64_t begin, int64_t count, const at::Tensor& like) {
  return torch::arange(begin, begin + count, like.options()).unsqueeze(0);
}

class TransformerModel final : public Model {
 public:
  TransformerModel(std::shared_ptr<Transformer> transformer, int64_t mask_token)
      : transformer_(std::move(transformer)), mask_token_(mask_token) {}

  at::Tensor judge(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) override {
    torch::NoGradGuard no_grad;
    return judge_slots(*transformer_, tokens_BT, slots_BK, mask_token_);
  }

  at::Tensor continue_greedily(const at::Tensor& tokens_BT, int64_t steps) override {
    torch::NoGradGuard no_grad;
    LW_CHECK(transformer_->config().causal(), "only a causal model can continue a text");
    const bool cached = transformer_->encoding().key_cache() != KeyCache::kNone;
    Cache cache;
    auto seen_BT = tokens_BT;
    auto next_BT = tokens_BT;
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t begin = cached ? cache.length : 0;
      const auto& input_BT = cached ? next_BT : seen_BT;
      const auto h_BTD = transformer_->hidden(input_BT, positions_from(begin, input_BT.size(1), input_BT),
                                              cached ? &cache : nullptr, tile_for(*transformer_, seen_BT));
      next_BT = transformer_->logits(h_BTD.select(1, -1)).argmax(-1, true);
      seen_BT = torch::cat({seen_BT, next_BT}, 1);
    }
    return seen_BT.narrow(1, tokens_BT.size(1), steps);
  }

  std::optional<int64_t> max_length() const override { return transformer_->encoding().max_positions(); }

 private:
  std::shared_ptr<Transformer> transformer_;
  int64_t mask_token_;
};

}  // namespace

at::Tensor judge_slots(Transformer& transformer, const at::Tensor& tokens_BT, const at::Tensor& slots_BK,
                       int64_t mask_token) {
  const bool causal = transformer.config().causal();
  const auto input_BT = causal ? tokens_BT : tokens_BT.scatter(1, slots_BK, mask_token);
  const auto at_BK = causal ? slots_BK - 1 : slots_BK;
  const auto h_BKD = transformer.hidden(input_BT, positions_from(0, input_BT.size(1), input_BT), nullptr,
                                        tile_for(transformer, input_BT), at_BK);
  return transformer.logits(h_BKD);
}

std::unique_ptr<Model> make_model(std::shared_ptr<Transformer> transformer, int64_t mask_token) {
  return std::make_unique<TransformerModel>(std::move(transformer), mask_token);
}

}  // namespace lw
