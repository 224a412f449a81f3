#include "encodings/parts/rope_rotation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "encodings/parts/facts.h"
#include "encodings/parts/precision.h"
#include "encodings/parts/row_lengths.h"
#include "encodings/parts/wavelengths.h"
#include "harness/base/config.h"
#include "harness/base/error.h"
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

std::string six_digits(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return digits;
}

/// "pair 1 of 4 has the frequency -6"; "" where all are finite, and above 0 but for pairs that stand still on purpose.
std::string fault_of(const RopeTable& table) {
  const size_t pairs = table.inv_freq.size();
  for (size_t i = 0; i < pairs; ++i) {
    const double w = table.inv_freq[i];
    const bool still = i + table.still_pairs >= pairs;
    if (!(std::isfinite(w) && (still ? w == 0 : w > 0)))
      return text("pair ", i, " of ", pairs, " has the frequency ", six_digits(w));
  }
  return std::isfinite(table.attention_factor) && table.attention_factor > 0
             ? ""
             : "the attention factor is " + format_number(table.attention_factor);
}

constexpr auto kAllowedFrequencies = "finite numbers above 0";
constexpr int64_t kLongest = int64_t{1} << 40;  // tokens; no sequence is longer

/// The longest sequence without a fault, given that one of `good` tokens has none and longer ones are no better.
std::optional<int64_t> last_good(const RopeScaling& scaling, const RopeBasis& basis, int64_t good) {
  const auto is_good = [&](int64_t length) { return fault_of(scaling.table(basis, length)).empty(); };
  int64_t bad = std::max(kLongest, good);
  if (is_good(bad)) return std::nullopt;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    (is_good(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

std::string RopeRotation::settle() {
  const auto after = scaling_->changes_after();
  const RopeTable shortest = scaling_->table(basis_, 1);
  std::string fault = fault_of(shortest);
  if (!fault.empty() || !after) return fault;
  fault = fault_of(scaling_->table(basis_, std::min(*after, kLongest) + 1));
  if (!fault.empty()) return fault + text(" beyond ", *after, " tokens");
  if (shortest != scaling_->table(basis_, 2 * std::min(*after, kLongest))) changes_after_ = after;
  max_length_ = last_good(*scaling_, basis_, std::min(*after, kLongest) + 1);
  return "";
}

RopeTable RopeRotation::table(int64_t length) const {
  RopeTable out = scaling_->table(basis_, length);
  const std::string fault = fault_of(out);
  if (!fault.empty()) throw Error(ErrorKind::kUnsupported, undefined_position(length - 1));
  return out;
}

std::string RopeRotation::undefined_position(int64_t position) const {
  const std::string fault = fault_of(scaling_->table(basis_, position + 1));
  if (!max_length_ || fault.empty()) return text("position ", position, " is not defined; allowed: 0 or more");
  return text("position.scaling: ", scaling_->name(), " at ", position + 1, " tokens: found that ", fault,
              "; allowed: ", kAllowedFrequencies, ", which it gives up to ", *max_length_, " tokens");
}

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
  RopeRotation out(basis, std::move(made), layout);
  options.verify([&] {
    const std::string fault = out.settle();
    const bool scaled = scaling.has("rope_type") || scaling.has("type");
    const ConfigNode& section = scaled ? scaling : options;
    section.require(fault.empty(),
                    !scaled                    ? "rope_theta"
                    : scaling.has("rope_type") ? "rope_type"
                                               : "type",
                    found_what(out.scaling_->name(), ", under which ", fault).allowed(kAllowedFrequencies));
  });
  return out;
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
