// Options and steps that several RoPE scalings share. Keys are Hugging Face's.
#pragma once
#include <cstdint>
#include <string>

#include "encodings/rope_scaling.h"

namespace lw {

/// `factor`: 1 or more. Whole numbers mean the same as fractions.
double read_factor(ConfigNode& options, const std::string& doc);

/// `original_max_position_embeddings`: required when the training length is not known (0).
int64_t read_original_length(ConfigNode& options, int64_t train_length);

/// Refuses a rotary width of 2, for methods whose exponent d / (d - 2) would divide by zero.
void require_two_pairs(const ConfigNode& options, const RopeBasis& basis);

/// The same basis with its base times stretch^(d / (d - 2)): the last pair slows by exactly `stretch`, the
/// first not at all (NTK-aware scaling; Peng et al. 2023, arXiv:2309.00071, section 3.1).
RopeBasis with_stretched_base(const RopeBasis& basis, double stretch);

}  // namespace lw
