// An encoder-decoder behind the Model interface, used as T5 was trained: a sentinel of its own hides each slot from the
// encoder, and the decoder predicts the token behind each sentinel, in order. Raffel et al. 2020, arXiv:1910.10683,
// section 3.1.4 (spans of corrupted text; here every span is one token, so adjacent slots have a sentinel each).
#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/model/attention.h"
#include "harness/model/encoder_decoder.h"
#include "harness/model/model.h"
#include "harness/model/slot_logits.h"

namespace lw {
namespace {

at::Tensor counted(int64_t count, const at::Tensor& like) {
  return at::arange(count, like.options().dtype(at::kLong)).unsqueeze(0);
}

int64_t tile_of(const Transformer& stack, const at::Tensor& tokens_BT) {
  return evaluation_tile(tokens_BT.size(0), stack.config().heads, tokens_BT.size(1));
}

class EncoderDecoderModel final : public Model {
 public:
  EncoderDecoderModel(std::shared_ptr<EncoderDecoder> model, std::vector<int64_t> sentinels, int64_t start_token)
      : model_(std::move(model)), sentinels_(std::move(sentinels)), start_token_(start_token) {}

  at::Tensor logits_at(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) override {
    at::NoGradGuard no_grad;
    return wide_logits(model_->decoder(), hidden_of_slots(tokens_BT, slots_BK));
  }

  void logits_in_parts(const at::Tensor& tokens_BT, const at::Tensor& slots_BK, int64_t most,
                       const std::function<void(int64_t, const at::Tensor&)>& part) override {
    at::NoGradGuard no_grad;
    wide_logits_in_parts(model_->decoder(), hidden_of_slots(tokens_BT, slots_BK), most, part);
  }

  at::Tensor continue_greedily(const at::Tensor&, int64_t) override {
    throw Error(ErrorKind::kUnsupported,
                "continuing a text: found an encoder-decoder, which fills gaps; allowed: causal models of one stack");
  }

  std::optional<int64_t> max_length() const override { return model_->encoder().encoding().max_positions(); }

  std::string too_long(int64_t) const override {
    return model_->encoder().encoding().undefined_position(max_length().value_or(0));
  }

 private:
  /// The decoder's states after each sentinel, the labels before it given: [B, K, D].
  at::Tensor hidden_of_slots(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) {
    const int64_t rows = tokens_BT.size(0), slots = slots_BK.size(1);
    if (slots > int64_t(sentinels_.size()))
      throw Error(ErrorKind::kUnsupported,
                  "an encoder-decoder: " + found(slots, " tokens to predict in a sequence")
                                               .allowed("up to ", sentinels_.size(), ", one for each sentinel"));
    LW_CHECK(slots < 2 || (slots_BK.diff() > 0).all().item<bool>(), "slots ascend, so that sentinels do");
    const auto names_BK =
        at::tensor(sentinels_, at::kLong).narrow(0, 0, slots).to(tokens_BT.device()).unsqueeze(0).expand({rows, -1});
    const auto seen_BT = tokens_BT.scatter(1, slots_BK, names_BK), labels_BK = tokens_BT.gather(1, slots_BK);
    // start, sentinel, label, sentinel, label, ..., sentinel
    const auto start_B1 = at::full({rows, 1}, start_token_, tokens_BT.options());
    const auto given_BT =
        at::cat({start_B1, at::stack({names_BK, labels_BK}, -1).flatten(1)}, 1).narrow(1, 0, 2 * slots);
    const auto after_BK = (counted(slots, tokens_BT) * 2 + 1).expand({rows, -1});
    Transformer &encoder = model_->encoder(), &decoder = model_->decoder();
    const auto memory_BSD =
        encoder.hidden(seen_BT, counted(seen_BT.size(1), seen_BT), nullptr, tile_of(encoder, seen_BT));
    return model_->hidden(given_BT, counted(given_BT.size(1), given_BT), memory_BSD, nullptr,
                          tile_of(decoder, given_BT), after_BK);
  }

  std::shared_ptr<EncoderDecoder> model_;
  std::vector<int64_t> sentinels_;
  int64_t start_token_;
};

}  // namespace

std::unique_ptr<Model> make_model(std::shared_ptr<EncoderDecoder> model, std::vector<int64_t> sentinels,
                                  int64_t start_token) {
  return std::make_unique<EncoderDecoderModel>(std::move(model), std::move(sentinels), start_token);
}

}  // namespace lw
