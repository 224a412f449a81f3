#include "encodings/parts/rope_rotation.h"

#include <cmath>

#include "encodings/parts/facts.h"
#include "encodings/parts/precision.h"
#include "encodings/parts/row_lengths.h"
#include "encodings/parts/wavelengths.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

const NamedValues<RotaryLayout> kLayouts = {
    {RotaryLayout::kHalf, "half", "pair i is channels i and i + rotary_dim / 2 (NeoX, Llama)"},
    {RotaryLayout::kInterleaved, "interleaved", "pair i is channels 2i and 2i + 1 (GPT-J, Meta)"}};

/// Hugging Face's rope_parameters hold these two inside the block that is pasted under `scaling`.
double read_also_inside(ConfigNode& options, ConfigNode& scaling, const char* key, double fallback, Range<double> range,
                        const std::string& doc) {
  const auto inside = scaling.optional_number(key, range, doc + "; may stand here or above");
  const double value = options.number(key, inside.value_or(fallback), range, doc);
  if (inside)
    options.require(*inside == value, key, found(value, ", and ", *inside, " under scaling").allowed("one value"));
  return value;
}

/// The number of rotated channels: truncated, as peers do, except where only floating-point rounding keeps the product
/// from being whole (0.29 of 100 is 29).
int64_t rotary_width(double factor, int64_t head_width) {
  const double exact = factor * double(head_width), nearest = std::round(exact);
  return int64_t(std::abs(exact - nearest) < 1e-6 ? nearest : std::trunc(exact));
}

}  // namespace

RopeRotation RopeRotation::read(ConfigNode& options, const ModelShape& shape, RotaryLayout default_layout,
                                const std::string& layer_type) {
  ConfigNode scaling = options.map("scaling", "how frequencies change to reach past the training length");
  RopeBasis basis;
  basis.rope_theta = read_also_inside(options, scaling, "rope_theta", 10000.0, {.min = 1.0, .above_min = true},
                                      "the base: wavelengths grow up to 2 pi times it");
  basis.head_width = shape.head_width;
  basis.partial_rotary_factor =
      read_also_inside(options, scaling, "partial_rotary_factor", 1.0, {.min = 0.0, .max = 1.0, .above_min = true},
                       "the share of each head that is rotated");
  basis.rotary_dim = rotary_width(basis.partial_rotary_factor, shape.head_width);
  const auto layout = options.choice("layout", kLayouts, default_layout, "which channels rotate together");
  auto made = read_rope_scaling(scaling, basis, shape.train_length, layer_type);
  if (layer_type.empty() && !made->in_training())  // one block for all layers only repeats keys from above
    for (const char* key : {"rope_theta", "partial_rotary_factor"}) scaling.in_training(key, {}, "");
  if (made->spans_head()) {
    basis.rotary_dim = basis.head_width;
  } else {
    options.require(basis.rotary_dim > 0 && basis.rotary_dim % 2 == 0, "partial_rotary_factor",
                    found(basis.partial_rotary_factor, ", which rotates ", basis.rotary_dim, " of ", basis.head_width,
                          " channels of a head")
                        .allowed("an even number of them, 2 or more"));
  }
  return {basis, std::move(made), layout};
}

at::Tensor RopeRotation::rotate_query(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const {
  const auto rotated = rotate(x_BHTE, rotation(at, pos_BT, wide_type(x_BHTE)), layout_);
  if (depends_on_length()) {
    const auto factor_B111 =
        row_factors(at.key_pos_BK, rotated.scalar_type(), [&](int64_t length) { return table(length).query_factor; });
    return factor_B111.defined() ? rotated * factor_B111 : rotated;
  }
  const double factor = table(0).query_factor;
  return factor == 1.0 ? rotated : rotated * factor;
}

at::Tensor RopeRotation::rotate_key(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const {
  return rotate(x_BHTE, rotation(at, pos_BT, wide_type(x_BHTE)), layout_);
}

/// Shared by all layers. None of it is a buffer of the module, since a cast of the model would round it.
at::Tensor RopeRotation::rotation(const Site& at, const at::Tensor& pos_BT, at::ScalarType type) const {
  if (!depends_on_length())
    return at.once({this, 0, type}, pos_BT, pos_BT,
                   [&] { return rotation_table(pos_BT, std::vector{table(0)}, type); });
  return at.once({this, 0, type}, pos_BT, at.key_pos_BK, [&] {
    std::vector<RopeTable> tables;
    for (const int64_t length : row_lengths(at.key_pos_BK)) tables.push_back(table(length));
    return rotation_table(pos_BT, tables, type);
  });
}

std::vector<CardFact> RopeRotation::facts(int64_t length) const {
  const RopeTable now = table(length);
  std::vector<CardFact> out = {
      number_fact("rotary_dim", 2 * double(now.inv_freq.size())), text_fact("layout", name_of(kLayouts, layout_)),
      number_fact("rope_theta", basis_.rope_theta), text_fact("scaling", std::string(scaling_->name()))};
  for (const auto& number : scaling_->derived(basis_, length)) out.push_back(number_fact(number.name, number.value));
  out.push_back(number_fact("attention_factor", now.attention_factor));
  if (now.query_factor != 1.0) out.push_back(number_fact("query_factor", now.query_factor));
  out.push_back(list_fact("inv_freq", now.inv_freq));
  out.push_back(wavelengths_fact(now.inv_freq));
  return out;
}

}  // namespace lw
