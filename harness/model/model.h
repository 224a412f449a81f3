// What scorers may ask of a model. Tests implement it with a fake that knows the answers.
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
  /// Logits that judge chosen slots: what the model says should stand there, given what it may see. A
  /// causal model sees everything before the slot; a bidirectional one everything but the slots.
  /// @param tokens_BT int64; all rows of one length, so there is no padding anywhere.
  /// @param slots_BK  int64, 1 .. T-1.
  /// @returns [B, K, V] float32 or float64: never [B, T, V], which at T = 32768 would not fit.
  /// @throws Error(kUnsupported) "no vector for position N (table holds M)".
  virtual at::Tensor judge(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) = 0;
  /// judge() in parts along K, in order, so that many slots under a large vocabulary fit.
  /// @param most elements of logits at once; one slot of every row at least.
  /// @param part is given the part's first slot and its logits, [B, k, V].
  virtual void judge_in_parts(const at::Tensor& tokens_BT, const at::Tensor& slots_BK, int64_t most,
                              const std::function<void(int64_t first, const at::Tensor& logits_BkV)>& part);
  /// Greedy continuation of each row by `steps` tokens; causal models only. [B, steps], int64.
  virtual at::Tensor continue_greedily(const at::Tensor& tokens_BT, int64_t steps) = 0;
  /// The longest sequence that the position scheme is defined on; nullopt when unbounded.
  virtual std::optional<int64_t> max_length() const = 0;
  /// Why a sequence of `length` tokens, more than max_length(), has no positions.
  virtual std::string why_too_long(int64_t length) const;
};

/// A Model over a transformer, without gradients. @param mask_token what a bidirectional model sees at a slot.
std::unique_ptr<Model> make_model(std::shared_ptr<Transformer> transformer, int64_t mask_token);

/// A Model over an encoder-decoder, for judging alone. A slot is hidden from the encoder by a sentinel, and the decoder
/// is judged after that sentinel, given the answers before it. More slots in a sequence than sentinels are
/// Error(kUnsupported), and so is a continuation. @param start_token what the decoder's sequence begins with.
std::unique_ptr<Model> make_model(std::shared_ptr<EncoderDecoder> model, std::vector<int64_t> sentinels,
                                  int64_t start_token);

/// make_model() of a transformer, in training: [B, K, V] with gradients.
at::Tensor judge_slots(Transformer& transformer, const at::Tensor& tokens_BT, const at::Tensor& slots_BK,
                       int64_t mask_token);

}  // namespace lw
