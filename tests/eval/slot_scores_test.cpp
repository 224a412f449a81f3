// Slots evaluated in parts: the same answers, never more logits at once than was asked.
#include "harness/eval/slot_scores.h"

#include "harness/base/error.h"
#include "harness/eval/nll.h"
#include "harness/model/model.h"
#include "tests/catch_torch.h"
#include "tests/model/support.h"

namespace lw::eval_test {
namespace {

using model_test::apart;

at::Tensor slots(std::initializer_list<int64_t> at, int64_t rows) {
  return at::tensor(std::vector<int64_t>(at), at::kLong).unsqueeze(0).repeat({rows, 1});
}

/// Knows nothing but evaluate().
class Whole final : public Model {
 public:
  explicit Whole(Model& inner) : inner_(inner) {}
  at::Tensor logits_at(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) override {
    return inner_.logits_at(tokens_BT, slots_BK);
  }
  at::Tensor continue_greedily(const at::Tensor& tokens_BT, int64_t steps) override {
    return inner_.continue_greedily(tokens_BT, steps);
  }
  std::optional<int64_t> max_length() const override { return std::nullopt; }

 private:
  Model& inner_;
};

}  // namespace

TEST_CASE("a model evaluates in parts what it evaluates at once", "[eval]") {
  for (const bool causal : {true, false}) {
    const auto model =
        make_model(model_test::small_model("scheme: rope", model_test::small_config(causal)), /*mask_token=*/1);
    const auto tokens = model_test::random_tokens(2, 12);
    const auto at = slots({1, 2, 5, 6, 9, 10, 11}, 2);
    const auto whole = model->logits_at(tokens, at);
    struct Case {
      int64_t most;                // elements, of 2 rows and 40 words a slot
      std::vector<int64_t> parts;  // slots in each
    };
    for (const Case& c :
         {Case{1, {1, 1, 1, 1, 1, 1, 1}}, Case{3 * 80 + 79, {3, 3, 1}}, Case{7 * 80, {7}}, Case{1 << 20, {7}}}) {
      INFO(causal << ", at most " << c.most);
      std::vector<int64_t> parts;
      int64_t seen = 0;
      model->logits_in_parts(tokens, at, c.most, [&](int64_t first, const at::Tensor& logits) {
        CHECK(first == seen);
        CHECK(apart(logits, whole.narrow(1, first, logits.size(1))) < 1e-12);
        parts.push_back(logits.size(1));
        seen += logits.size(1);
      });
      CHECK(parts == c.parts);
    }
    Whole plain(*model);
    plain.logits_in_parts(tokens, at, 1, [&](int64_t first, const at::Tensor& logits) {
      CHECK(first == 0);
      CHECK(at::equal(logits, whole));
    });
  }
}

TEST_CASE("scores of slots are log-softmax and the first of the likeliest", "[eval]") {
  const auto model = make_model(model_test::small_model("scheme: rope"), 1);
  const auto tokens = model_test::random_tokens(3, 10);
  const auto at = slots({2, 4, 9}, 3);
  const auto wanted = model_test::random_tokens(3, 3 * 4, 8).view({3, 3, 4});
  const auto got = score_slots(*model, tokens, at, wanted);
  const auto logits = model->logits_at(tokens, at);
  CHECK(apart(got.logp_BKN, logits.log_softmax(-1).gather(-1, wanted)) < 1e-12);
  CHECK(at::equal(got.best_BK, logits.argmax(-1)));
}

TEST_CASE("half-precision weights are evaluated by wide logits", "[eval]") {
  const auto transformer = model_test::small_model("scheme: rope");
  const auto tokens = model_test::random_tokens(1, 10);
  for (const auto type : {at::kBFloat16, at::kHalf}) {
    transformer->to(type);
    const auto model = make_model(transformer, 1);
    CHECK(model->logits_at(tokens, slots({3, 7}, 1)).scalar_type() == at::kFloat);
    model->logits_in_parts(tokens, slots({3, 7}, 1), 1,
                           [](int64_t, const at::Tensor& part) { CHECK(part.scalar_type() == at::kFloat); });
  }
}

TEST_CASE("the loss of a text is formed from every next token, and refused of an encoder", "[eval]") {
  const auto transformer = model_test::small_model("scheme: rope");
  const auto tokens = model_test::random_tokens(1, 9);
  const std::vector<int64_t> ids(tokens.data_ptr<int64_t>(), tokens.data_ptr<int64_t>() + 9);
  const auto got = nll_by_position(transformer, ids, {9, 0, 0, std::nullopt}, [] {});
  at::NoGradGuard no_grad;
  const auto logp = transformer->logits(transformer->hidden(tokens, model_test::positions(0, 9))).log_softmax(-1);
  REQUIRE(got.positions.size() == 8);
  for (int64_t p = 0; p < 8; ++p)
    CHECK(got.positions[size_t(p)].sum == Catch::Approx(-logp[0][p][ids[size_t(p) + 1]].item<double>()).epsilon(1e-10));
  const auto encoder = model_test::small_model("scheme: rope", model_test::small_config(false));
  CHECK_THROWS_WITH(nll_by_position(encoder, ids, {9, 0, 0, std::nullopt}, [] {}),
                    "the loss of a text: found an encoder, which sees the token that it is to predict; allowed: causal "
                    "models");
}

}  // namespace lw::eval_test
