#include "harness/eval/equivariance.h"

#include <numeric>
#include <vector>

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/model/transformer.h"

namespace lw {

double permutation_residual(Transformer& model, int64_t length, Rng rng) {
  LW_CHECK(!model.config().causal(), "a causal mask gives order away");
  at::NoGradGuard no_grad;
  constexpr int64_t kRows = 8;
  std::vector<int64_t> tokens, order;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t t = 0; t < length; ++t) tokens.push_back(rng.below(model.config().vocabulary));
    auto permutation = std::vector<int64_t>(size_t(length));
    std::iota(permutation.begin(), permutation.end(), int64_t{0});
    rng.shuffle(permutation);
    order.insert(order.end(), permutation.begin(), permutation.end());
  }
  const auto device = model.parameters().front().device();
  const auto table = [&](const std::vector<int64_t>& v) {
    return at::tensor(v, at::kLong).view({kRows, length}).to(device);
  };
  const auto tokens_BT = table(tokens), order_BT = table(order);
  const auto pos_1T = at::arange(length, tokens_BT.options()).unsqueeze(0);
  const auto plain_BTD = model.hidden(tokens_BT, pos_1T);
  const auto permuted_BTD = model.hidden(tokens_BT.gather(1, order_BT), pos_1T);
  const auto expected_BTD = plain_BTD.gather(1, order_BT.unsqueeze(-1).expand({-1, -1, plain_BTD.size(-1)}));
  return (permuted_BTD - expected_BTD).abs().max().item<double>();
}

}  // namespace lw
