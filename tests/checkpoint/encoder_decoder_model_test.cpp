// An encoder-decoder asked by sentinels, beside the two stacks called by hand.
#include "harness/base/error.h"
#include "harness/model/model.h"
#include "tests/checkpoint/fixtures.h"

using namespace lw;
using namespace lw::checkpoint_test;

namespace {

at::Tensor row(std::vector<int64_t> v) { return at::tensor(v, at::kLong).unsqueeze(0); }

at::Tensor counted(int64_t count) { return at::arange(count, at::kLong).unsqueeze(0); }

double apart(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

}  // namespace

TEST_CASE("an encoder-decoder is evaluated after the sentinel of each slot", "[families]") {
  at::NoGradGuard no_grad;
  for (const char* name : {"t5", "t5-gated"}) {
    INFO(name);
    const auto stacks = load_encoder_decoder(open_case(fixtures().named(name)));
    const auto model = make_model(stacks, {31, 30, 29, 28}, 0);
    const auto tokens = at::cat({row({5, 6, 7, 8, 9, 10, 11}), row({12, 13, 14, 15, 16, 17, 18})});
    const auto slots = at::cat({row({2, 3, 6}), row({1, 4, 5})});  // adjacent ones too
    const auto logits = model->logits_at(tokens, slots);

    const auto seen = at::cat({row({5, 6, 31, 30, 9, 10, 29}), row({12, 31, 14, 15, 30, 29, 18})});
    const auto given = at::cat({row({0, 31, 7, 30, 8, 29}), row({0, 31, 13, 30, 16, 29})});
    const auto all = stacks->logits(stacks->hidden(given, counted(6), stacks->encode(seen)));
    CHECK(logits.sizes() == at::IntArrayRef({2, 3, 32}));
    CHECK(apart(logits, all.index_select(1, at::tensor({1, 3, 5}, at::kLong))) < 1e-5);

    int64_t parts = 0;
    model->logits_in_parts(tokens, slots, 1, [&](int64_t first, const at::Tensor& part) {
      CHECK(first == parts);
      CHECK(apart(part, logits.narrow(1, first, 1)) < 1e-5);
      ++parts;
    });
    CHECK(parts == 3);
    // What is asked is hidden from the encoder, and a later answer from an earlier slot.
    auto changed = tokens.clone();
    changed[0][6] = 20;
    CHECK(apart(model->logits_at(changed, slots)[0], logits[0]) < 1e-5);
    changed[0][2] = 20;
    const auto moved = model->logits_at(changed, slots);
    CHECK(apart(moved[0][0], logits[0][0]) < 1e-5);
    CHECK(apart(moved[0][1], logits[0][1]) > 1e-4);
    CHECK_FALSE(model->max_length().has_value());
  }
}

TEST_CASE("an encoder-decoder refuses more slots than it has sentinels, and to continue a text", "[families]") {
  const auto model = make_model(load_encoder_decoder(open_case(fixtures().named("t5"))), {31, 30}, 0);
  CHECK_THROWS_WITH(
      model->logits_at(row({5, 6, 7, 8}), row({1, 2, 3})),
      "an encoder-decoder: found 3 tokens to predict in a sequence; allowed: up to 2, one for each sentinel");
  CHECK_THROWS_WITH(
      model->continue_greedily(row({5, 6}), 3),
      "continuing a text: found an encoder-decoder, which fills gaps; allowed: causal models of one stack");
}

TEST_CASE("the two stacks of T5 hold one table of embeddings", "[families]") {
  const auto stacks = load_encoder_decoder(open_case(fixtures().named("t5")));
  for (const auto type : {at::kFloat, at::kBFloat16, at::kDouble}) {
    stacks->to(type);
    auto parameters = stacks->named_parameters();
    const auto &a = parameters["encoder.embed_tokens"], &b = parameters["decoder.embed_tokens"];
    CHECK(a.scalar_type() == type);
    CHECK(a.data_ptr() == b.data_ptr());
  }
}
