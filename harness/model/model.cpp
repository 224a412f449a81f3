#include "harness/model/model.h"

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/model/attention.h"
#include "harness/model/slot_logits.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

int64_t tile_for(const Transformer& model, const at::Tensor& tokens_BT, bool training) {
  return (training ? training_tile : evaluation_tile)(tokens_BT.size(0), model.config().heads, tokens_BT.size(1));
}

/// Positions of `count` tokens: [1, count], or one row for each of `key_BT` where they are drawn.
/// @param key_BT the key of the draws. It holds no token that is to be predicted: a model must not be able to infer an
/// answer from its position.
at::Tensor numbering(const Transformer& model, const at::Tensor& key_BT, int64_t count, bool training) {
  const PositionSampler* sampler = model.sampler();
  if (sampler != nullptr && (training || sampler->drawn_in_evaluation())) return sampler->draw(key_BT, count);
  return at::arange(count, key_BT.options()).unsqueeze(0);
}

/// The hidden states behind the logits of each slot: [B, K, D].
at::Tensor hidden_of_slots(Transformer& transformer, const at::Tensor& tokens_BT, const at::Tensor& slots_BK,
                           int64_t mask_token, bool training) {
  const bool causal = transformer.config().causal();
  const auto masked_BT = tokens_BT.scatter(1, slots_BK, mask_token);
  const auto pos_BT = numbering(transformer, masked_BT, tokens_BT.size(1), training);
  const auto at_BK = causal ? slots_BK - 1 : slots_BK;
  return transformer.hidden(causal ? tokens_BT : masked_BT, pos_BT, nullptr, tile_for(transformer, tokens_BT, training),
                            at_BK);
}

class TransformerModel final : public Model {
 public:
  TransformerModel(std::shared_ptr<Transformer> transformer, int64_t mask_token)
      : transformer_(std::move(transformer)), mask_token_(mask_token) {}

  at::Tensor logits_at(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) override {
    at::NoGradGuard no_grad;
    return wide_logits(*transformer_,
                       hidden_of_slots(*transformer_, tokens_BT, slots_BK, mask_token_, /*training=*/false));
  }

  void logits_in_parts(const at::Tensor& tokens_BT, const at::Tensor& slots_BK, int64_t most,
                       const std::function<void(int64_t, const at::Tensor&)>& part) override {
    at::NoGradGuard no_grad;
    wide_logits_in_parts(*transformer_,
                         hidden_of_slots(*transformer_, tokens_BT, slots_BK, mask_token_, /*training=*/false), most,
                         part);
  }

  at::Tensor continue_greedily(const at::Tensor& tokens_BT, int64_t steps) override {
    at::NoGradGuard no_grad;
    LW_CHECK(transformer_->config().causal(), "only a causal model can continue a text");
    const bool cached = transformer_->encoding().key_cache() != KeyCache::kNone;
    // Drawn once for the whole continuation: cached keys keep the positions that they were rotated to.
    const auto pos_BT = numbering(*transformer_, tokens_BT, tokens_BT.size(1) + steps, /*training=*/false);
    Cache cache;
    auto seen_BT = tokens_BT;
    auto next_BT = tokens_BT;
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t begin = cached ? cache.length : 0;
      const auto& input_BT = cached ? next_BT : seen_BT;
      const auto h_BTD =
          transformer_->hidden(input_BT, pos_BT.narrow(1, begin, input_BT.size(1)), cached ? &cache : nullptr,
                               tile_for(*transformer_, seen_BT, /*training=*/false));
      next_BT = transformer_->logits(h_BTD.select(1, -1)).argmax(-1, true);
      seen_BT = at::cat({seen_BT, next_BT}, 1);
    }
    return seen_BT.narrow(1, tokens_BT.size(1), steps);
  }

  std::optional<int64_t> max_length() const override {
    // Drawn positions lie below max_position; the config reader checks that the encoding defines them.
    return draws() ? transformer_->sampler()->max_position() : transformer_->encoding().max_positions();
  }

  std::string too_long(int64_t length) const override {
    if (draws()) return transformer_->sampler()->too_long(length);
    return transformer_->encoding().undefined_position(max_length().value_or(0));
  }

 private:
  bool draws() const { return transformer_->sampler() != nullptr && transformer_->sampler()->drawn_in_evaluation(); }

  std::shared_ptr<Transformer> transformer_;
  int64_t mask_token_;
};

}  // namespace

void Model::logits_in_parts(const at::Tensor& tokens_BT, const at::Tensor& slots_BK, int64_t,
                            const std::function<void(int64_t, const at::Tensor&)>& part) {
  part(0, logits_at(tokens_BT, slots_BK));
}

std::string Model::too_long(int64_t length) const {
  return found(length, " tokens").allowed("up to ", max_length().value_or(0), ", where positions end");
}

at::Tensor training_logits(Transformer& transformer, const at::Tensor& tokens_BT, const at::Tensor& slots_BK,
                           int64_t mask_token) {
  return transformer.logits(hidden_of_slots(transformer, tokens_BT, slots_BK, mask_token, /*training=*/true));
}

std::unique_ptr<Model> make_model(std::shared_ptr<Transformer> transformer, int64_t mask_token) {
  return std::make_unique<TransformerModel>(std::move(transformer), mask_token);
}

}  // namespace lw
