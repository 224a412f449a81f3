#include "harness/eval/nll.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/base/text.h"
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
    throw Error(ErrorKind::kInput,
                "the loss of a text: found an encoder, which sees the token that it is to predict; allowed: causal "
                "models");
  const auto tokens = int64_t(ids.size());
  if (tokens < options.context)
    throw Error(ErrorKind::kInput,
                "text: " + found_what(plural(tokens, "token")).allowed("at least one window of ", options.context));
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= model.config().vocabulary)
      throw Error(ErrorKind::kInput,
                  text("text: token ", i, ": ") +
                      found_what("id ", ids[i])
                          .allowed("0 to ", model.config().vocabulary - 1, ", the rows of the model's embedding"));
}

/// The end of a message: the first layer whose keys or values are not finite; "" where keys cannot be cached.
std::string first_bad_layer(Transformer& model, const at::Tensor& tokens_1T) {
  if (model.encoding().key_cache() == KeyCache::kNone) return "";
  Cache cache;
  const int64_t length = tokens_1T.size(1);
  model.hidden(tokens_1T, at::arange(length, tokens_1T.options()).unsqueeze(0), &cache,
               evaluation_tile(1, model.config().heads, length));
  for (size_t i = 0; i < cache.layers.size(); ++i)
    if (!cache.layers[i].k_BHKE.isfinite().all().item<bool>() || !cache.layers[i].v_BHKE.isfinite().all().item<bool>())
      return text("; the first non-finite numbers are in the keys and values of layer ", i, " (of ",
                  cache.layers.size(), ", counted from 0)");
  return "; the keys and values of every layer are finite, so the cause is the last layer or the output weights";
}

}  // namespace

PositionNll pooled(const NllResult& result, size_t begin, size_t end) {
  PositionNll all;
  for (size_t p = begin; p < std::min(end, result.positions.size()); ++p) all.add(result.positions[p]);
  LW_CHECK(all.n > 0, "no token was scored at these positions");
  return all;
}

void NllResult::add(const NllResult& more) {
  positions.resize(std::max(positions.size(), more.positions.size()));
  for (size_t p = 0; p < more.positions.size(); ++p) positions[p].add(more.positions[p]);
  windows += more.windows;
  unused += more.unused;
  unscored += more.unscored;
}

NllResult nll_by_position(const std::shared_ptr<Transformer>& transformer, const std::vector<int64_t>& ids,
                          const NllOptions& options, const std::function<void()>& window_done,
                          std::span<const int64_t> bytes) {
  check(*transformer, ids, options);
  LW_CHECK(bytes.empty() || bytes.size() == ids.size(), "each id has its bytes");
  at::NoGradGuard no_grad;
  const auto tokens = int64_t(ids.size());
  const int64_t stride = options.stride > 0 ? options.stride : options.context;
  NllResult out;
  out.positions.resize(size_t(options.context - 1));
  const auto device = transformer->parameters().front().device();
  const auto model = make_model(transformer, /*mask_token=*/0);
  int64_t scored_to = 0;  // tokens before it were scored, or begin the text
  int64_t begin = 0;
  for (; begin + options.context <= tokens && (options.chunks == 0 || out.windows < options.chunks); begin += stride) {
    std::vector<int64_t> window(ids.begin() + begin, ids.begin() + begin + options.context);
    if (options.bos) window[0] = *options.bos;
    const auto tokens_1T = at::tensor(window, at::kLong).unsqueeze(0).to(device);
    const auto nll = window_nll(*model, tokens_1T);
    for (int64_t p = 0; p + 1 < options.context; ++p) {
      if (begin + p + 1 < scored_to) continue;
      const double value = nll.data_ptr<double>()[p];
      if (!std::isfinite(value))
        throw Error(ErrorKind::kRuntime,
                    text("window ", out.windows, ": the loss of token ", begin + p + 1, " is not finite",
                         first_bad_layer(*transformer, tokens_1T), "; allowed: finite losses (a wider --dtype?)"));
      out.positions[size_t(p)].add({value, 1, bytes.empty() ? 0 : bytes[size_t(begin + p + 1)]});
    }
    scored_to = begin + options.context;
    ++out.windows;
    window_done();
  }
  out.unused = tokens - scored_to;
  out.unscored = scored_to;
  for (const auto& position : out.positions) out.unscored -= position.n;
  return out;
}

}  // namespace lw
