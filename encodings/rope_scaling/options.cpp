#include "encodings/rope_scaling/options.h"

#include <algorithm>
#include <cmath>

#include "harness/base/config.h"
#include "harness/base/numbers.h"

namespace lw {
namespace {

constexpr auto kMaxLength = "max_position_embeddings";

bool disagree(double factor, double ratio) { return std::abs(factor - ratio) > 1e-9 * ratio; }

/// Zero stands for the default, as in Hugging Face.
double read_beta(ConfigNode& options, const char* key, double fallback, const std::string& doc) {
  const double value = options.number(key, fallback, {.min = 0.0}, doc + "; 0 means " + format_number(fallback));
  return value == 0 ? fallback : value;
}

}  // namespace

double read_factor(ConfigNode& options, const std::string& doc) { return options.number("factor", {.min = 1.0}, doc); }

int64_t read_original_length(ConfigNode& options, int64_t train_length) {
  constexpr auto kKey = "original_max_position_embeddings";
  const std::string doc = "tokens the model was trained on before any scaling";
  const Range<int64_t> allowed{.min = 1};
  return train_length > 0 ? options.integer(kKey, train_length, allowed, doc) : options.integer(kKey, allowed, doc);
}

std::vector<DerivedNumber> Extension::numbers() const {
  std::vector<DerivedNumber> out = {{"factor", factor}, {"original_max_position_embeddings", double(original_length)}};
  if (!max_length) return out;
  out.push_back({kMaxLength, double(*max_length)});
  const double ratio = double(*max_length) / double(original_length);
  if (disagree(factor, ratio)) out.push_back({"length_ratio_without_effect", ratio});
  return out;
}

Extension read_extension(ConfigNode& options, int64_t train_length, const std::string& doc) {
  Extension out;
  const auto factor = options.optional_number(
      "factor", {.min = 1.0}, doc + "; max_position_embeddings / original_max_position_embeddings when absent");
  out.original_length = read_original_length(options, train_length);
  out.max_length =
      options.optional_integer(kMaxLength, {.min = 1}, "the longest sequence after scaling; gives an absent factor");
  options.require(factor || out.max_length, "factor",
                  "found nothing; allowed: a number, 1 or more, or max_position_embeddings to derive it from");
  if (!out.max_length) {
    out.factor = factor.value_or(1);
    return out;
  }
  const std::string lengths =
      std::to_string(*out.max_length) + " with original_max_position_embeddings " + std::to_string(out.original_length);
  options.require(*out.max_length >= out.original_length, kMaxLength,
                  "found " + lengths + "; allowed: the original length or more");
  const double ratio = double(*out.max_length) / double(out.original_length);
  out.factor = factor.value_or(ratio);
  if (disagree(out.factor, ratio))
    options.warn("factor", format_number(out.factor) + " is what counts, although " + kMaxLength + " is " + lengths +
                               ", a ratio of " + format_number(ratio));
  return out;
}

RotationRange read_rotation_range(ConfigNode& options) {
  RotationRange out;
  out.beta_fast = read_beta(options, "beta_fast", 32, "pairs that make more rotations than this are kept");
  out.beta_slow = read_beta(options, "beta_slow", 1, "pairs that make fewer rotations than this are interpolated");
  require_above(options, "beta_fast", out.beta_fast, "beta_slow", out.beta_slow);
  out.truncate = options.flag("truncate", true, "round the ends of the ramp to whole pairs");
  return out;
}

std::vector<DerivedNumber> rotation_range_numbers(const RopeBasis& basis, int64_t original_length,
                                                  const RotationRange& range) {
  const PairRamp ramp = ramp_over_pairs(basis, original_length, range);
  return {{"beta_fast", range.beta_fast},
          {"beta_slow", range.beta_slow},
          {"pair_of_beta_fast", pair_of_rotations(basis, original_length, range.beta_fast)},
          {"pair_of_beta_slow", pair_of_rotations(basis, original_length, range.beta_slow)},
          {"correction_low", ramp.low},
          {"correction_high", ramp.high}};
}

std::optional<double> read_attention_factor(ConfigNode& options, const std::string& when_absent) {
  options.refuse("attn_factor",
                 "found vLLM's key, which multiplies the factor that YaRN derives; allowed: "
                 "attention_factor, which replaces it; did you mean 'attention_factor'?");
  return options.optional_number("attention_factor", {.min = 0.0, .above_min = true},
                                 "multiplies cos and sin; " + when_absent + " when absent");
}

std::vector<double> read_pair_factors(ConfigNode& options, const char* key, const RopeBasis& basis,
                                      const std::string& doc) {
  const auto pairs = basis.rotary_dim / 2;
  auto out = options.numbers(key, {}, {.min = 0.0, .above_min = true}, doc);
  const std::string allowed = "; allowed: " + std::to_string(pairs) + " numbers above 0, one for each pair of a " +
                              "rotary width of " + std::to_string(basis.rotary_dim);
  options.require(options.has(key), key, "found nothing" + allowed);
  options.require(int64_t(out.size()) == pairs, key, "found " + std::to_string(out.size()) + " numbers" + allowed);
  return out;
}

void require_two_pairs(const ConfigNode& options, const RopeBasis& basis) {
  options.require(basis.rotary_dim >= 4, "rope_type",
                  "found a method that changes the base with a rotary width of " + std::to_string(basis.rotary_dim) +
                      "; allowed: it needs a width of 4 or more");
}

void require_above(const ConfigNode& options, const char* high_key, double high, const char* low_key, double low) {
  options.require(high > low, high_key,
                  "found " + format_number(high) + " with " + low_key + " " + format_number(low) +
                      "; allowed: " + high_key + " above " + low_key);
}

double length_ratio(int64_t length, int64_t original_length) {
  return double(std::max(length, original_length)) / double(original_length);
}

}  // namespace lw
