// The interface that every position scheme implements: the places where a transformer lets positions in, as hooks,
// and what a scheme declares about itself. A scheme overrides the hooks that it needs and leaves the others alone.
//
// Shape suffixes: B batch (or 1), H heads, Q queries, K keys, T tokens, D model width, E head width.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/model_shape.h"
#include "encodings/module.h"

namespace lw {

class ConfigNode;
class Rng;

/// Which table of a pass: its owner, which of the owner's tables, and the type of its numbers.
struct TableKey {
  const void* owner = nullptr;
  int table = 0;
  at::ScalarType type = at::kFloat;
  bool operator==(const TableKey&) const = default;
};

/// Tables that all layers of one forward pass share (cosines and sines, bucket numbers, biases). The memo belongs
/// to the pass, so encodings stay stateless between calls. A table is found again by its key and by the identity of
/// the two position tensors, which the memo keeps alive. Tables made with gradients and without are kept apart.
class PassMemo {
 public:
  at::Tensor get(const TableKey& key, const at::Tensor& first_pos, const at::Tensor& second_pos,
                 const std::function<at::Tensor()>& make);

 private:
  struct Entry {
    TableKey key;
    bool with_gradients;
    at::Tensor first_pos, second_pos, value;
  };
  std::vector<Entry> entries_;
};

/// The position of a padding token. No query attends to such a key, so whatever an encoding returns for it is never
/// used and must only be finite. Positions below it are errors.
inline constexpr int64_t kPadding = -1;

/// One attention call. Hooks see positions and never "the" length, so the same code serves full, tiled and cached
/// attention at any offset. In a full pass the keys are the whole sequence, in order of position.
struct Site {
  at::Tensor query_pos_BQ;  // int64, absolute; B may be 1 for all rows alike
  at::Tensor key_pos_BK;    // int64, absolute
  int64_t layer = 0;
  PassMemo* memo = nullptr;  // may be null

  /// `make()`, or its earlier result in this pass for the same key and positions.
  at::Tensor once(const TableKey& key, const at::Tensor& first_pos, const at::Tensor& second_pos,
                  const std::function<at::Tensor()>& make) const {
    return memo == nullptr ? make() : memo->get(key, first_pos, second_pos, make);
  }
};

/// What the key cache may hold when decoding token by token.
enum class KeyCache {
  kRotated,  // keys after rotate_key: the rotation depends on the key's own position only
  kRaw,      // keys before rotate_key: positions enter later
  kNone,     // nothing: a longer sequence changes earlier hidden states, so recompute
};
[[nodiscard]] std::string_view key_cache_name(KeyCache cache);  // "rotated", "raw", "none"

/// One named fact for the position card: "attention_factor" 1.1386, "layout" "half".
struct CardFact {
  std::string name;
  std::string value;            // as printed
  std::vector<double> numbers;  // full precision, when the fact is numeric
  bool list = false;            // inv_freq, also where it holds one number
};

/// A position scheme. Every hook has a default that changes nothing: a model without positions is this class unchanged.
/// Stateless between calls: the result of a hook depends on its arguments and the parameters alone.
class PositionEncoding : public Module {
 public:
  ~PositionEncoding() override = default;

  // The hooks. They are called with positions that check_positions() accepts.

  /// Input: token embeddings in, the same shape out.
  virtual at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ);

