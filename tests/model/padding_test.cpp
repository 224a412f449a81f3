// Rows padded on the left to one length: every real token gets what it gets without padding.
#include <algorithm>

#include "tests/model/support.h"

namespace lw::model_test {
namespace {

constexpr int64_t kTokens = 40;  // well past the training length of 16
const std::vector<int64_t> kPads = {0, 3, 17};

/// Row r: kPads[r] times padding, then 0, 1, 2, ...
at::Tensor padded_positions() {
  std::vector<at::Tensor> rows;
  for (const int64_t pads : kPads)
    rows.push_back(at::cat({at::full({1, pads}, kPadding, at::kLong), positions(0, kTokens - pads)}, 1));
  return at::cat(rows, 0);
}

/// The largest difference over real tokens between the rows of `padded_BTD` and each row run by itself.
double gap_to_unpadded(Transformer& model, const at::Tensor& tokens_BT, const at::Tensor& padded_BTD) {
  double worst = 0;
  for (int64_t row = 0; row < tokens_BT.size(0); ++row) {
    const int64_t pads = kPads[size_t(row)], real = kTokens - pads;
    const auto alone = model.hidden(tokens_BT.narrow(0, row, 1).narrow(1, pads, real), positions(0, real));
    worst = std::max(worst, apart(padded_BTD.narrow(0, row, 1).narrow(1, pads, real), alone));
  }
  return worst;
}

}  // namespace

TEST_CASE("left padding changes nothing in a full pass", "[model]") {
  at::NoGradGuard no_grad;
  const auto tokens = random_tokens(3, kTokens);
  for (const bool causal : {true, false}) {
    for (const auto& position : all_positions(causal)) {
      INFO((causal ? "decoder " : "encoder ") << position);
      auto model = small_model(position, small_config(causal));
      CHECK(gap_to_unpadded(*model, tokens, model->hidden(tokens, padded_positions())) < 1e-11);
      CHECK(gap_to_unpadded(*model, tokens, model->hidden(tokens, padded_positions(), nullptr, 7)) < 1e-11);
    }
  }
}

TEST_CASE("left padding changes nothing when decoding token by token or prefilling in chunks", "[model]") {
  at::NoGradGuard no_grad;
  const auto tokens = random_tokens(3, kTokens), pos = padded_positions();
  for (const auto& position : all_positions()) {
    INFO(position);
    auto model = small_model(position);
    if (model->encoding().key_cache() == KeyCache::kNone) continue;  // decodes by full passes: tested above
    for (const std::vector<int64_t>& chunks : {std::vector<int64_t>(size_t(kTokens), 1), {5, 11, 1, 1, 22}}) {
      Cache cache;
      std::vector<at::Tensor> parts;
      for (const int64_t n : chunks) {
        const int64_t begin = cache.length;
        parts.push_back(model->hidden(tokens.narrow(1, begin, n), pos.narrow(1, begin, n), &cache));
      }
      CHECK(gap_to_unpadded(*model, tokens, at::cat(parts, 1)) < 1e-11);
    }
  }
}

TEST_CASE("padding is never looked at, whatever stands there", "[model]") {
  at::NoGradGuard no_grad;
  const auto tokens = random_tokens(3, kTokens), pos = padded_positions();
  const auto other = at::where(pos == kPadding, (tokens + 1).remainder(40), tokens);
  for (const auto& position : all_positions()) {
    INFO(position);
    auto model = small_model(position);
    const auto real_BT1 = (pos != kPadding).unsqueeze(-1);
    CHECK(apart(model->hidden(tokens, pos) * real_BT1, model->hidden(other, pos) * real_BT1) == 0);
  }
}

}  // namespace lw::model_test
