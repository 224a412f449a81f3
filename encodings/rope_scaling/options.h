// Options that several RoPE scalings share. Keys are Hugging Face's.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "encodings/rope_scaling/frequencies.h"
#include "encodings/rope_scaling/rope_scaling.h"

namespace lw {

/// `factor`: 1 or more. Whole numbers mean the same as fractions.
double read_factor(ConfigNode& options, const std::string& doc);

/// `original_max_position_embeddings`: required when the training length is not known (0).
int64_t read_original_length(ConfigNode& options, int64_t train_length);

/// How far a method reaches: `factor` times the original length.
struct Extension {
  double factor = 1;
  int64_t original_length = 0;
  std::optional<int64_t> max_length;  // max_position_embeddings, where it was given

  /// For the card. A maximum length that disagrees with the factor shows as "length_ratio_without_effect".
  std::vector<DerivedNumber> numbers() const;
};

/// `factor`, `original_max_position_embeddings` and `max_position_embeddings`. Without a factor it is the ratio
/// of the two lengths. Where all three are given and disagree the factor counts, and a warning says so.
Extension read_extension(ConfigNode& options, int64_t train_length, const std::string& doc);

/// `beta_fast`, `beta_slow` and `truncate`.
RotationRange read_rotation_range(ConfigNode& options);
/// The same for the card, with the ramp that follows.
std::vector<DerivedNumber> rotation_range_numbers(const RopeBasis& basis, int64_t original_length,
                                                  const RotationRange& range);

/// `attention_factor`, above 0; absent stays absent.
std::optional<double> read_attention_factor(ConfigNode& options, const std::string& when_absent);

/// A list of numbers above 0, one for each pair of channels.
std::vector<double> read_pair_factors(ConfigNode& options, const char* key, const RopeBasis& basis,
                                      const std::string& doc);

/// Refuses a rotary width of 2, for methods whose exponent d / (d - 2) would divide by zero.
void require_two_pairs(const ConfigNode& options, const RopeBasis& basis);

/// Refuses a `high_key` that is not above `low_key`.
void require_above(const ConfigNode& options, const char* high_key, double high, const char* low_key, double low);

/// current length / `original_length`, not below 1: what dynamic methods take for their factor.
double length_ratio(int64_t length, int64_t original_length);

}  // namespace lw