  /// Queries and keys, per head, before the dot product.
  virtual at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at);
  virtual at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at);

  /// Logits, after the 1/sqrt(E) scale and before the mask. May add to them or replace them.
  /// q and k are the results of rotate_query and rotate_key. Half-precision logits may come back as float32, since a
  /// bias rounded to bfloat16 no longer separates distance 256 from 257.
  virtual at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                                   const Site& at);

  /// Attention output, per head, after the weighted sum of values.
  virtual at::Tensor adjust_output(const at::Tensor& out_BHQE, const at::Tensor& weights_BHQK, const Site& at);

  // Declared properties. The position card measures them and prints both.

  [[nodiscard]] virtual KeyCache key_cache() const { return KeyCache::kRotated; }
  /// The same for one layer: never weaker than key_cache(), which holds for the whole model.
  [[nodiscard]] virtual KeyCache key_cache_of(int64_t /*layer*/) const { return key_cache(); }
  /// One layer of each kind, where layers differ in more than the values of their parameters.
  [[nodiscard]] virtual std::vector<int64_t> layers_of_each_kind() const { return {0}; }
  /// Positions 0 .. max_positions()-1 are defined; nullopt when there is no bound.
  [[nodiscard]] virtual std::optional<int64_t> max_positions() const { return std::nullopt; }
  /// The position after which everything that the setting does has set in: a switch by length, a window, a step. What
  /// is declared here shows only in sequences that reach past it. 0: nothing changes on the way.
  [[nodiscard]] virtual int64_t changes_after() const { return 0; }
  /// The logits stay the same when all positions shift by the same amount (at the same length).
  [[nodiscard]] virtual bool shift_invariant() const = 0;
  /// embed changes the token embeddings.
  [[nodiscard]] virtual bool touches_input() const { return false; }
  /// adjust_logits or adjust_output changes something in this layer. Where false, attention may run in a fused kernel
  /// that never holds the logits; true is always safe.
  [[nodiscard]] virtual bool touches_logits(int64_t /*layer*/) const { return true; }
  /// adjust_output changes what values contribute.
  [[nodiscard]] virtual bool touches_values() const { return false; }
  /// For schemes that add a function of only key position - query position: that bias, [H, N] in float32 or better, and
  /// adjust_logits adds nothing else. Undefined for all others.
  /// @param ahead_N int64, key position - query position.
  [[nodiscard]] virtual at::Tensor bias_by_distance(const at::Tensor& ahead_N) const;
  /// Everything else that is needed to reproduce this setting at `length` tokens, for the card.
  [[nodiscard]] virtual std::vector<CardFact> facts(int64_t length) const;

  /// Checks positions against max_positions(), once a pass. @param pos_BT int64, padding allowed.
  /// @throws Error(kUnsupported) with the text of undefined_position() where a position lies outside.
  void check_positions(const at::Tensor& pos_BT) const;
  /// The message for a position outside 0 .. max_positions()-1.
  [[nodiscard]] virtual std::string undefined_position(int64_t position) const;

  /// Draws the initial values of learned parameters. Each parameter has a stream of its own, so the draw depends on
  /// the state of `rng` and the name of the parameter alone.
  virtual void reset_parameters(Rng& rng);
  /// Puts parameters back into their allowed range: called after every training step.
  virtual void constrain() {}
};

/// Builds an encoding from options that were read before: each call makes a new module and parses nothing.
/// Parameters are zero or have their fixed initial value: reset_parameters() draws them.
using MakeEncoding = std::function<std::shared_ptr<PositionEncoding>()>;

/// A maker of a T from copies of `args`: what most schemes return from `read`.
template <class T, class... Args>
MakeEncoding maker_of(Args... args) {
  return [args...]() -> std::shared_ptr<PositionEncoding> { return std::make_shared<T>(args...); };
}

/// One line of the registry: everything the rest of the program knows about an encoding.
struct EncodingInfo {
  std::string_view name;     // as in YAML
  std::string_view summary;  // one clause, for `lengthwise list encodings`
  std::string_view paper;    // first author, year, arXiv id
  std::string_view golden;   // what its numbers are tested against
  /// Reads the scheme's options, with all their errors.
  MakeEncoding (*read)(ConfigNode& options, const ModelShape& shape);
  /// For a scheme that replaces another one after training: the scheme that the weights are trained with, which reads
  /// those of the options that it knows. "" when weights are trained with this one.
  std::string_view trained_as = {};
  /// Values for the options that have no default, as a YAML mapping: the scheme is shown and measured with them
  /// where no config is given.
  std::string_view needed_options = {};
};

}  // namespace lw
