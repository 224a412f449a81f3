#include "harness/train/trainer.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <thread>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/registry.h"
#include "harness/model/transformer.h"
#include "tests/model/support.h"

namespace lw::train_test {
namespace {

std::unique_ptr<Suite> suite_of(const std::string& kind, const std::string& options = "") {
  ConfigNode node = ConfigNode::parse(options.empty() ? "{}" : options);
  return find_named(suites(), kind)->make(node);
}

struct Setup {
  std::unique_ptr<Suite> order = suite_of("order_swap"), needle = suite_of("needle");
  TrainConfig config;

  std::pair<std::shared_ptr<Transformer>, std::vector<LossAt>> run(std::vector<NamedSuite> named, uint64_t seed) const {
    std::vector<const Suite*> plain;
    for (const auto& n : named) plain.push_back(n.suite);
    const VocabularyPlan plan(plain, false);
    ModelConfig c = model_test::small_config();
    c.vocabulary = plan.size();
    auto model = std::make_shared<Transformer>(c, model_test::encoding_of("scheme: alibi", c));
    const Rng rng(seed);
    model->reset_parameters(rng.stream("weights"));
    auto curve = train(*model, config, named, plan, rng, [](int64_t, double) {});
    return {model, curve};
  }
};

bool same_weights(const Transformer& a, const Transformer& b) {
  auto theirs = b.named_parameters();
  for (const auto& item : a.named_parameters())
    if (!at::equal(item.value(), theirs[item.key()])) return false;
  return true;
}

}  // namespace

TEST_CASE("the learning rate warms up linearly and ends on its cosine", "[train]") {
  TrainConfig c;
  c.steps = 150;
  c.warmup = 50;
  c.lr = 2e-3;
  c.lr_end = 0.1;
  CHECK(learning_rate(c, 0) == Catch::Approx(2e-3 / 50));
  CHECK(learning_rate(c, 49) == Catch::Approx(2e-3));
  CHECK(learning_rate(c, 50) == Catch::Approx(2e-3));
  CHECK(learning_rate(c, 100) == Catch::Approx(2e-3 * 0.55));
  CHECK(learning_rate(c, 150) == Catch::Approx(2e-4));
  c.warmup = 0;
  CHECK(learning_rate(c, 0) == Catch::Approx(2e-3));
}

TEST_CASE("the same seed gives the same weights to the last bit, whatever runs beside it", "[train]") {
  at::set_num_threads(1);
  Setup s;
  s.config.steps = 12;
  const auto alone = s.run({{"order", s.order.get()}}, 1);
  std::pair<std::shared_ptr<Transformer>, std::vector<LossAt>> first, second;
  std::thread other([&] { first = s.run({{"order", s.order.get()}}, 2); });
  second = s.run({{"order", s.order.get()}}, 1);
  other.join();
  CHECK(same_weights(*alone.first, *second.first));
  CHECK_FALSE(same_weights(*alone.first, *first.first));
}

TEST_CASE("order is learnt in a few hundred steps, and two suites in one model", "[train][slow]") {
  at::set_num_threads(1);
  Setup s;
  s.config.steps = 250;
  s.config.lr = 3e-3;
  s.config.max_length = 16;
  const auto one = s.run({{"order", s.order.get()}}, 1);
  CHECK(one.second.front().loss > 1.0);
  CHECK(one.second.back().loss < 0.1);
  CHECK(one.second.back().step == 250);
  CHECK(one.second.size() <= 61);
  const auto joint = s.run({{"order", s.order.get()}, {"needle", s.needle.get()}}, 1);
  CHECK(joint.second.back().loss < one.second.front().loss / 2);
}

TEST_CASE("a loss that is not finite stops the training and says so", "[train]") {
  Setup s;
  s.config.steps = 50;
  s.config.lr = 10;
  s.config.clip = 1e9;
  s.config.warmup = 0;
  s.config.weight_decay = 10;
  CHECK_THROWS_WITH(s.run({{"order", s.order.get()}}, 1),
                    Catch::Matchers::ContainsSubstring("the loss is not finite after step"));
}

TEST_CASE("a suite that needs more tokens than the shortest length is trained on longer ones", "[train]") {
  TrainConfig c;
  c.min_length = 6;
  CHECK(shortest_training_length(c, *suite_of("length", "{scored: 5, lag: 3}")) == 9);
  CHECK(shortest_training_length(c, *suite_of("order_swap")) == 6);
}

TEST_CASE("progress may stop a training", "[train]") {
  Setup s;
  const VocabularyPlan plan({s.order.get()}, false);
  ModelConfig c = model_test::small_config();
  c.vocabulary = plan.size();
  Transformer model(c, model_test::encoding_of("scheme: none", c));
  model.reset_parameters(Rng(1));
  int64_t seen = 0;
  const auto stop = [&](int64_t step, double) {
    seen = step;
    if (step == 3) throw std::runtime_error("stop");
  };
  CHECK_THROWS_WITH(train(model, s.config, {{"order", s.order.get()}}, plan, Rng(1), stop), "stop");
  CHECK(seen == 3);
}

TEST_CASE("a model learns at random positions, and the same draws give the same weights", "[train][sampler]") {
  const auto suite = suite_of("order_swap");
  TrainConfig config;
  config.steps = 60;
  config.warmup = 5;
  config.batch = 16;
  config.max_length = 12;
  config.lr = 5e-3;
  const VocabularyPlan plan({suite.get()}, false);
  ModelConfig c = model_test::small_config();
  c.vocabulary = plan.size();
  const auto trained = [&](int64_t position_seed) {
    auto model = std::make_shared<Transformer>(c, model_test::encoding_of("{scheme: learned, positions: 48}", c));
    model->reset_parameters(Rng(4).stream("weights"));
    model->set_sampler(std::make_shared<PositionSampler>(48, position_seed, true));
    const auto before = model->named_parameters()["position.table"].clone();
    const auto curve = train(*model, config, {{"order_swap", suite.get()}}, plan, Rng(4), [](int64_t, double) {});
    CHECK(curve.back().loss < curve.front().loss);
    // Rows far past the longest training sequence were trained too.
    const auto moved = (model->named_parameters()["position.table"] - before).abs().amax(1);
    CHECK((moved.narrow(0, 0, 47) > 1e-3).all().item<bool>());  // only the evaluated token, unseen, can stand at 47
    return model;
  };
  const auto one = trained(1), again = trained(1), other = trained(2);
  CHECK(same_weights(*one, *again));
  CHECK_FALSE(same_weights(*one, *other));
}

}  // namespace lw::train_test
