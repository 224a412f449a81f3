// DeBERTa's disentangled attention: logits of content with position, and of position with content, beside those of
// content with content.
// He et al. 2021, "DeBERTa: Decoding-enhanced BERT with Disentangled Attention", arXiv:2006.03654, section 3.1:
//   sqrt(T E) logit_ij = q_i . k_j + q_i . (W_k P[d(i, j)]) + k_j . (W_q P[d(j, i)]),
//   d(i, j) = clip(i - j + s, 0, 2s - 1), T the number of terms (3; fewer when pos_att_type names fewer).
// P is shared by all layers; each layer has its own W_k and W_q, without bias (the version-1 code puts one on W_q).
// Version 2's logarithmic buckets come with `position_buckets`; its sharing of W with the content projections
// (share_att_key) and its normalisation of P are left out. The logits come in as q . k / sqrt(E), so everything is
// divided by sqrt(T) here. All three are drawn from a normal distribution with standard deviation 0.02. Each direction
// has vectors of its own, since the paper is about encoders; decoders may use the scheme too.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "encodings/parts/distances.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/parameters.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr double kDebertaInitStd = 0.02;

struct DebertaOptions {
  int64_t max_relative_positions = 512;
  int64_t position_buckets = 0;  // 0: none, every distance up to the span has a vector of its own
  bool c2p = true, p2c = true;

  int64_t span() const { return position_buckets > 0 ? position_buckets : max_relative_positions; }
  int64_t terms() const { return 1 + (c2p ? 1 : 0) + (p2c ? 1 : 0); }

  /// @param relative query position - key position for c2p, the other way for p2c.
  int64_t row(int64_t relative) const { return std::clamp<int64_t>(bucket(relative) + span(), 0, 2 * span() - 1); }

 private:
  /// Distances up to half the number of buckets have one bucket each; the others share logarithmic buckets. Reaches
  /// position_buckets - 1 at max_relative_positions - 1; row() clips larger values.
  int64_t bucket(int64_t relative) const {
    const int64_t middle = position_buckets / 2, distance = std::abs(relative);
    if (position_buckets == 0 || distance <= middle) return relative;
    const double share =
        std::log(double(distance) / double(middle)) / std::log(double(max_relative_positions - 1) / double(middle));
    const auto far = int64_t(std::ceil(share * double(middle - 1))) + middle;
    return relative < 0 ? -far : far;
  }
};

class Deberta final : public PositionEncoding {
 public:
  Deberta(const ModelShape& shape, const DebertaOptions& options)
      : options_(options), heads_(shape.heads), head_width_(shape.head_width) {
    // Beyond this distance the row stays the same, so relative positions are clipped and looked up.
    const int64_t far = std::max(options.max_relative_positions, options.span()) + 1;
    std::vector<int64_t> rows;
    for (int64_t relative = -far; relative <= far; ++relative) rows.push_back(options.row(relative));
    row_R_ = at::tensor(rows, at::kLong);
    p_CD_ = register_parameter("rel_embeddings", at::zeros({2 * options.span(), shape.width}));
    const std::vector<int64_t> sizes = {shape.layers, heads_ * head_width_, shape.width};
    if (options.c2p) key_LID_ = register_parameter("pos_key_proj", at::zeros(sizes));
    if (options.p2c) query_LID_ = register_parameter("pos_query_proj", at::zeros(sizes));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) override {
    const auto wide = wide_type(logits_BHQK);
    auto sum_BHQK = logits_BHQK.to(wide);
    const double scale = 1.0 / std::sqrt(double(head_width_));
    if (options_.c2p) {
      const auto score_BHQC = at::matmul(q_BHQE.to(wide) * scale, projected(key_LID_, at.layer, wide));
      sum_BHQK = sum_BHQK + pick_classes(score_BHQC, rows(at, kQueryToKey));
    }
    if (options_.p2c) {
      const auto score_BHKC = at::matmul(k_BHKE.to(wide) * scale, projected(query_LID_, at.layer, wide));
      sum_BHQK = sum_BHQK + pick_classes(score_BHKC, rows(at, kKeyToQuery)).transpose(-1, -2);
    }
    return sum_BHQK / std::sqrt(double(options_.terms()));
  }

  bool shift_invariant() const override { return true; }

