// Adds a bias that depends only on key position - query position, and evaluates it once per distance.
#pragma once
#include "encodings/position_encoding.h"
#include "encodings/tensor.h"

namespace lw {

/// logits + encoding.bias_by_distance(key position - query position), in wide_type(logits): the adjust_logits of such
/// an encoding. The bias is evaluated once per whole number between the smallest and the largest distance of the call,
/// or once per pair where there are fewer pairs (positions far apart), and kept for all layers of a pass. Gradients
/// reach logits and parameters. On the CPU no table of size Q x K is made.
at::Tensor add_distance_bias(const PositionEncoding& encoding, const at::Tensor& logits_BHQK, const Site& at);

}  // namespace lw
