// xPos: RoPE whose products also decay with distance, faster in fast pairs.
// Sun et al. 2023, "A Length-Extrapolatable Transformer", arXiv:2212.10554, section 3. Pair i of the query at m is
// multiplied by zeta_i^(m / S), and pair i of the key at n by zeta_i^(-n / S), with zeta_i = (2i + gamma d) / ((1 +
// gamma) d) and d the rotary width, so their product has zeta_i^((m - n) / S). S is `scale_base`, 512, and gamma 0.4 as
// in the paper.
// Pairs are interleaved channels unless `layout` says otherwise, as in torchscale and x-transformers.
// Deviation: peers subtract half the current length from positions to keep the factors small. That centre cancels only
// where query and key share it, so keys cached under another centre would be wrong. Here it is one fixed number, half
// the training length unless given, and `max_positions` ends where float32 would overflow.
#include <ATen/ops/constant_pad_nd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "encodings/parts/causal_only.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/precision.h"
#include "encodings/parts/rope_rotation.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

/// Factors, and products of factors at any two positions, stay within 2^+-112: float32 and bfloat16 end at 2^128, and
/// the rest is headroom for the channels themselves.
constexpr double kRangeBits = 112;

struct XPosOptions {
  double scale_base = 512, gamma = 0.4;  // tokens; the paper's gamma
  double centre = 0;                     // the position where factors are 1

  std::vector<double> zeta(int64_t rotary_dim) const {
    std::vector<double> out;
    const auto d = double(rotary_dim);
    for (int64_t i = 0; i < rotary_dim / 2; ++i) out.push_back((2 * double(i) + gamma * d) / ((1 + gamma) * d));
    return out;
  }
  /// The number of positions between factors of 1 and 2^-112.
  double range(int64_t rotary_dim) const {
    const auto zetas = zeta(rotary_dim);
    if (zetas.empty()) return 0;
    return std::floor(scale_base * kRangeBits * M_LN2 / std::abs(std::log(zetas.front())));  // zeta_0 is the smallest
  }
};

class XPos final : public PositionEncoding {
 public:
  XPos(RopeRotation rotation, const XPosOptions& options)
      : rotation_(std::move(rotation)), options_(options), range_(options.range(rotation_.basis().rotary_dim)) {}

  at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at) override {
    const auto rotated = rotation_.rotate_query(q_BHQE.to(wide_type(q_BHQE)), at.query_pos_BQ, at);
    return narrowed(rotated * factors(at, at.query_pos_BQ, rotated, +1), q_BHQE.scalar_type());
  }
  at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at) override {
    const auto rotated = rotation_.rotate_key(k_BHKE.to(wide_type(k_BHKE)), at.key_pos_BK, at);
    return narrowed(rotated * factors(at, at.key_pos_BK, rotated, -1), k_BHKE.scalar_type());
  }

  KeyCache key_cache() const override { return rotation_.depends_on_length() ? KeyCache::kNone : KeyCache::kRotated; }
  bool shift_invariant() const override { return true; }
  int64_t changes_after() const override { return rotation_.changes_after().value_or(0); }
  bool touches_logits(int64_t) const override { return false; }
  std::optional<int64_t> max_positions() const override {
    constexpr double kWholeNumbers = 9007199254740992.0;  // 2^53: float64 counts no farther
    const auto rotated = rotation_.max_length();
    if (range_ >= kWholeNumbers) return rotated;
    return std::min(int64_t(range_), rotated.value_or(int64_t(range_)));
  }
  std::string undefined_position(int64_t position) const override {
    const bool rotated = rotation_.max_length().value_or(position + 1) <= position;
    return rotated ? rotation_.undefined_position(position) : PositionEncoding::undefined_position(position);
  }

  std::vector<CardFact> facts(int64_t length) const override {
    std::vector<CardFact> out = {number_fact("scale_base", options_.scale_base), number_fact("gamma", options_.gamma),
                                 number_fact("centre", options_.centre),
                                 list_fact("zeta", options_.zeta(rotation_.basis().rotary_dim))};
    for (auto& fact : rotation_.facts(length)) out.push_back(std::move(fact));
    return out;
  }

 private:
  /// float16 ends at 2^16, some 4500 positions from the centre: there, scaled tensors stay in float32.
  static at::Tensor narrowed(const at::Tensor& scaled, at::ScalarType type) {
    return type == at::kHalf ? scaled : scaled.to(type);
  }

  /// zeta^(sign (position - centre) / S) for each channel, 1 for those that are not rotated: [B, 1, T, E].
  at::Tensor factors(const Site& at, const at::Tensor& pos_BT, const at::Tensor& like_BHTE, int sign) const {
    return at.once({this, sign, like_BHTE.scalar_type()}, pos_BT, pos_BT, [&] {
      const int64_t rotary = rotation_.basis().rotary_dim, width = like_BHTE.size(-1);
      const auto log_zeta_F =
          at::tensor(options_.zeta(rotary), at::kDouble).to(pos_BT.device()).log() * (sign / options_.scale_base);
      const auto log_factor_BTF = (pos_BT.to(at::kDouble) - options_.centre).unsqueeze(-1) * log_zeta_F;
      const auto factor_BTF = log_factor_BTF.exp();
      auto factor_BTE = rotation_.layout() == RotaryLayout::kHalf ? at::cat({factor_BTF, factor_BTF}, -1)
                                                                  : factor_BTF.repeat_interleave(2, -1);
      if (rotary < width) factor_BTE = at::constant_pad_nd(factor_BTE, {0, width - rotary}, 1.0);
      return factor_BTE.to(like_BHTE.scalar_type()).unsqueeze(1);
    });
  }

  RopeRotation rotation_;
  XPosOptions options_;
  double range_;
};

MakeEncoding read_xpos(ConfigNode& options, const ModelShape& shape) {
  require_causal(options, shape, "xpos");
  auto rotation = RopeRotation::read(options, shape, RotaryLayout::kInterleaved);
  XPosOptions xpos;
  xpos.scale_base = options.number("scale_base", 512.0, {.min = 0.0, .above_min = true},
                                   "tokens over which pair i decays by the factor zeta_i");
  xpos.gamma = options.number("gamma", 0.4, {.min = 0.0, .above_min = true},
                              "zeta_i = (2i + gamma d) / ((1 + gamma) d): larger decays less");
  xpos.centre = options.number("centre", double(shape.train_length / 2), {.min = 0.0},
                               "the position where factors are 1; cancels in every logit");
  const double range = xpos.range(rotation.basis().rotary_dim);
  options.require(range >= 1, "scale_base",
                  found(xpos.scale_base, ", under which float32 holds no second position").allowed("more"));
  options.require(xpos.centre <= range, "centre",
                  found(xpos.centre).allowed("0 to ", range, ", the positions whose factors float32 holds"));
  return maker_of<XPos>(std::move(rotation), xpos);
}

}  // namespace

extern const EncodingInfo xpos_encoding{
    .name = "xpos",
    .summary = "RoPE whose products decay with distance",
    .paper = "Sun et al. 2023, arXiv:2212.10554",
    .golden = "torchscale: logits and a closed form",
    .read = read_xpos,
};

}  // namespace lw
