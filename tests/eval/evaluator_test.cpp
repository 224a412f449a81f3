#include "harness/eval/evaluator.h"

#include <cmath>
#include <limits>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/registry.h"
#include "harness/model/model.h"
#include "tests/catch_torch.h"
#include "tests/model/support.h"

namespace lw::eval_test {
namespace {

/// Answers by rule: logits are `high` at the token that `say` names for each slot, 0 elsewhere.
class Fake final : public Model {
 public:
  using Say = std::function<int64_t(const at::Tensor& tokens_T, int64_t slot)>;
  Fake(int64_t vocabulary, double high, Say say) : vocabulary_(vocabulary), high_(high), say_(std::move(say)) {}

  at::Tensor logits_at(const at::Tensor& tokens_BT, const at::Tensor& slots_BK) override {
    auto out = at::zeros({slots_BK.size(0), slots_BK.size(1), vocabulary_}, at::kDouble);
    for (int64_t b = 0; b < slots_BK.size(0); ++b)
      for (int64_t k = 0; k < slots_BK.size(1); ++k)
        out[b][k][say_(tokens_BT[b], slots_BK[b][k].item<int64_t>())] = high_;
    largest_batch = std::max(largest_batch, tokens_BT.numel());
    return out;
  }
  at::Tensor continue_greedily(const at::Tensor&, int64_t) override { return {}; }
  std::optional<int64_t> max_length() const override { return bound; }

  std::optional<int64_t> bound;
  int64_t largest_batch = 0;

 private:
  int64_t vocabulary_;
  double high_;
  Say say_;
};

int64_t truth(const at::Tensor& tokens_T, int64_t slot) { return tokens_T[slot].item<int64_t>(); }

struct Setup {
  std::unique_ptr<Suite> suite;
  std::unique_ptr<VocabularyPlan> plan;
  EvalUnit unit;

  explicit Setup(const std::string& kind, int64_t length = 24, int64_t probes = 12) {
    ConfigNode node = ConfigNode::parse("{}");
    suite = find_named(suites(), kind)->make(node);
    plan = std::make_unique<VocabularyPlan>(std::vector<const Suite*>{suite.get()}, false);
    unit.suite_name = kind;
    unit.suite = suite->bind(plan->of(0), {});
    unit.vocabulary = plan.get();
    unit.length = length;
    unit.probes = probes;
    unit.train_length = 32;
    unit.stream = Rng(0).stream("eval").stream(kind);
    unit.setting = "rope/s1";
    unit.seed = 1;
  }

