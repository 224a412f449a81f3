#include <cmath>

#include "harness/base/error.h"
#include "harness/eval/equivariance.h"
#include "harness/model/model.h"
#include "tests/model/support.h"

namespace lw::model_test {

TEST_CASE("token by token and in chunks, the cached decoder gives what the full pass gives", "[model]") {
  at::NoGradGuard no_grad;
  for (const auto& position : all_positions()) {
    INFO(position);
    auto model = small_model(position);
    if (model->encoding().key_cache() == KeyCache::kNone) continue;  // refused below
    const auto tokens = random_tokens(2, 40);                        // well past the training length of 16
    const auto full = model->hidden(tokens, positions(0, 40));
    for (const std::vector<int64_t>& chunks : {std::vector<int64_t>(40, 1), {17, 1, 20, 2}}) {
      Cache cache;
      std::vector<at::Tensor> parts;
      for (const int64_t n : chunks)
        parts.push_back(model->hidden(tokens.narrow(1, cache.length, n), positions(cache.length, n), &cache));
      CHECK(apart(at::cat(parts, 1), full) < 1e-12);
      CHECK(cache.length == 40);
    }
  }
}

TEST_CASE("an encoding that cannot be cached refuses a cache and decodes without one", "[model]") {
  at::NoGradGuard no_grad;
  const std::string dynamic = "{scheme: rope, scaling: {rope_type: dynamic, factor: 2}}";
  auto model = small_model(dynamic);
  Cache cache;
  CHECK_THROWS_AS(model->hidden(random_tokens(1, 4), positions(0, 4), &cache), Error);

  // Greedy decoding across the point where the frequencies change equals a full pass at each step.
  auto tokens = random_tokens(2, 12);
  const auto got = make_model(small_model(dynamic), 1)->continue_greedily(tokens, 10);
  for (int64_t step = 0; step < 10; ++step) {
    const auto h = model->hidden(tokens, positions(0, tokens.size(1)));
    const auto next = model->logits(h.select(1, -1)).argmax(-1, true);
    CHECK(at::equal(got.narrow(1, step, 1), next));
    tokens = at::cat({tokens, next}, 1);
  }
}

TEST_CASE("greedy decoding with a cache equals decoding by full passes", "[model]") {
  at::NoGradGuard no_grad;
  for (const auto& position : all_positions()) {
    INFO(position);
    auto model = small_model(position);
    auto tokens = random_tokens(3, 9);
    const auto got = make_model(model, 1)->continue_greedily(tokens, 20);
    for (int64_t step = 0; step < 20; ++step) {
      const auto h = model->hidden(tokens, positions(0, tokens.size(1)));
      tokens = at::cat({tokens, model->logits(h.select(1, -1)).argmax(-1, true)}, 1);
    }
    CHECK(at::equal(got, tokens.narrow(1, 9, 20)));
  }
}

TEST_CASE("tiles and evaluated slots give what the whole pass gives", "[model]") {
  at::NoGradGuard no_grad;
  for (const bool causal : {true, false}) {
    for (const auto& position : all_positions(causal)) {
      INFO(position << (causal ? " decoder" : " encoder"));
      auto model = small_model(position, small_config(causal));
      const auto tokens = random_tokens(3, 23);
      const auto full = model->hidden(tokens, positions(0, 23));
      for (const int64_t tile : {1, 4, 23, 100})
        CHECK(apart(model->hidden(tokens, positions(0, 23), nullptr, tile), full) < 1e-12);
      const auto only = at::tensor({0, 5, 22, 7, 7, 1, 22, 21, 20}, at::kLong).view({3, 3});
      const auto index = only.unsqueeze(-1).expand({-1, -1, 32});
      CHECK(apart(model->hidden(tokens, positions(0, 23), nullptr, 0, only), full.gather(1, index)) < 1e-12);
      CHECK(apart(model->hidden(tokens, positions(0, 23), nullptr, 2, only), full.gather(1, index)) < 1e-12);
    }
  }
}

TEST_CASE("no decoder token sees a later one, and an encoder's slots see no answer", "[model]") {
  at::NoGradGuard no_grad;
  const auto tokens = random_tokens(1, 12);
  auto changed = tokens.clone();
  changed[0][9] = (changed[0][9] + 1) % 40;
  for (const auto& position : all_positions()) {
    INFO(position);
    auto decoder = small_model(position);
    const auto a = decoder->hidden(tokens, positions(0, 12)), b = decoder->hidden(changed, positions(0, 12));
    CHECK(apart(a.narrow(1, 0, 9), b.narrow(1, 0, 9)) < 1e-12);
    CHECK(apart(a.narrow(1, 9, 3), b.narrow(1, 9, 3)) > 1e-6);
  }
  for (const auto& position : all_positions(false)) {
    INFO(position << " encoder");
    auto encoder = small_model(position, small_config(false));
    const auto slot = at::tensor({9}, at::kLong).view({1, 1});
    CHECK(apart(training_logits(*encoder, tokens, slot, 1), training_logits(*encoder, changed, slot, 1)) == 0.0);
  }
}

TEST_CASE("rows of a batch do not influence one another", "[model]") {
  at::NoGradGuard no_grad;
  for (const auto& position : all_positions()) {
    INFO(position);
    auto model = small_model(position);
    const auto tokens = random_tokens(4, 21);
    const auto together = model->hidden(tokens, positions(0, 21));
    for (int64_t row = 0; row < 4; ++row)
      CHECK(apart(model->hidden(tokens.narrow(0, row, 1), positions(0, 21)), together.narrow(0, row, 1)) < 1e-12);
  }
}

TEST_CASE("without position an encoder's outputs permute with its inputs; with any position they do not", "[model]") {
  for (const auto& position : all_positions(false)) {
    INFO(position);
    auto model = small_model(position, small_config(false));
    const double residual = permutation_residual(*model, 24, Rng(1));
    if (position == "scheme: none\n")
      CHECK(residual < 1e-12);
    else
      CHECK(residual > 1e-3);
    model->to(at::kFloat);
    if (position == "scheme: none\n") CHECK(permutation_residual(*model, 24, Rng(1)) < 1e-5);
  }
}

TEST_CASE("a learned table has no vector beyond its rows", "[model]") {
  at::NoGradGuard no_grad;
  auto model = small_model("{scheme: learned, positions: 8}");
  CHECK_NOTHROW(model->hidden(random_tokens(1, 8), positions(0, 8)));
  CHECK_THROWS_WITH(model->hidden(random_tokens(1, 9), positions(0, 9)), "no vector for position 8 (table holds 8)");
  CHECK(make_model(model, 1)->too_long(9) == "no vector for position 8 (table holds 8)");
  CHECK(make_model(model, 1)->max_length() == 8);
}

TEST_CASE("a scheme without a table ends without one, alone, under a temperature and in layers", "[model][fault]") {
  at::NoGradGuard no_grad;
  for (const std::string position :
       {"{scheme: xpos}", "{scheme: xpos, query_temperature: {kind: log_n}}",
        "{scheme: layered, layers: [x, none], kinds: {x: {scheme: xpos}, none: {scheme: none}}}"}) {
    INFO(position);
    auto model = small_model(position);
    const int64_t bound = model->encoding().max_positions().value();
    CHECK_NOTHROW(model->hidden(random_tokens(1, 2), positions(bound - 2, 2)));
    const std::string message =
        "position " + std::to_string(bound) + " is not defined; allowed: 0 to " + std::to_string(bound - 1);
    CHECK_THROWS_WITH(model->hidden(random_tokens(1, 2), positions(bound - 1, 2)), message);
    CHECK(make_model(model, 1)->too_long(bound + 1) == message);
  }
}

TEST_CASE("grouped keys and values equal full heads that hold the same weights", "[model]") {
  at::NoGradGuard no_grad;
  ModelConfig grouped = small_config(), full = small_config();
  grouped.kv_heads = 2;
  auto a = small_model("scheme: rope", grouped), b = small_model("scheme: rope", full);
  auto from = a->named_parameters();
  for (auto& item : b->named_parameters()) {
    auto value = from[item.key()];
    if (value.sizes() != item.value().sizes()) {  // each grouped head serves two query heads
      auto heads = value.view({2, 8, -1}).repeat_interleave(2, 0);
      value = heads.reshape(item.value().sizes());
    }
    item.value().copy_(value);
  }
  const auto tokens = random_tokens(2, 10);
  CHECK(apart(a->hidden(tokens, positions(0, 10)), b->hidden(tokens, positions(0, 10))) < 1e-12);
}

TEST_CASE("norms, activations, gates, biases and untied outputs change the model and train", "[model]") {
  const auto tokens = random_tokens(2, 6);
  const auto slots = at::tensor({3, 5, 1, 2}, at::kLong).view({2, 2});
  std::vector<at::Tensor> outputs;
  const auto add = [&](auto change) {
    ModelConfig c = small_config();
    change(c);
    auto model = small_model("scheme: rope", c);
    const auto logits = training_logits(*model, tokens, slots, 1);
    logits.square().sum().backward();
    for (const auto& item : model->named_parameters()) {
      INFO(item.key());
      CHECK(item.value().grad().defined());
    }
    for (const auto& other : outputs) CHECK(apart(other, logits.detach()) > 1e-6);
    outputs.push_back(logits.detach());
  };
  add([](ModelConfig&) {});
  add([](ModelConfig& c) { c.norm = NormKind::kRmsNorm; });
  add([](ModelConfig& c) { c.activation = Activation::kRelu; });
  add([](ModelConfig& c) { c.activation = Activation::kSilu; });
  add([](ModelConfig& c) { c.activation = Activation::kGeluTanh; });
  add([](ModelConfig& c) { c.gated = true; });
  add([](ModelConfig& c) { c.tied_embeddings = false; });
  ModelConfig plain = small_config();
  plain.bias = false;
  for (const auto& item : small_model("scheme: rope", plain)->named_parameters())
    if (item.key().find("proj") != std::string::npos) CHECK(item.key().find("bias") == std::string::npos);
}

TEST_CASE("initial weights depend on the seed alone and have the stated spread", "[model]") {
  ModelConfig c = small_config();
  c.width = 64;
  c.head_width = 16;
  const auto draw = [&](uint64_t seed) {
    auto m = std::make_shared<Transformer>(c, encoding_of("scheme: t5", c));
    m->reset_parameters(Rng(seed));
    return m;
  };
  auto a = draw(1), b = draw(1), other = draw(2);
  auto theirs = b->named_parameters();
  for (const auto& item : a->named_parameters()) CHECK(at::equal(item.value(), theirs[item.key()]));
  CHECK_FALSE(at::equal(a->named_parameters()["embed_tokens"], other->named_parameters()["embed_tokens"]));
  CHECK(a->named_parameters()["layers_0.q_proj.weight"].std().item<double>() == Catch::Approx(0.1).epsilon(0.05));
  CHECK(a->named_parameters()["layers_1.down_proj.weight"].std().item<double>() ==
        Catch::Approx(0.1 / 2).epsilon(0.05));
}

}  // namespace lw::model_test
