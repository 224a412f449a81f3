#include "encodings/parts/rotation.h"

#include "harness/base/error.h"

namespace lw {

at::Tensor rotation_table(const at::Tensor& pos_BT, std::span<const RopeTable> tables, at::ScalarType type) {
  LW_CHECK(!tables.empty(), "a rotation needs frequencies");
  const auto rows = int64_t(tables.size()), pairs = int64_t(tables.front().inv_freq.size());
  std::vector<double> frequencies, factors;
  for (const auto& table : tables) {
    frequencies.insert(frequencies.end(), table.inv_freq.begin(), table.inv_freq.end());
    factors.push_back(table.attention_factor);
  }
  const auto device = pos_BT.device();
  const auto frequency_B1F = at::tensor(frequencies, at::kDouble).to(device).view({rows, 1, pairs});
  const auto factor_B11 = at::tensor(factors, at::kDouble).to(device).view({rows, 1, 1});
  const auto angle_BTF = pos_BT.to(at::kDouble).unsqueeze(-1) * frequency_B1F;
  return at::stack({(angle_BTF.cos() * factor_B11).to(type), (angle_BTF.sin() * factor_B11).to(type)});
}

at::Tensor rotate(const at::Tensor& x_BHTE, const at::Tensor& table_2BTF, RotaryLayout layout) {
  const int64_t pairs = table_2BTF.size(-1), rotary = 2 * pairs, width = x_BHTE.size(-1);
  LW_CHECK(rotary <= width, "more channels to rotate than a head has");
  const auto cos_B1TF = table_2BTF.select(0, 0).unsqueeze(1), sin_B1TF = table_2BTF.select(0, 1).unsqueeze(1);
  const auto part = x_BHTE.narrow(-1, 0, rotary).to(table_2BTF.scalar_type());
  const bool half = layout == RotaryLayout::kHalf;
  const auto x = half ? part.narrow(-1, 0, pairs) : part.slice(-1, 0, rotary, 2);
  const auto y = half ? part.narrow(-1, pairs, pairs) : part.slice(-1, 1, rotary, 2);
  const auto new_x = x * cos_B1TF - y * sin_B1TF, new_y = x * sin_B1TF + y * cos_B1TF;
  auto rotated = half ? at::cat({new_x, new_y}, -1) : at::stack({new_x, new_y}, -1).flatten(-2);
  rotated = rotated.to(x_BHTE.scalar_type());
  return rotary == width ? rotated : at::cat({rotated, x_BHTE.narrow(-1, rotary, width - rotary)}, -1);
}

}  // namespace lw
