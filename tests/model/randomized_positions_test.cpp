// A model whose tokens stand at random positions.
#include <cmath>

#include "harness/base/error.h"
#include "harness/model/model.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

std::shared_ptr<Transformer> sampled_model(const std::string& position, bool drawn, int64_t max_position = 256,
                                           bool causal = true) {
  auto model = small_model(position, small_config(causal));
  model->set_sampler(std::make_shared<PositionSampler>(max_position, 9, drawn));
  return model;
}

at::Tensor slots(std::vector<int64_t> at) {
  const auto count = int64_t(at.size());
  return at::tensor(at, at::kLong).view({1, count});
}

}  // namespace

TEST_CASE("decoding keeps the positions drawn for the whole continuation", "[model][sampler]") {
  at::NoGradGuard no_grad;
  for (const auto& position : all_positions()) {
    INFO(position);
    auto model = sampled_model(position, true, 60);
    const auto prompt = random_tokens(3, 9);
    const auto got = make_model(model, 1)->continue_greedily(prompt, 12);
    const auto pos = model->sampler()->draw(prompt, 21);
    auto tokens = prompt;
    for (int64_t step = 0; step < 12; ++step) {
      const auto h = model->hidden(tokens, pos.narrow(1, 0, tokens.size(1)));
      tokens = at::cat({tokens, model->logits(h.select(1, -1)).argmax(-1, true)}, 1);
    }
    CHECK(at::equal(got, tokens.narrow(1, 9, 12)));
  }
}

TEST_CASE("evaluating depends on the row alone, and not on what is evaluated", "[model][sampler]") {
  at::NoGradGuard no_grad;
  for (const bool causal : {true, false}) {
    auto transformer = sampled_model("scheme: rope", true, 256, causal);
    const auto model = make_model(transformer, 1);
    const auto tokens = random_tokens(4, 12);
    const auto at = slots({9, 11}).expand({4, 2}).contiguous();
    const auto together = model->logits_at(tokens, at);
    for (int64_t row = 0; row < 4; ++row)
      CHECK(apart(model->logits_at(tokens.narrow(0, row, 1), at.narrow(0, row, 1)), together.narrow(0, row, 1)) <
            1e-12);
    auto changed = tokens.clone();
    changed.select(1, 9).copy_((tokens.select(1, 9) + 7) % 40);
    // Slot 9 sees nothing of what stands there: an answer must not move its question.
    CHECK(apart(model->logits_at(changed, at).select(1, 0), together.select(1, 0)) < 1e-12);
  }
}

TEST_CASE("evaluation is drawn or plain as the config says, training is drawn", "[model][sampler]") {
  at::NoGradGuard no_grad;
  const auto tokens = random_tokens(1, 12);
  const auto at = slots({5, 11});
  auto plain = small_model("scheme: rope"), drawn = sampled_model("scheme: rope", true),
       trained_only = sampled_model("scheme: rope", false);
  const auto unsampled = make_model(plain, 1)->logits_at(tokens, at);
  CHECK(at::equal(make_model(trained_only, 1)->logits_at(tokens, at), unsampled));
  CHECK(apart(make_model(drawn, 1)->logits_at(tokens, at), unsampled) > 1e-4);
  CHECK(at::equal(training_logits(*trained_only, tokens, at, 1), make_model(drawn, 1)->logits_at(tokens, at)));
}

TEST_CASE("a sequence longer than what positions are drawn from is too long", "[model][sampler]") {
  auto drawn = sampled_model("scheme: rope", true, 20), plain = sampled_model("scheme: rope", false, 20);
  CHECK(make_model(drawn, 1)->max_length() == 20);
  CHECK(make_model(drawn, 1)->too_long(21) ==
        "cannot draw 21 different positions from 20 (position.randomized.max_position)");
  CHECK_FALSE(make_model(plain, 1)->max_length().has_value());
  auto learned = small_model("{scheme: learned, positions: 24}");
  CHECK(make_model(learned, 1)->too_long(30) == "no vector for position 24 (table holds 24)");
  learned->set_sampler(std::make_shared<PositionSampler>(22, 0, true));
  CHECK(make_model(learned, 1)->max_length() == 22);
  CHECK_THROWS_WITH(training_logits(*drawn, random_tokens(1, 21), slots({5}), 1),
                    "cannot draw 21 different positions from 20 (position.randomized.max_position)");
}

}  // namespace lw::model_test