  std::vector<CardFact> facts(int64_t) const override {
    std::vector<double> row_of_distance;  // of keys 0, 1, 2, ... before the query
    for (int64_t distance = 0; distance <= options_.max_relative_positions; ++distance)
      row_of_distance.push_back(double(options_.row(distance)));
    return {number_fact("max_relative_positions", double(options_.max_relative_positions)),
            number_fact("position_buckets", double(options_.position_buckets)),
            number_fact("span", double(options_.span())), number_fact("terms", double(options_.terms())),
            list_fact("row_of_distance", std::move(row_of_distance))};
  }

  void reset_parameters(Rng& rng) override {
    Rng p_stream = rng.stream("rel_embeddings"), key_stream = rng.stream("pos_key_proj"),
        query_stream = rng.stream("pos_query_proj");
    draw_normal(p_CD_, kDebertaInitStd, p_stream);
    if (options_.c2p) draw_normal(key_LID_, kDebertaInitStd, key_stream);
    if (options_.p2c) draw_normal(query_LID_, kDebertaInitStd, query_stream);
  }

 private:
  enum Direction { kQueryToKey, kKeyToQuery };

  /// Rows of P for all pairs: [B, Q, K] of d(i, j), or [B, K, Q] of d(j, i).
  at::Tensor rows(const Site& at, Direction direction) const {
    return at.once({this, direction}, at.query_pos_BQ, at.key_pos_BK, [&] {
      const auto ahead_BQK = ahead_of_pairs(at);
      const auto relative = direction == kQueryToKey ? -ahead_BQK : ahead_BQK.transpose(-1, -2);
      const int64_t far = row_R_.size(0) / 2;
      return row_R_.to(relative.device())
          .index_select(0, (relative.clamp(-far, far) + far).flatten())
          .view(relative.sizes());
    });
  }

  /// W P^T of one layer: [H, E, C].
  at::Tensor projected(const at::Tensor& weight_LID, int64_t layer, at::ScalarType wide) const {
    return at::matmul(weight_LID.select(0, layer).to(wide), p_CD_.to(wide).t()).view({heads_, head_width_, -1});
  }

  DebertaOptions options_;
  int64_t heads_, head_width_;
  at::Tensor row_R_;  // of relative = -far .. far
  at::Tensor p_CD_, key_LID_, query_LID_;
};

MakeEncoding read_deberta(ConfigNode& node, const ModelShape& shape) {
  DebertaOptions options;
  options.max_relative_positions = node.integer("max_relative_positions", 512, {.min = 1, .max = 1 << 20},
                                                "distances from it on share one vector in each direction");
  options.position_buckets = node.integer("position_buckets", 0, {.min = 0, .max = 1 << 20},
                                          "logarithmic buckets in each direction, as in version 2; 0: none");
  const int64_t buckets = options.position_buckets;
  node.require(buckets % 2 == 0 && buckets != 2, "position_buckets",
               found(buckets).allowed("0, or an even number, 4 or more"));
  node.require(buckets == 0 || options.max_relative_positions > buckets / 2 + 1, "max_relative_positions",
               found(options.max_relative_positions)
                   .allowed("above ", buckets / 2 + 1, ", so that logarithmic buckets have distances to hold"));
  const auto types = node.words("pos_att_type", {"c2p", "p2c"}, "terms beside content with content: c2p, p2c");
  options.c2p = options.p2c = false;
  constexpr auto kAllowed = "a list of c2p and p2c, each once";
  for (const auto& type : types) {
    node.require(type == "c2p" || type == "p2c", "pos_att_type", found(type).allowed(kAllowed));
    bool& term = type == "p2c" ? options.p2c : options.c2p;
    node.require(!term, "pos_att_type", found(type, " twice").allowed(kAllowed));
    term = true;
  }
  node.require(!types.empty(), "pos_att_type", "found an empty list; allowed: c2p, p2c or both");
  return maker_of<Deberta>(shape, options);
}

}  // namespace

extern const EncodingInfo deberta_encoding{
    .name = "deberta",
    .summary = "logits of content with position and of position with content",
    .paper = "He et al. 2021, arXiv:2006.03654",
    .golden = "transformers' logarithmic buckets, and sums over pairs written out",
    .read = read_deberta,
};

}  // namespace lw
