// How RoPE's frequencies are changed to reach past the training length. Free of LibTorch: a scaling is a
// function from frequencies to frequencies; everything else about RoPE is in rope.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

class ConfigNode;

/// RoPE before any scaling.
struct RopeBasis {
  double rope_theta = 10000.0;
  int64_t rotary_dim = 0;  // even; pairs = rotary_dim / 2
  int64_t head_width = 0;
  double partial_rotary_factor = 1.0;        // the share of head_width that rotary_dim is, unless a method spans_head()
  std::vector<double> scaled_inv_freq = {};  // what an earlier method made of them; empty: plain

  /// What a method starts from: rope_theta^(-2i/rotary_dim), i = 0 .. pairs-1, in radians per position, or what an
  /// earlier method made of that.
  std::vector<double> inv_freq() const;
};

struct RopeTable {
  std::vector<double> inv_freq;   // radians per position, one per pair
  double attention_factor = 1.0;  // multiplies cos and sin of both q and k, so logits get its square
  double query_factor = 1.0;      // multiplies whole queries, rotated or not: a temperature of the softmax
  size_t still_pairs = 0;         // so many of the last pairs never rotate, on purpose: their frequency is 0

  bool operator==(const RopeTable&) const = default;
};

/// A number that the method derived from its options: shown on the position card.
struct DerivedNumber {
  std::string name;  // "correction_low"
  double value = 0;
};

class RopeScaling {
 public:
  virtual ~RopeScaling() = default;
  /// As in `rope_type:`.
  virtual std::string_view name() const = 0;
  /// @param length tokens in the sequence; only methods that depend_on_length() look at it. A pure
  ///               function of it: no call leaves anything behind.
  virtual RopeTable table(const RopeBasis& basis, int64_t length) const = 0;
  /// For methods whose table depends on the length: it begins to change after this many tokens, for the last time
  /// where a method has several such lengths. Keys then cannot be cached: a longer sequence changes earlier hidden
  /// states. nullopt: one table for every length.
  virtual std::optional<int64_t> changes_after() const { return std::nullopt; }
  bool depends_on_length() const { return changes_after().has_value(); }
  /// True when the method gives head_width / 2 frequencies and its pairs span the whole head: partial_rotary_factor
  /// then has another meaning.
  virtual bool spans_head() const { return false; }
  /// True when the method chooses which pairs rotate at all, so that weights must be trained with it. All others are
  /// added after training.
  virtual bool in_training() const { return false; }
  virtual std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t length) const;
};

struct RopeScalingInfo {
  std::string_view name;     // as in `rope_type:`
  std::string_view summary;  // one clause
  std::string_view paper;
  std::string_view golden;  // what its numbers are tested against
  /// @param train_length the default of original_max_position_embeddings.
  /// @throws Error(kConfig) with the option's place for a value or combination that is not allowed.
  std::unique_ptr<RopeScaling> (*read)(ConfigNode& options, const RopeBasis& basis, int64_t train_length);
  /// The option shown in the name of a setting, where it is given: "linear x8".
  std::string_view size_option = {};
  /// Values for the options that have no default, as a YAML mapping, as in EncodingInfo.
  std::string_view needed_options = {};
  /// Further ones, separated by spaces, that are lists of one number for each pair.
  std::string_view needed_lists = {};
};

/// The scheme that scalings are an option of.
inline constexpr std::string_view kScaledScheme = "rope";

std::span<const RopeScalingInfo* const> rope_scalings();
/// Reads `rope_type:` (or its old name `type:`) and its options out of `scaling`; absent means default. Methods that
/// depend on the length also take `declared_length`, which holds them at one. All of it is added after training, unless
/// the method is in_training(). @param layer_type comes first in the words for that: "full_attention yarn x4".
std::unique_ptr<RopeScaling> read_rope_scaling(ConfigNode& scaling, const RopeBasis& basis, int64_t train_length,
                                               const std::string& layer_type = "");
/// The same for a part of a composed scaling: any method but `composed`.
std::unique_ptr<RopeScaling> read_single_rope_scaling(ConfigNode& scaling, const RopeBasis& basis,
                                                      int64_t train_length);
/// The method that changes nothing.
const RopeScalingInfo& no_rope_scaling();

}  // namespace lw
