#include "harness/eval/nll.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/eval/slot_scores.h"
#include "harness/model/attention.h"
#include "harness/model/model.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

/// NLL of tokens 1 .. T-1 of one window, float64.
at::Tensor window_nll(Model& model, const at::Tensor& tokens_1T) {
  const int64_t length = tokens_1T.size(1);
  const auto slots_1K = at::arange(1, length, tokens_1T.options()).unsqueeze(0);
  const auto labels_1K1 = tokens_1T.narrow(1, 1, length - 1).unsqueeze(-1);
  return -score_slots(model, tokens_1T, slots_1K, labels_1K1).logp_BKN.flatten();
}

void check(const Transformer& model, const std::vector<int64_t>& ids, const NllOptions& options) {
  LW_CHECK(options.context > 1, "a window needs two tokens");
  if (!model.config().causal())
    throw Error(ErrorKind::kUnsupported,
                "the loss of a text: found an encoder, which sees the token that it is to "
                "predict; allowed: causal models");
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

/// Where numbers stop being finite, from the keys and values of every layer; "" where no keys may be kept to look at.
std::string first_bad_layer(Transformer& model, const at::Tensor& tokens_1T) {
  if (model.encoding().key_cache() == KeyCache::kNone) return "";
  Cache cache;
  const int64_t length = tokens_1T.size(1);
  model.hidden(tokens_1T, at::arange(length, tokens_1T.options()).unsqueeze(0), &cache,
               judging_tile(1, model.config().heads, length));
  for (size_t i = 0; i < cache.layers.size(); ++i)
    if (!cache.layers[i].k_BHKE.isfinite().all().item<bool>() || !cache.layers[i].v_BHKE.isfinite().all().item<bool>())
      return "; the first numbers that are not: keys and values of layer " + std::to_string(i) + " (of " +
             std::to_string(cache.layers.size()) + ", counted from 0)";
  return "; the keys and values of every layer are, so the last layer or the output weights are to blame";
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
  at::NoGradGuard no_grad;
  const auto tokens = static_cast<int64_t>(ids.size());
  const int64_t stride = options.stride > 0 ? options.stride : options.context;
  NllResult out;
  out.positions.resize(static_cast<size_t>(options.context - 1));
  const auto device = model.parameters().front().device();
  const auto judge = make_model(std::shared_ptr<Transformer>(std::shared_ptr<void>(), &model), /*mask_token=*/0);
  int64_t judged_to = 0;  // tokens before it were judged, or begin the text
  int64_t begin = 0;
  for (; begin + options.context <= tokens && (options.chunks == 0 || out.windows < options.chunks); begin += stride) {
    std::vector<int64_t> window(ids.begin() + begin, ids.begin() + begin + options.context);
    if (options.bos) window[0] = *options.bos;
    const auto tokens_1T = at::tensor(window, at::kLong).unsqueeze(0).to(device);
    const auto nll = window_nll(*judge, tokens_1T);
    for (int64_t p = 0; p + 1 < options.context; ++p) {
      if (begin + p + 1 < judged_to) continue;
      const double value = nll.data_ptr<double>()[p];
      if (!std::isfinite(value))
        throw Error(ErrorKind::kRuntime, "window " + std::to_string(out.windows) + ": the loss of token " +
                                             std::to_string(begin + p + 1) + " is not finite" +
                                             first_bad_layer(model, tokens_1T) +
                                             "; allowed: finite losses (a wider --dtype?)");
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
