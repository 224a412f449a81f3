// Order-swap distances of small random models and, where it is there, of MiniLM.
#include "harness/eval/order_distance.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/catch_torch.h"
#include "tests/checkpoint/fixtures.h"
#include "tests/model/support.h"

namespace lw::eval_test {
namespace {

const std::vector<OrderIds> kPairs = {{{1, 5, 9, 5, 7, 2}, {1, 5, 7, 5, 9, 2}},
                                      {{1, 11, 12, 13, 2}, {1, 13, 12, 11, 2}},
                                      {{1, 20, 3, 4, 21, 2}, {1, 21, 4, 3, 20, 2}}};

std::shared_ptr<Transformer> bert(const std::string& position) {
  const Checkpoint checkpoint = checkpoint_test::open_case(checkpoint_test::fixtures().named("bert-hidden"));
  if (position.empty()) return load_transformer(checkpoint);
  const PositionSetting other = position_on(checkpoint, parse_yaml(position, "test"));
  return load_transformer(checkpoint, nullptr, &other);
}

}  // namespace

TEST_CASE("order moves an encoder's states by its positions alone", "[order]") {
  const OrderDistance own = order_distance(*bert(""), kPairs);
  const OrderDistance none = order_distance(*bert("scheme: none"), kPairs);
  CHECK(own.mean > 1e-3);
  CHECK(own.largest >= own.mean);
  CHECK(own.per_token > 1e-2);
  CHECK(std::abs(none.mean) < 1e-6);
  CHECK(std::abs(none.largest) < 1e-6);
  CHECK(none.per_token < 1e-6);
  // Other tokens are told apart without positions.
  CHECK(none.unrelated > 1e-3);
}

TEST_CASE("a causal mask tells order without positions", "[order]") {
  const ModelConfig config = model_test::small_config();
  Transformer model(config, model_test::encoding_of("scheme: none", config));
  model.reset_parameters(Rng(1));
  CHECK(order_distance(model, kPairs).per_token > 1e-3);
}

TEST_CASE("the figures are those of the definition", "[order]") {
  // One row at a time, and each token looked up by hand.
  const auto model = bert("");
  at::NoGradGuard no_grad;
  const auto states = [&](const std::vector<int64_t>& ids) {
    const auto tokens_1T = at::tensor(ids, at::kLong).unsqueeze(0);
    return model->hidden(tokens_1T, at::arange(tokens_1T.size(1), at::kLong).unsqueeze(0))[0].to(at::kDouble);
  };
  const auto cosine = [](const at::Tensor& a, const at::Tensor& b) {
    return (a.dot(b) / a.norm() / b.norm()).item<double>();
  };
  std::vector<at::Tensor> first;
  double mean = 0, largest = 0, per_token = 0, tokens = 0, unrelated = 0;
  for (const auto& [a, b] : kPairs) {
    const auto x = states(a), y = states(b);
    const double distance = 1 - cosine(x.mean(0), y.mean(0));
    mean += distance / double(kPairs.size());
    largest = std::max(largest, distance);
    first.push_back(x.mean(0));
    std::vector<bool> taken(b.size(), false);
    for (size_t i = 0; i < a.size(); ++i) {
      size_t j = 0;
      while (taken[j] || b[j] != a[i]) ++j;
      taken[j] = true;
      const auto p = x[int64_t(i)], q = y[int64_t(j)];
      per_token += ((p - q).norm() / ((p.norm() + q.norm()) / 2)).item<double>(), tokens += 1;
    }
  }
  for (size_t i = 0; i < first.size(); ++i)
    for (size_t j = 0; j < i; ++j) unrelated += (1 - cosine(first[i], first[j])) / 3;
  const OrderDistance got = order_distance(*model, kPairs);
  CHECK(got.mean == Catch::Approx(mean).epsilon(1e-5));
  CHECK(got.largest == Catch::Approx(largest).epsilon(1e-5));
  CHECK(got.per_token == Catch::Approx(per_token / tokens).epsilon(1e-5));
  CHECK(got.unrelated == Catch::Approx(unrelated).epsilon(1e-5));
}

TEST_CASE("the built-in pairs hold the same words in two orders", "[order]") {
  const auto words = [](const std::string& sentence) {
    std::istringstream in(sentence);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  std::set<std::string> seen;
  CHECK(order_pairs().size() >= 24);
  for (const auto& [first, second] : order_pairs()) {
    INFO(first);
    auto a = words(first), b = words(second);
    CHECK(a != b);
    CHECK(a.front() == "the");
    CHECK(b.front() == "the");
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    CHECK(a == b);
    CHECK(seen.insert(first).second);
    CHECK(seen.insert(second).second);
  }
}

}  // namespace lw::eval_test
