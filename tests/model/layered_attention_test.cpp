// Attention and decoding where layers differ in what their key cache may hold.
#include "encodings/layered.h"
#include "harness/model/model.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

/// Keys must stay unrotated: every key is moved to where it stands from the last query.
class FromTheEnd final : public PositionEncoding {
 public:
  at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at) override {
    if (at.query_pos_BQ.size(1) > 1) return k_BHKE;  // full pass: adjust_logits does it for each query
    const auto distance = (at.query_pos_BQ - at.key_pos_BK).to(k_BHKE.scalar_type());
    return k_BHKE * (1 + distance).reciprocal().unsqueeze(1).unsqueeze(-1);
  }
  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor&, const at::Tensor&,
                           const Site& at) override {
    if (at.query_pos_BQ.size(1) == 1) return logits_BHQK;
    const auto distance = (at.query_pos_BQ.unsqueeze(-1) - at.key_pos_BK.unsqueeze(-2)).clamp_min(0);
    return logits_BHQK * (1 + distance.to(logits_BHQK.scalar_type())).reciprocal().unsqueeze(1);
  }
  KeyCache key_cache() const override { return KeyCache::kRaw; }
  bool shift_invariant() const override { return true; }
};

std::shared_ptr<Transformer> mixed_model(const std::vector<size_t>& kind_of_layer) {
  ModelConfig c = small_config();
  c.layers = int64_t(kind_of_layer.size());
  auto encoding =
      std::make_shared<Layered>(std::vector<Layered::Kind>{{"raw", "x", std::make_shared<FromTheEnd>()},
                                                           {"rope", "rope", encoding_of("scheme: rope", c)}},
                                kind_of_layer);
  auto model = std::make_shared<Transformer>(c, encoding);
  model->reset_parameters(Rng(3));
  model->to(at::kDouble);
  return model;
}

}  // namespace

TEST_CASE("raw and rotated layers are each cached in their own way", "[model][layered]") {
  at::NoGradGuard no_grad;
  for (const auto& kinds : {std::vector<size_t>{0, 1}, {1, 0}, {1, 0, 1, 0}, {0, 0}}) {
    auto model = mixed_model(kinds);
    CHECK(model->encoding().key_cache() == KeyCache::kRaw);
    const auto tokens = random_tokens(2, 24);
    const auto full = model->hidden(tokens, positions(0, 24));
    Cache cache;
    std::vector<at::Tensor> parts;
    for (int64_t t = 0; t < 24; ++t) parts.push_back(model->hidden(tokens.narrow(1, t, 1), positions(t, 1), &cache));
    CHECK(apart(at::cat(parts, 1), full) < 1e-12);
  }
  // The rotated layer's cache holds turned keys, the raw one's does not.
  auto model = mixed_model({0, 1});
  const auto first = random_tokens(1, 6);
  Cache near, far;
  model->hidden(first, positions(0, 6), &near);
  model->hidden(first, positions(50, 6), &far);
  CHECK(apart(near.layers[0].k_BHKE, far.layers[0].k_BHKE) == 0);
  CHECK(apart(near.layers[1].k_BHKE, far.layers[1].k_BHKE) > 1e-3);
}

TEST_CASE("one dynamic layer and the whole model decodes without a cache", "[model][layered]") {
  at::NoGradGuard no_grad;
  auto model = small_model(
      "{scheme: layered, layers: [a, b], kinds: {a: {scheme: alibi}, b: {scheme: rope, scaling: {rope_type: dynamic, "
      "factor: 2}}}}");
  Cache cache;
  CHECK_THROWS_AS(model->hidden(random_tokens(1, 4), positions(0, 4), &cache), Error);
}

}  // namespace lw::model_test
