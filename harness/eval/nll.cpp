#include "harness/eval/nll.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/base/error.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

/// Elements of logits held at once: 128 MB of float32, by attention and by the output weights alike.
constexpr int64_t kBudget = 32LL << 20;

/// NLL of tokens 1 .. T-1 of one window, float64.
torch::Tensor window_nll(Transformer& model, const torch::Tensor& tokens_1T) {
  const int64_t length = tokens_1T.size(1);
  const auto pos_1T = torch::arange(length, tokens_1T.options()).unsqueeze(0);
  const int64_t tile = std::max<int64_t>(1, kBudget / (model.config().heads * length));
  const auto hidden_1TD = model.hidden(tokens_1T, pos_1T, nullptr, tile);
  const int64_t step = std::max<int64_t>(1, kBudget / model.config().vocabulary);
  std::vector<torch::Tensor> parts;
  for (int64_t begin = 0; begin + 1 < length; begin += step) {
    const int64_t count = std::min(step, length - 1 - begin);
    const auto wide = hidden_1TD.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
    const auto log_p_1TV = model.logits(hidden_1TD.narrow(1, begin, count)).to(wide).log_softmax(-1);
    const auto target_1T1 = tokens_1T.narrow(1, begin + 1, count).unsqueeze(-1);
    parts.push_back(-log_p_1TV.gather(-1, target_1T1).flatten().to(torch::kFloat64));
  }
  return torch::cat(parts).to(torch::kCPU).contiguous();
}

void check(const Transformer& model, const std::vector<int64_t>& ids, const NllOptions& options) {
  LW_CHECK(options.context > 1, "a window needs two tokens");
  const auto tokens = static_cast<int64_t>(ids.size());
  if (tokens < options.context)
    throw Error(ErrorKind::kInput, "text: found " + std::to_string(tokens) +
                                       " tokens; allowed: at least one window of " + std::to_string(options.context));
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= model.config().vocabulary)
      throw Error(ErrorKind::kInput, "text: token " + std::to_string(i) + ": found id " + std::to_string(ids[i]) +
                                         "; allowed: 0 to " + std::to_string(model.config().vocabulary - 1) +
                                         ", the rows of the model's embedding");
}

}  // namespace

PositionNll pooled(const NllResult& result, size_t begin, size_t end) {
  PositionNll all;
  for (size_t p = begin; p < std::min(end, result.positions.size()); ++p) {
    all.sum += result.positions[p].sum;
    all.n += result.positions[p].n;
  }
  LW_CHECK(all.n > 0, "no token was judged at these positions");
  return all;
}

NllResult nll_by_position(Transformer& model, const std::vector<int64_t>& ids, const NllOptions& options,
                          const std::function<void()>& window_done) {
  check(model, ids, options);
  torch::NoGradGuard no_grad;
  const auto tokens = static_cast<int64_t>(ids.size());
  const int64_t stride = options.stride > 0 ? options.stride : options.context;
  NllResult out;
  out.positions.resize(static_cast<size_t>(options.context - 1));
  const auto device = model.parameters().front().device();
  int64_t judged_to = 0;  // tokens before it were judged, or begin the text
  int64_t begin = 0;
  for (; begin + options.context <= tokens && (options.chunks == 0 || out.windows < options.chunks); begin += stride) {
    std::vector<int64_t> window(ids.begin() + begin, ids.begin() + begin + options.context);
    if (options.bos) window[0] = *options.bos;
    const auto nll = window_nll(model, torch::tensor(window, torch::kInt64).unsqueeze(0).to(device));
    for (int64_t p = 0; p + 1 < options.context; ++p) {
      if (begin + p + 1 < judged_to) continue;
      const double value = nll.data_ptr<double>()[p];
      if (!std::isfinite(value))
        throw Error(ErrorKind::kRuntime, "window " + std::to_string(out.windows) + ": the loss of token " +
                                             std::to_string(begin + p + 1) + " is not finite");
      out.positions[static_cast<size_t>(p)].sum += value;
      ++out.positions[static_cast<size_t>(p)].n;
    }
    judged_to = begin + options.context;
    ++out.windows;
    window_done();
  }
  out.unused = tokens - judged_to;
  return out;
}

}  // namespace lw
