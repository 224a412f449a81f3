#include "harness/selfcheck/model_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "encodings/tensor.h"
#include "harness/base/parallel.h"
#include "harness/base/rng.h"
#include "harness/eval/slot_scores.h"
#include "harness/measure/position_card.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

constexpr int64_t kRows = 6, kTile = 7;
constexpr double kExact = 0;         // the same arithmetic in the same order
constexpr double kFloat32 = 1e-5;    // the same arithmetic in another order, in float32
constexpr double kFloat64 = 1e-9;    // the same in float64
constexpr double kPrecision = 1e-3;  // float32 beside float64

at::Tensor drawn_tokens(const ModelSubject& s) {
  Rng rng = Rng(0).stream("selfcheck");
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < kRows * s.length; ++i) ids.push_back(rng.below(s.vocabulary));
  return at::tensor(ids, at::kLong).view({kRows, s.length});
}

/// [B, T-1], float64.
at::Tensor losses(Model& model, const at::Tensor& tokens_BT) {
  const at::NoGradGuard no_grad;  // each thread has its own
  const int64_t rows = tokens_BT.size(0), length = tokens_BT.size(1);
  const auto slots_BK = at::arange(1, length, at::kLong).unsqueeze(0).expand({rows, length - 1}).contiguous();
  const auto labels_BK1 = tokens_BT.narrow(1, 1, length - 1).unsqueeze(-1).contiguous();
  return -score_slots(model, tokens_BT, slots_BK, labels_BK1).logp_BKN.squeeze(-1);
}

double largest_gap(const at::Tensor& a, const at::Tensor& b) {
  const auto gap = (a - b).abs();
  if (!gap.isfinite().all().item<bool>()) return std::numeric_limits<double>::infinity();
  return gap.max().item<double>();
}

at::Tensor row_by_row(Model& model, const at::Tensor& tokens_BT) {
  std::vector<at::Tensor> rows;
  for (int64_t b = 0; b < tokens_BT.size(0); ++b) rows.push_back(losses(model, tokens_BT.narrow(0, b, 1)));
  return at::cat(rows, 0);
}

at::Tensor numbered(int64_t begin, int64_t count) { return at::arange(begin, begin + count, at::kLong).unsqueeze(0); }

}  // namespace

CheckResult check_batch(const std::string& name, Model& model, const at::Tensor& tokens_BT) {
  return {"batch",
          name,
          "losses of sequences one at a time, and of all in one batch",
          largest_gap(row_by_row(model, tokens_BT), losses(model, tokens_BT)),
          kFloat32,
          "nats"};
}

CheckResult check_order(const std::string& name, Model& model, const at::Tensor& tokens_BT) {
  const auto there = losses(model, tokens_BT), back = losses(model, tokens_BT.flip(0)).flip(0);
  return {"order",  name,  "losses of a batch, and of the same batch in reverse", largest_gap(there, back),
          kFloat32, "nats"};
}

CheckResult check_threads(const std::string& name, Model& model, const at::Tensor& tokens_BT) {
  const auto alone = row_by_row(model, tokens_BT);
  std::vector<at::Tensor> rows(size_t(tokens_BT.size(0)));
  run_jobs(std::ssize(rows), 4, [&](int64_t b) { rows[size_t(b)] = losses(model, tokens_BT.narrow(0, b, 1)); });
  return {"threads",
          name,
          "losses of sequences one after the other, and by four threads at once",
          largest_gap(alone, at::cat(rows, 0)),
          kExact,
          "nats"};
}

CheckResult check_finite(const std::string& name, Model& model, const at::Tensor& tokens_BT) {
  const auto values = losses(model, tokens_BT);
  return {"finite", name, "losses that are no finite number",
          double(values.numel() - values.isfinite().sum().item<int64_t>()), kExact};
}

CheckResult check_repeat(const std::string& name, Model& model, Model& anew, const at::Tensor& tokens_BT) {
  const auto first = losses(model, tokens_BT);
  const double again = largest_gap(first, losses(model, tokens_BT)),
               other = largest_gap(first, losses(anew, tokens_BT));
  return {"repeat", name,  "losses of a batch, the same again, and from a model built anew", std::max(again, other),
          kExact,   "nats"};
}

CheckResult check_cache(const std::string& name, Transformer& model, const at::Tensor& tokens_BT) {
  CheckResult out{"cache", name, "hidden states of whole sequences, and token by token over cached keys (float64)", 0,
                  kFloat64};
  if (!model.config().causal() || model.config().cross_attention)
    out.skipped = "not a decoder";
  else if (model.encoding().key_cache() == KeyCache::kNone)
    out.skipped = "keys of this scheme cannot be kept";
  if (!out.skipped.empty()) return out;
  const int64_t length = tokens_BT.size(1);
  const auto whole = model.hidden(tokens_BT, numbered(0, length));
  Cache cache;
  std::vector<at::Tensor> steps;
  for (int64_t t = 0; t < length; ++t) steps.push_back(model.hidden(tokens_BT.narrow(1, t, 1), numbered(t, 1), &cache));
  out.measured = largest_gap(whole, at::cat(steps, 1));
  return out;
}

CheckResult check_tiles(const std::string& name, Transformer& model, const at::Tensor& tokens_BT) {
  const auto positions = numbered(0, tokens_BT.size(1));
  const auto whole = model.hidden(tokens_BT, positions), tiled = model.hidden(tokens_BT, positions, nullptr, kTile);
  return {"tiles", name, "hidden states with all queries at once, and in tiles of 7 (float64)",
          largest_gap(whole, tiled), kFloat64};
}

std::vector<CheckResult> check_model(const ModelSubject& s) {
  at::NoGradGuard no_grad;
  const auto tokens = drawn_tokens(s);
  const auto transformer = s.make();
  std::vector<CheckResult> out;
  const auto model = make_model(transformer, s.mask_token);
  for (const auto check : {&check_batch, &check_order, &check_threads, &check_finite})
    out.push_back(check(s.name, *model, tokens));
  out.push_back(check_repeat(s.name, *model, *make_model(s.make(), s.mask_token), tokens));
  const auto narrow = losses(*model, tokens);
  transformer->to(at::kDouble);
  out.push_back({"precision", s.name, "losses in float32 and in float64", largest_gap(narrow, losses(*model, tokens)),
                 kPrecision, "nats"});
  out.push_back(check_cache(s.name, *transformer, tokens));
  out.push_back(check_tiles(s.name, *transformer, tokens));
  return out;
}

CheckResult check_card(const ModelSubject& s) {
  const PositionCard card =
      position_card(s.position.scheme(), s.position.shape(), {0, 0, false}, [&] { return s.position.build(); });
  CheckResult out{"card", s.name, "properties of the position scheme that it declares and that are measured otherwise",
                  double(card_disagreements(card).size()), kExact};
  out.concern = Concern::kScheme;
  return out;
}

}  // namespace lw
