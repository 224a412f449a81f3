// What the tests of biases and in-attention schemes share.
#pragma once
#include <vector>

#include "tests/encodings/support.h"

namespace lw::encoding_test {

/// What rounding to 12 significant digits can add, and no more.
constexpr double kTwelveDigits = 5.01e-12;

inline ModelShape shape_with(int64_t heads, bool causal = true, int64_t head_width = 8) {
  ModelShape shape = small_shape(causal);
  shape.heads = heads;
  shape.head_width = head_width;
  shape.width = heads * head_width;
  return shape;
}

/// Largest |got - want| / |want|; |got - want| where a 0 is wanted. NaN is reported as infinity.
inline double golden_gap(const at::Tensor& got, const std::vector<double>& want) {
  const auto flat = got.detach().to(at::kDouble).flatten().contiguous();
  if (size_t(flat.numel()) != want.size() || !flat.isfinite().all().item<bool>())
    return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < want.size(); ++i)
    worst = std::max(worst, std::abs(flat.data_ptr<double>()[i] - want[i]) / (want[i] == 0 ? 1.0 : std::abs(want[i])));
  return worst;
}

/// Copies numbers, row by row, into a parameter.
inline void set_parameter(PositionEncoding& encoding, const std::string& name, const std::vector<double>& values) {
  const at::NoGradGuard no_grad;
  auto parameter = encoding.named_parameters()[name];
  parameter.copy_(at::tensor(values, at::kDouble).view(parameter.sizes()));
}

/// What is added to logits of 0: [B, H, Q, K] in float64.
inline at::Tensor bias_of(PositionEncoding& encoding, int64_t heads, const at::Tensor& query_pos,
                          const at::Tensor& key_pos) {
  const auto zeros = at::zeros({query_pos.size(0), heads, query_pos.size(1), key_pos.size(1)}, at::kDouble);
  return encoding.adjust_logits(zeros, {}, {}, {query_pos, key_pos, 0, nullptr});
}

/// q . k / sqrt(E).
inline at::Tensor scaled_logits(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE) {
  return at::matmul(q_BHQE, k_BHKE.transpose(-1, -2)) / std::sqrt(double(q_BHQE.size(-1)));
}

}  // namespace lw::encoding_test
