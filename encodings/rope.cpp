// RoPE: queries and keys rotated by their positions, so that their product depends on the difference.
// Su et al. 2021, "RoFormer", arXiv:2104.09864, section 3.2. Frequencies come from a RopeScaling; a part of
// the head may be rotated alone (`partial_rotary_factor`, GPT-NeoX), with frequencies of that part's width.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "encodings/facts.h"
#include "encodings/position_encoding.h"
#include "encodings/precision.h"
#include "encodings/rope_scaling.h"
#include "encodings/rotation.h"
#include "harness/base/config.h"
#include "harness/base/numbers.h"

namespace lw {
namespace {

class Rope final : public PositionEncoding {
 public:
  Rope(const RopeBasis& basis, std::unique_ptr<RopeScaling> scaling, RotaryLayout layout, int64_t train_length)
      : basis_(basis), scaling_(std::move(scaling)), layout_(layout), train_length_(train_length) {}

  torch::Tensor rotate_query(const torch::Tensor& q_BHQE, const Site& at) override {
    return rotate(q_BHQE, table(at, at.query_pos_BQ, wide_type(q_BHQE)), layout_);
  }
  torch::Tensor rotate_key(const torch::Tensor& k_BHKE, const Site& at) override {
    return rotate(k_BHKE, table(at, at.key_pos_BK, wide_type(k_BHKE)), layout_);
  }

  KeyCache key_cache() const override { return scaling_->depends_on_length() ? KeyCache::kNone : KeyCache::kRotated; }
  bool shift_invariant() const override { return true; }
  std::vector<CardFact> facts(int64_t length) const override;

 private:
  /// Shared over layers. Nothing of it is a buffer of the module, which a cast of the model would round.
  torch::Tensor table(const Site& at, const torch::Tensor& pos_BT, torch::ScalarType type) const {
    const bool by_length = scaling_->depends_on_length();
    const int tag = type == torch::kFloat64 ? 1 : 0;
    return at.once(this, tag, pos_BT, by_length ? at.key_pos_BK : pos_BT, [&] {
      return rotation_table(pos_BT, by_length ? tables_by_row(at.key_pos_BK) : std::vector{scaling_->table(basis_, 0)},
                            type);
    });
  }

  /// Each row has its own length, its last key's position + 1: a long row must not change its neighbours.
  std::vector<RopeTable> tables_by_row(const torch::Tensor& key_pos_BK) const {
    const auto last_B = key_pos_BK.amax(-1).to(torch::kCPU);
    std::vector<RopeTable> tables;
    for (int64_t row = 0; row < last_B.size(0); ++row)
      tables.push_back(scaling_->table(basis_, last_B[row].item<int64_t>() + 1));
    return tables;
  }

  RopeBasis basis_;
  std::unique_ptr<RopeScaling> scaling_;
  RotaryLayout layout_;
  int64_t train_length_;
};

/// Pairs whose wavelength is longer than `length`: they never finish a turn in it.
int64_t pairs_without_a_turn(const std::vector<double>& inv_freq, int64_t length) {
  return std::count_if(inv_freq.begin(), inv_freq.end(), [&](double w) { return w * double(length) < 2 * M_PI; });
}

std::vector<CardFact> Rope::facts(int64_t length) const {
  const RopeTable now = scaling_->table(basis_, length);
  std::vector<CardFact> out = {number_fact("rotary_dim", double(basis_.rotary_dim)),
                               text_fact("layout", layout_ == RotaryLayout::kHalf ? "half" : "interleaved"),
                               number_fact("rope_theta", basis_.rope_theta),
                               text_fact("scaling", std::string(scaling_->name()))};
  for (const auto& number : scaling_->derived(basis_, length)) out.push_back(number_fact(number.name, number.value));
  std::vector<double> wavelengths;
  for (const double w : now.inv_freq) wavelengths.push_back(2 * M_PI / w);
  out.push_back(number_fact("attention_factor", now.attention_factor));
  out.push_back(list_fact("inv_freq", now.inv_freq));
  out.push_back(list_fact("wavelengths", std::move(wavelengths)));
  if (train_length_ > 0) {
    const auto trained = scaling_->table(basis_, train_length_).inv_freq;
    out.push_back(
        number_fact("pairs_without_a_turn_in_training", double(pairs_without_a_turn(trained, train_length_))));
  }
  out.push_back(number_fact("pairs_without_a_turn", double(pairs_without_a_turn(now.inv_freq, length))));
  return out;
}

/// Hugging Face's rope_parameters hold these two inside the block that is pasted under `scaling`.
double read_also_inside(ConfigNode& options, ConfigNode& scaling, const char* key, double fallback, Range<double> range,
                        const std::string& doc) {
  const auto inside = scaling.optional_number(key, range, doc + "; may stand here or above");
  const double value = options.number(key, inside && !options.is_describing() ? *inside : fallback, range, doc);
  if (inside)
    options.require(
        *inside == value, key,
        "found " + format_number(value) + ", and " + format_number(*inside) + " under scaling; allowed: one value");
  return value;
}

/// The share of the head that turns, rounded to nearest where the product is whole but for rounding (0.29 of
/// 100 is 29), else cut, as peers cut it.
int64_t rotary_width(ConfigNode& options, double factor, int64_t head_width) {
  const double exact = factor * double(head_width), nearest = std::round(exact);
  const auto width = int64_t(std::abs(exact - nearest) < 1e-6 ? nearest : std::trunc(exact));
  options.require(width > 0 && width % 2 == 0, "partial_rotary_factor",
                  "found " + format_number(factor) + ", which rotates " + std::to_string(width) + " of " +
                      std::to_string(head_width) + " channels of a head; allowed: an even number of them, 2 or more");
  return width;
}

std::shared_ptr<PositionEncoding> make_rope(ConfigNode& options, const ModelShape& shape) {
  ConfigNode scaling = options.map("scaling", "how frequencies change to reach past the training length");
  RopeBasis basis;
  basis.rope_theta = read_also_inside(options, scaling, "rope_theta", 10000.0, {.min = 1.0, .above_min = true},
                                      "the base: wavelengths grow up to 2 pi times it");
  const double factor =
      read_also_inside(options, scaling, "partial_rotary_factor", 1.0, {.min = 0.0, .max = 1.0, .above_min = true},
                       "the share of each head that is rotated");
  basis.rotary_dim = rotary_width(options, factor, shape.head_width);
  const std::string layout = options.choice("layout",
                                            {{"half", "pair i is channels i and i + rotary_dim / 2 (NeoX, Llama)"},
                                             {"interleaved", "pair i is channels 2i and 2i + 1 (GPT-J, Meta)"}},
                                            "half", "which channels turn together");
  auto made = make_rope_scaling(scaling, basis, shape.train_length);
  return std::make_shared<Rope>(
      basis, std::move(made), layout == "half" ? RotaryLayout::kHalf : RotaryLayout::kInterleaved, shape.train_length);
}

}  // namespace

extern const EncodingInfo rope_encoding{"rope", "queries and keys rotated by position",
                                        "Su et al. 2021, arXiv:2104.09864", make_rope};

}  // namespace lw