  std::vector<Record> evaluate(Model& model) const {
    return lw::evaluate(model, unit, [] {});
  }
};

}  // namespace

TEST_CASE("a model that knows the answers is right everywhere, with a loss near zero", "[eval]") {
  for (const char* kind : {"order_swap", "needle", "length"}) {
    const Setup s(kind);
    Fake oracle(s.plan->size(), 50.0, truth);
    for (const auto& r : s.evaluate(oracle)) {
      CHECK(r.status == Status::kScored);
      CHECK(*r.nll == Catch::Approx(0).margin(1e-9));
      CHECK(r.correct == (std::string(kind) == "length" ? std::optional<bool>() : true));
      CHECK(r.correct_free == r.correct);
      if (r.correct) CHECK(r.answer == r.gold);
      CHECK(r.length == 24);
      CHECK(r.prompt_tokens + r.answer_budget == r.length);
      CHECK(r.in_length);
      CHECK(r.prompt_hash.size() == 16);
    }
  }
}

TEST_CASE("even logits cost ln V at every target, and guess alike on both orders", "[eval]") {
  const Setup length("length");
  Fake flat(length.plan->size(), 0.0, truth);
  for (const auto& r : length.evaluate(flat)) {
    CHECK(*r.nll == Catch::Approx(std::log(double(length.plan->size()))).epsilon(1e-12));
    CHECK(r.targets.size() == 16);
  }
  const Setup order("order_swap", 24, 40);
  Fake even(order.plan->size(), 0.0, truth);
  int64_t right = 0;
  const auto records = order.evaluate(even);
  for (const auto& r : records) right += *r.correct ? 1 : 0;
  CHECK(right == 20);  // a tie goes to one answer whatever the order: exactly chance over pairs
  for (size_t i = 0; i < records.size(); i += 2) {
    CHECK(records[i].answer == records[i + 1].answer);
    CHECK(records[i].group == records[i + 1].group);
  }
}

TEST_CASE("the best candidate is scored apart from the best of all tokens", "[eval]") {
  const Setup s("needle");
  Fake blurts(s.plan->size(), 5.0, [](const at::Tensor&, int64_t) { return int64_t{VocabularyPlan::kAsk}; });
  int64_t right = 0;
  for (const auto& r : s.evaluate(blurts)) {
    CHECK(*r.correct_free == false);  // "ask" is no value
    right += *r.correct ? 1 : 0;
  }
  CHECK(right < 12);
}

TEST_CASE("a length beyond the table is its own result: never a score, never a crash", "[eval]") {
  Setup s("needle", 40, 5);
  Fake model(s.plan->size(), 1.0, truth);
  model.bound = 32;
  for (const auto& r : s.evaluate(model)) {
    CHECK(r.status == Status::kNoPosition);
    CHECK(r.reason == "found 40 tokens; allowed: up to 32, where positions end");
    CHECK_FALSE(r.correct.has_value());
    CHECK_FALSE(r.nll.has_value());
    CHECK_FALSE(r.in_length);
  }
  s.unit.length = 32;
  for (const auto& r : s.evaluate(model)) CHECK(r.status == Status::kScored);
}

TEST_CASE("a length beyond what positions are drawn from is its own result too", "[eval][sampler]") {
  Setup s("needle", 24, 5);
  ModelConfig c = model_test::small_config();
  c.vocabulary = s.plan->size();
  const auto transformer = model_test::small_model("scheme: rope", c);
  transformer->set_sampler(std::make_shared<PositionSampler>(24, 0, true));
  const auto model = make_model(transformer, VocabularyPlan::kMask);
  for (const auto& r : s.evaluate(*model)) CHECK(r.status == Status::kScored);
  s.unit.length = 25;
  for (const auto& r : s.evaluate(*model)) {
    CHECK(r.status == Status::kNoPosition);
    CHECK(r.reason == "cannot draw 25 different positions from 24 (position.randomized.max_position)");
  }
}

TEST_CASE("logits that are not finite fail the probe and name the place", "[eval]") {
  const Setup s("needle", 16, 3);
  Fake broken(s.plan->size(), std::numeric_limits<double>::quiet_NaN(), truth);
  for (const auto& r : s.evaluate(broken)) {
    CHECK(r.status == Status::kFailed);
    CHECK(r.reason == "the logits at position 15 are not finite");
    CHECK_FALSE(r.nll.has_value());
    CHECK_FALSE(r.correct.has_value());
  }
}

TEST_CASE("batches are bounded in tokens and change nothing", "[eval]") {
  const Setup s("needle", 24, 300);
  Fake model(s.plan->size(), 3.0, truth);
  const auto records = s.evaluate(model);
  CHECK(model.largest_batch <= 4096);
  CHECK(records.size() == 300);
  CHECK(records[299].id == "needle/24/299");
}

TEST_CASE("a probe has the same score to the last bit, however many are evaluated with it", "[eval]") {
  for (const char* position : {"scheme: rope", "scheme: alibi", "scheme: t5", "scheme: shaw"})
    for (const int64_t length : {24, 50, 257}) {
      Setup s("needle", length, 40);
      ModelConfig c = model_test::small_config();
      c.vocabulary = s.plan->size();
      auto transformer = model_test::small_model(position, c);
      transformer->to(at::kFloat);
      const auto model = make_model(transformer, VocabularyPlan::kMask);
      const auto all = s.evaluate(*model);
      for (const int64_t probes : {1, 2, 3, 15, 16, 17, 39}) {
        s.unit.probes = probes;
        const auto some = s.evaluate(*model);
        REQUIRE(std::ssize(some) == probes);
        for (size_t i = 0; i < some.size(); ++i) CHECK(to_json_line(some[i]) == to_json_line(all[i]));
      }
    }
}

}  // namespace lw::eval_test
