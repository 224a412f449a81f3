#include "encodings/parts/rope_rotation.h"

#include <algorithm>
#include <cmath>

#include "encodings/parts/facts.h"
#include "encodings/parts/precision.h"
#include "harness/base/config.h"
#include "harness/base/numbers.h"

namespace lw {
namespace {

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
int64_t rotary_width(double factor, int64_t head_width) {
  const double exact = factor * double(head_width), nearest = std::round(exact);
  return int64_t(std::abs(exact - nearest) < 1e-6 ? nearest : std::trunc(exact));
}

/// Tokens per turn. A pair that never turns has no such number: "never" as text, infinity (null in JSON) as number.
CardFact wavelengths_fact(const std::vector<double>& inv_freq) {
  const auto text = [](double w) { return w == 0 ? "never" : format_number(2 * M_PI / w); };
  CardFact out{"wavelengths", std::to_string(inv_freq.size()) + (inv_freq.size() == 1 ? " number" : " numbers"), {}};
  for (const double w : inv_freq) out.numbers.push_back(w == 0 ? HUGE_VAL : 2 * M_PI / w);
  if (!inv_freq.empty()) out.value += ": " + text(inv_freq.front());
  if (inv_freq.size() > 1) out.value += " ... " + text(inv_freq.back());
  return out;
}

}  // namespace

RopeRotation RopeRotation::read(ConfigNode& options, const ModelShape& shape, RotaryLayout default_layout) {
  ConfigNode scaling = options.map("scaling", "how frequencies change to reach past the training length");
  RopeBasis basis;
  basis.rope_theta = read_also_inside(options, scaling, "rope_theta", 10000.0, {.min = 1.0, .above_min = true},
                                      "the base: wavelengths grow up to 2 pi times it");
  basis.head_width = shape.head_width;
  basis.partial_rotary_factor =
      read_also_inside(options, scaling, "partial_rotary_factor", 1.0, {.min = 0.0, .max = 1.0, .above_min = true},
                       "the share of each head that is rotated");
  basis.rotary_dim = rotary_width(basis.partial_rotary_factor, shape.head_width);
  const std::string layout =
      options.choice("layout",
                     {{"half", "pair i is channels i and i + rotary_dim / 2 (NeoX, Llama)"},
                      {"interleaved", "pair i is channels 2i and 2i + 1 (GPT-J, Meta)"}},
                     default_layout == RotaryLayout::kHalf ? "half" : "interleaved", "which channels turn together");
  auto made = make_rope_scaling(scaling, basis, shape.train_length);
  if (made->spans_head()) {
    basis.rotary_dim = basis.head_width;
  } else {
    options.require(basis.rotary_dim > 0 && basis.rotary_dim % 2 == 0, "partial_rotary_factor",
                    "found " + format_number(basis.partial_rotary_factor) + ", which rotates " +
                        std::to_string(basis.rotary_dim) + " of " + std::to_string(basis.head_width) +
                        " channels of a head; allowed: an even number of them, 2 or more");
  }
  return {basis, std::move(made), layout == "half" ? RotaryLayout::kHalf : RotaryLayout::kInterleaved};
}

at::Tensor RopeRotation::turn_query(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const {
  auto turned = rotate(x_BHTE, rotation(at, pos_BT, wide_type(x_BHTE)), layout_);
  if (depends_on_length()) {
    const auto tables = tables_by_row(at.key_pos_BK);
    std::vector<double> factors;
    for (const auto& table : tables) factors.push_back(table.query_factor);
    if (std::all_of(factors.begin(), factors.end(), [](double f) { return f == 1.0; })) return turned;
    const auto factor_B111 = at::tensor(factors, at::kDouble).to(turned.device(), turned.scalar_type());
    return turned * factor_B111.view({-1, 1, 1, 1});
  }
  const double factor = scaling_->table(basis_, 0).query_factor;
  return factor == 1.0 ? turned : turned * factor;
}

at::Tensor RopeRotation::turn_key(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const {
  return rotate(x_BHTE, rotation(at, pos_BT, wide_type(x_BHTE)), layout_);
}

/// Shared over layers. Nothing of it is a buffer of the module, which a cast of the model would round.
at::Tensor RopeRotation::rotation(const Site& at, const at::Tensor& pos_BT, at::ScalarType type) const {
  const bool by_length = scaling_->depends_on_length();
  const int tag = type == at::kDouble ? 1 : 0;
  return at.once(this, tag, pos_BT, by_length ? at.key_pos_BK : pos_BT, [&] {
    return rotation_table(pos_BT, by_length ? tables_by_row(at.key_pos_BK) : std::vector{scaling_->table(basis_, 0)},
                          type);
  });
}

/// Each row has its own length, its last key's position + 1: a long row must not change its neighbours.
std::vector<RopeTable> RopeRotation::tables_by_row(const at::Tensor& key_pos_BK) const {
  const auto last_B = key_pos_BK.amax(-1).to(at::kCPU);
  std::vector<RopeTable> tables;
  for (int64_t row = 0; row < last_B.size(0); ++row)
    tables.push_back(scaling_->table(basis_, last_B[row].item<int64_t>() + 1));
  return tables;
}

std::vector<CardFact> RopeRotation::facts(int64_t length) const {
  const RopeTable now = scaling_->table(basis_, length);
  std::vector<CardFact> out = {number_fact("rotary_dim", 2 * double(now.inv_freq.size())),
                               text_fact("layout", layout_ == RotaryLayout::kHalf ? "half" : "interleaved"),
                               number_fact("rope_theta", basis_.rope_theta),
                               text_fact("scaling", std::string(scaling_->name()))};
  for (const auto& number : scaling_->derived(basis_, length)) out.push_back(number_fact(number.name, number.value));
  out.push_back(number_fact("attention_factor", now.attention_factor));
  if (now.query_factor != 1.0) out.push_back(number_fact("query_factor", now.query_factor));
  out.push_back(list_fact("inv_freq", now.inv_freq));
  out.push_back(wavelengths_fact(now.inv_freq));
  return out;
}

}  // namespace lw
