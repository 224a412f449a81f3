// RoPE whose positions depend on the pair of query and key: what ReRoPE, Self-Extend, Dual Chunk Attention and
// attention sinks share. The weights are those of plain RoPE; only the positions differ.
//
// Logits are formed in passes. The first covers every pair; each later one replaces a region. Passes without a pair are
// skipped, so up to the first boundary the cost is that of plain RoPE.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "encodings/parts/rope_rotation.h"
#include "encodings/position_encoding.h"

namespace lw {

/// The positions of queries and keys in one pass. A position tensor may have a single column, for all tokens.
struct RopePass {
  at::Tensor query_pos_BQ, key_pos_BK;  // int64 or float64
  at::Tensor region_BQK;                // bool; undefined only in the first pass, which covers every pair
};

/// Keys are cached raw, since one key is rotated to several positions. Causal models only.
class PiecewiseRope : public PositionEncoding {
 public:
  PiecewiseRope(RopeRotation rotation, int64_t train_length)
      : rotation_(std::move(rotation)), train_length_(train_length) {}

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) override;

  KeyCache key_cache() const override { return rotation_.depends_on_length() ? KeyCache::kNone : KeyCache::kRaw; }
  int64_t changes_after() const override { return std::max(region_after(), rotation_.changes_after().value_or(0)); }
  std::optional<int64_t> max_positions() const override { return rotation_.max_length(); }
  std::string undefined_position(int64_t position) const override { return rotation_.undefined_position(position); }
  std::vector<CardFact> facts(int64_t length) const override;

 protected:
  /// The tables that a scheme keeps for the rest of a pass: positions that queries and keys are moved to, and regions.
  enum Table { kQueryPos, kFarQueryPos, kFartherQueryPos, kKeyPos, kFarRegion, kFartherRegion, kHidden };

  virtual std::vector<RopePass> passes(const Site& at) const = 0;
  /// The largest distance between a query and a key after their rotation, in a sequence of `length` >= 1 tokens.
  virtual double largest_distance(int64_t length) const = 0;
  virtual std::vector<CardFact> option_facts(int64_t length) const = 0;
  /// The distance after which every region has pairs.
  virtual int64_t region_after() const = 0;

  /// Made once a pass for the positions `of_BT`.
  at::Tensor moved(const Site& at, Table table, const at::Tensor& of_BT,
                   const std::function<at::Tensor()>& make) const {
    return at.once({this, table}, of_BT, of_BT, make);
  }
  /// One position for all tokens: [1, 1].
  at::Tensor everywhere(const Site& at, Table table, int64_t position) const;
  /// Made once a pass; undefined when it holds no pair. @param make returns bool, [B, Q, K].
  at::Tensor region(const Site& at, Table table, const std::function<at::Tensor()>& make) const;

  int64_t train_length() const { return train_length_; }

 private:
  RopeRotation rotation_;
  int64_t train_length_;
};

/// True where the key is `distance` or more tokens behind the query: [B, Q, K], without an int64 tensor of that size.
[[nodiscard]] at::Tensor far_pairs(const Site& at, int64_t distance);

/// Reads `key`: a number of tokens, by default `fallback`, and at most the training length where that is known.
int64_t read_window(ConfigNode& options, const char* key, int64_t fallback, int64_t train_length,
                    const std::string& doc);

}  // namespace lw
