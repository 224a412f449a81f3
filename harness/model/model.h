// What evaluation needs of a model: logits at chosen slots, and how far its positions reach. Tests implement it with a
// fake that knows the answers.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace at {
class Tensor;
}  // namespace at

namespace lw {

class EncoderDecoder;
class Transformer;

class Model {
 public:
  virtual ~Model() = default;
  /// Logits of chosen slots: the model's prediction of the token there, given what it may see. A causal model sees
  /// everything before the slot; a bidirectional one sees everything but the slots.
  /// @param tokens_BT int64; all rows have the same length, so there is no padding.
  /// @param slots_BK  int64, 1 .. T-1.
  /// @returns [B, K, V] float32 or float64: never [B, T, V], which at T = 32768 would not fit.
  /// @throws Error(kUnsupported) for positions that the scheme does not define.
  virtual at::Tensor logits_at(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) = 0;
  /// logits_at() in parts along K, in order, so that many slots under a large vocabulary fit into memory.
  /// @param most elements of logits at once; at least one slot of every row.
  /// @param part is called with the first slot of each part and its logits, [B, k, V].
  virtual void logits_in_parts(const at::Tensor& tokens_BT, const at::Tensor& slots_BK, int64_t most,
                               const std::function<void(int64_t first, const at::Tensor& logits_BkV)>& part);
  /// Greedy continuation of each row by `steps` tokens; causal models only. [B, steps], int64. For suites whose
  /// answers are generated rather than scored; today the tests of the key cache use it alone.
  virtual at::Tensor continue_greedily(const at::Tensor& tokens_BT, int64_t steps) = 0;
  /// The longest sequence that has positions; nullopt when there is no bound.
  [[nodiscard]] virtual std::optional<int64_t> max_length() const = 0;
  /// The message for a sequence of `length` tokens, more than max_length().
  [[nodiscard]] virtual std::string too_long(int64_t length) const;
};

/// A Model over a transformer, without gradients. @param mask_token what a bidirectional model sees in place of a slot.
std::unique_ptr<Model> make_model(std::shared_ptr<Transformer> transformer, int64_t mask_token);

/// A Model over an encoder-decoder, which cannot continue a text. A sentinel hides each slot from the encoder, and the
/// decoder predicts the slot after that sentinel, given the answers before it. More slots in a sequence than sentinels
/// are Error(kUnsupported). @param start_token the first token of the decoder's sequence.
std::unique_ptr<Model> make_model(std::shared_ptr<EncoderDecoder> model, std::vector<int64_t> sentinels,
                                  int64_t start_token);

/// Model::logits_at() of a transformer in training: [B, K, V] with gradients.
[[nodiscard]] at::Tensor training_logits(Transformer& transformer, const at::Tensor& tokens_BT,
                                         const at::Tensor& slots_BK, int64_t mask_token);

}  // namespace lw
