#include "encodings/parts/distance_bias.h"

#include <torch/csrc/autograd/custom_function.h>

#include "encodings/parts/distance_bias_cpu.h"
#include "encodings/parts/distances.h"
#include "encodings/parts/precision.h"
#include "harness/base/error.h"

namespace lw {
namespace {

/// The biases with tensor operations, on any device: each pair looks up its own.
at::Tensor look_up(const at::Tensor& table_HN, const at::Tensor& ahead_BQK, int64_t least) {
  const auto bias_HP = table_HN.index_select(1, (ahead_BQK - least).flatten());
  return bias_HP.view({table_HN.size(0), ahead_BQK.size(0), ahead_BQK.size(1), ahead_BQK.size(2)}).transpose(0, 1);
}

/// add_bias_on_cpu() with gradients for the logits and the table.
class AddOnCpu final : public torch::autograd::Function<AddOnCpu> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& logits_BHQK,
                            const at::Tensor& table_HN, const at::Tensor& query_pos_BQ, const at::Tensor& key_pos_BK,
                            int64_t least) {
    context->save_for_backward({query_pos_BQ, key_pos_BK});
    context->saved_data["least"] = least;
    context->saved_data["distances"] = table_HN.size(1);
    context->saved_data["learned"] = table_HN.requires_grad();
    return add_bias_on_cpu(logits_BHQK, table_HN, {query_pos_BQ, key_pos_BK, least});
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const auto& grad_BHQK = grads[0];
    at::Tensor grad_table_HN;
    if (context->saved_data["learned"].toBool()) {
      LW_CHECK(!(at::GradMode::is_enabled() && grad_BHQK.requires_grad()), "no second derivative of a distance bias");
      const auto positions = context->get_saved_variables();
      grad_table_HN = sum_by_distance_on_cpu(grad_BHQK, context->saved_data["distances"].toInt(),
                                             {positions[0], positions[1], context->saved_data["least"].toInt()});
    }
    return {grad_BHQK, grad_table_HN, {}, {}, {}};
  }
};

}  // namespace

at::Tensor add_distance_bias(const PositionEncoding& encoding, const at::Tensor& logits_BHQK, const Site& at) {
  const auto wide = wide_type(logits_BHQK);
  const auto logits = logits_BHQK.to(wide);
  if (logits.numel() == 0) return logits;
  const auto device = logits.device();
  const AheadRange range = ahead_range(at);
  if (range.count() > at.query_pos_BQ.numel() * at.key_pos_BK.size(1)) {
    const auto ahead_BQK = ahead_of_pairs(at);
    const auto bias_HP = encoding.bias_by_distance(ahead_BQK.flatten()).to(device, wide);
    return logits + bias_HP.view({bias_HP.size(0), -1, logits.size(2), logits.size(3)}).transpose(0, 1);
  }
  const auto table_HN = at.once({&encoding, 0, wide}, at.query_pos_BQ, at.key_pos_BK, [&] {
    return encoding.bias_by_distance(range.values().to(device)).to(device, wide).contiguous();
  });
  if (!device.is_cpu()) return logits + look_up(table_HN, ahead_of_pairs(at), range.least);
  if (!(at::GradMode::is_enabled() && (logits.requires_grad() || table_HN.requires_grad())))
    return add_bias_on_cpu(logits, table_HN, {at.query_pos_BQ, at.key_pos_BK, range.least});
  return AddOnCpu::apply(logits, table_HN, at.query_pos_BQ, at.key_pos_BK, range.least);
}

}  // namespace lw
