// The one interface of this project: where a position scheme may touch a transformer.
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

#include "encodings/module.h"

namespace lw {

class ConfigNode;
class Rng;

/// What an encoding may know about the model it is built for.
struct ModelShape {
  int64_t width = 0;       // D
  int64_t heads = 0;       // H
  int64_t head_width = 0;  // E
  int64_t layers = 0;
  int64_t train_length = 0;  // longest sequence seen in training, in tokens
  bool causal = true;
};

/// Tables that all layers of one forward pass share (cos and sin, bucket numbers, biases). It belongs to
/// the pass, so encodings stay stateless between calls. Entries are found by the identity of the
/// position tensors, which are kept alive here.
class PassMemo {
 public:
  /// @param tag tells apart the tables of one owner.
  at::Tensor get(const void* owner, int tag, const at::Tensor& first_pos, const at::Tensor& second_pos,
                 const std::function<at::Tensor()>& make);

 private:
  struct Entry {
    const void* owner;
    int tag;
    at::Tensor first_pos, second_pos, value;
  };
  std::vector<Entry> entries_;
};

/// The position of a padding token. No query looks at such a key; what an encoding gives there is never used
/// and must only be finite. Positions below it are errors.
inline constexpr int64_t kPadding = -1;

/// One attention call. Hooks see positions, never "the" length: so the same code serves full, tiled and
/// cached attention, at any offset. In a full pass the keys are the whole sequence, in order of position.
struct Site {
  at::Tensor query_pos_BQ;  // int64, absolute; B may be 1 for all rows alike
  at::Tensor key_pos_BK;    // int64, absolute
  int64_t layer = 0;
  PassMemo* memo = nullptr;  // may be null

  /// `make()`, or what it gave earlier in this pass for the same positions.
  at::Tensor once(const void* owner, int tag, const at::Tensor& first_pos, const at::Tensor& second_pos,
                  const std::function<at::Tensor()>& make) const {
    return memo == nullptr ? make() : memo->get(owner, tag, first_pos, second_pos, make);
  }
};

/// What the key cache may hold when decoding token by token.
enum class KeyCache {
  kRotated,  // keys after rotate_key: the rotation depends on the key's own position only
  kRaw,      // keys before rotate_key: positions enter later
  kNone,     // nothing: a longer sequence changes earlier hidden states, so recompute
};
std::string_view key_cache_name(KeyCache cache);  // "rotated", "raw", "none"

/// One named fact for the position card: "attention_factor" 1.1386, "layout" "half".
struct CardFact {
  std::string name;
  std::string value;            // as printed
  std::vector<double> numbers;  // full precision, when the fact is numeric; a list for inv_freq
};

/// A position scheme. Every hook has a do-nothing default: NoPE is this class as it is.
/// Stateless between calls: a hook's result depends on its arguments and parameters alone.
class PositionEncoding : public Module {
 public:
  ~PositionEncoding() override = default;

  /// Input: token embeddings in, the same shape out.
  /// @throws Error(kUnsupported) "no vector for position N (table holds M)" beyond max_positions().
  virtual at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ);

  /// Queries and keys, per head, before the dot product.
  virtual at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at);
  virtual at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at);

  /// Logits, after the 1/sqrt(E) scale and before the mask. May add to or replace them.
  /// q and k are what rotate_query and rotate_key returned. Half-precision logits may come back as
  /// float32, since a bias rounded to bfloat16 no longer tells distance 256 from 257.
  virtual at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                                   const Site& at);

  /// Attention output, per head, after the weighted sum of values.
  virtual at::Tensor adjust_output(const at::Tensor& out_BHQE, const at::Tensor& weights_BHQK, const Site& at);

  // Declared properties. The position card measures each beside what is declared.

  virtual KeyCache key_cache() const { return KeyCache::kRotated; }
  /// The same for one layer: never weaker than key_cache(), which holds for the whole model.
  virtual KeyCache key_cache_of(int64_t /*layer*/) const { return key_cache(); }
  /// One layer of each kind, where layers differ in more than what their parameters hold.
  virtual std::vector<int64_t> layers_of_each_kind() const { return {0}; }
  /// Positions 0 .. max_positions()-1 are defined; nullopt when there is no bound.
  virtual std::optional<int64_t> max_positions() const { return std::nullopt; }
  /// The same logits when all positions shift alike (the length staying the same).
  virtual bool shift_invariant() const = 0;
  /// embed changes the token embeddings.
  virtual bool touches_input() const { return false; }
  /// adjust_output changes what values contribute.
  virtual bool touches_values() const { return false; }
  /// The bias of schemes that add a function of key position - query position alone: [H, N] in float32 or
  /// better; undefined for all others. adjust_logits then adds just this.
  /// @param ahead_N int64, key position - query position.
  virtual at::Tensor bias_by_distance(const at::Tensor& ahead_N) const;
  /// Everything else that is needed to reproduce this setting at `length` tokens, for the card.
  virtual std::vector<CardFact> facts(int64_t length) const;

  /// Draws the start of learned parameters. Each parameter has a stream of its own, so the draw depends
  /// on `rng`'s state and the parameter's name alone.
  virtual void reset_parameters(Rng& rng);
  /// Puts parameters back into their allowed range: called after every training step.
  virtual void constrain() {}
};

/// Builds an encoding whose options were read before: a new module at each call, and nothing is parsed.
/// Parameters are left at zero or their fixed start: reset_parameters() draws them.
using MakeEncoding = std::function<std::shared_ptr<PositionEncoding>()>;

/// Builds a T from copies of `args`: how most schemes end their reading.
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
  /// The scheme that weights are trained with when this one is put on afterwards. It reads the same options as far
  /// as it knows them. "" when weights are trained with this one.
  std::string_view trained_as = {};
  /// Values for the options that have no default, as a YAML mapping: the scheme is shown and measured with them
  /// where no config is given.
  std::string_view needed_options = {};
};

}  // namespace lw
