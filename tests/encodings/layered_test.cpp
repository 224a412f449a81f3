// Layers with schemes of different kinds: every hook, property and parameter goes to the kind of its layer.
#include "encodings/layered.h"

#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

ModelShape with_layers(int64_t layers) {
  ModelShape shape = small_shape();
  shape.layers = layers;
  return shape;
}

/// Everything that a layer's hooks give for fixed inputs.
at::Tensor through(PositionEncoding& encoding, int64_t layer) {
  const auto q = draw({2, 4, 6, 8}, "q"), k = draw({2, 4, 6, 8}, "k"), v = draw({2, 4, 6, 8}, "v");
  const auto pos = positions(6, 20);
  const Site at{pos, pos, layer, nullptr};
  const auto rotated_q = encoding.rotate_query(q, at), rotated_k = encoding.rotate_key(k, at);
  const auto logits =
      encoding.adjust_logits(at::matmul(rotated_q, rotated_k.transpose(-1, -2)), rotated_q, rotated_k, at);
  const auto weights = logits.softmax(-1);
  return at::cat({rotated_q, rotated_k, encoding.adjust_output(at::matmul(weights, v), weights, at)}, -1);
}

std::string error_of(const std::string& yaml, int64_t layers = 4) {
  return config_error("scheme: layered\n" + yaml, with_layers(layers));
}

/// Tells which layer it was called for.
class LayerTeller final : public PositionEncoding {
 public:
  at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at) override { return q_BHQE + at.layer; }
  bool shift_invariant() const override { return true; }
  std::vector<int64_t> layers_of_each_kind() const override { return {0, 1}; }
  void constrain() override { ++constrained; }
  int constrained = 0;
};

}  // namespace

TEST_CASE("each layer has what its kind alone gives", "[encodings][layered]") {
  const std::string kinds = "kinds: {a: {scheme: rope}, b: {scheme: alibi}, c: {scheme: none}}\n";
  const auto encoding = build("scheme: layered\nlayers: [a, b, c]\n" + kinds, with_layers(6));
  const auto rope = build("scheme: rope\n"), alibi = build("scheme: alibi\n"), none = build("scheme: none\n");
  for (int64_t layer = 0; layer < 6; ++layer) {
    PositionEncoding& alone = layer % 3 == 0 ? *rope : layer % 3 == 1 ? *alibi : *none;
    CHECK(at::equal(through(*encoding, layer), through(alone, 0)));
  }
  // As many names as layers, in no regular order.
  const auto listed = build("scheme: layered\nlayers: [c, c, a, b, a, c]\n" + kinds, with_layers(6));
  const std::vector<PositionEncoding*> order = {&*none, &*none, &*rope, &*alibi, &*rope, &*none};
  for (int64_t layer = 0; layer < 6; ++layer)
    CHECK(at::equal(through(*listed, layer), through(*order[size_t(layer)], 0)));
  CHECK(listed->layers_of_each_kind() == std::vector<int64_t>{0, 2, 3});
}

TEST_CASE("values are touched in the layers of the kind that touches them", "[encodings][layered]") {
  const auto encoding = build_drawn("scheme: layered\nlayers: [s, r]\nkinds: {s: {scheme: shaw}, r: {scheme: rope}}\n");
  CHECK(encoding->touches_values());
  const auto out = draw({1, 4, 6, 8}, "out"), weights = draw({1, 4, 6, 6}, "w").softmax(-1);
  CHECK_FALSE(at::equal(encoding->adjust_output(out, weights, {positions(6), positions(6), 0, nullptr}), out));
  CHECK(at::equal(encoding->adjust_output(out, weights, {positions(6), positions(6), 1, nullptr}), out));
  CHECK_FALSE(build("scheme: layered\nlayers: [r]\nkinds: {r: {scheme: rope}}\n")->touches_values());
}

TEST_CASE("a kind counts its own layers", "[encodings][layered]") {
  const auto teller = std::make_shared<LayerTeller>();
  Layered encoding({{"told", "x", teller}, {"none", "none", build("scheme: none\n")}}, {1, 0, 1, 0, 0});
  for (const auto& [layer, own] : std::map<int64_t, int64_t>{{0, 0}, {1, 0}, {2, 0}, {3, 1}, {4, 2}})
    CHECK(encoding.rotate_query(at::zeros({1, 1, 1, 2}), {positions(1), positions(1), layer, nullptr})
              .eq(own)
              .all()
              .item<bool>());
  CHECK(encoding.layers_of_each_kind() == std::vector<int64_t>{0, 1, 3});
  encoding.constrain();
  CHECK(teller->constrained == 1);
}

TEST_CASE("layered properties are those of the weakest kind", "[encodings][layered]") {
  const std::string dynamic = "{scheme: rope, scaling: {rope_type: dynamic, factor: 2}}";
  const auto with = [&](const std::string& other) {
    return build("scheme: layered\nlayers: [a, b]\nkinds: {a: {scheme: rope}, b: " + other + "}\n");
  };
  CHECK(with("{scheme: alibi}")->key_cache() == KeyCache::kRotated);
  CHECK(with(dynamic)->key_cache() == KeyCache::kNone);
  CHECK(with(dynamic)->key_cache_of(0) == KeyCache::kRotated);
  CHECK(with(dynamic)->key_cache_of(1) == KeyCache::kNone);
  CHECK(with("{scheme: alibi}")->shift_invariant());
  CHECK_FALSE(with("{scheme: none, query_temperature: {kind: log_n}}")->shift_invariant());
  CHECK_FALSE(with("{scheme: alibi}")->max_positions().has_value());

  class Bounded final : public PositionEncoding {
   public:
    Bounded(int64_t bound, KeyCache cache) : bound_(bound), cache_(cache) {}
    bool shift_invariant() const override { return true; }
    std::optional<int64_t> max_positions() const override { return bound_; }
    KeyCache key_cache() const override { return cache_; }

   private:
    int64_t bound_;
    KeyCache cache_;
  };
  const auto kind = [](const std::string& name, int64_t bound, KeyCache cache) {
    return Layered::Kind{name, "x", std::make_shared<Bounded>(bound, cache)};
  };
  const Layered two({kind("a", 30, KeyCache::kRaw), kind("b", 20, KeyCache::kRotated)}, {0, 1});
  CHECK(two.max_positions() == 20);
  CHECK(two.key_cache() == KeyCache::kRaw);
  CHECK(two.key_cache_of(1) == KeyCache::kRotated);
  const Layered three({kind("a", 3, KeyCache::kRaw), kind("b", 9, KeyCache::kNone), kind("c", 9, KeyCache::kRotated)},
                      {0, 1, 2});
  CHECK(three.key_cache() == KeyCache::kNone);
}

TEST_CASE("kinds have parameters and draws of their own", "[encodings][layered]") {
  const std::string yaml = "scheme: layered\nlayers: [near, far]\nkinds: {near: {scheme: t5}, far: {scheme: t5}}\n";
  const auto encoding = build_drawn(yaml);
  auto parameters = encoding->named_parameters();
  REQUIRE(parameters.size() == 2);
  const auto near = parameters["near.relative_attention_bias"], far = parameters["far.relative_attention_bias"];
  CHECK_FALSE(at::equal(near, far));
  // A kind's draw depends on its name, not on what stands beside it.
  const auto other =
      build_drawn("scheme: layered\nlayers: [near, r]\nkinds: {r: {scheme: rope}, near: {scheme: t5}}\n");
  CHECK(at::equal(other->named_parameters()["near.relative_attention_bias"], near));
}

TEST_CASE("the card says which layers are of which kind", "[encodings][layered]") {
  const auto encoding =
      build("scheme: layered\nlayers: [rope, rope, rope, nope]\nkinds: {rope: {scheme: rope}, nope: {scheme: none}}\n",
            with_layers(8));
  CHECK(fact_numbers(*encoding, "rope.layers") == std::vector<double>{0, 1, 2, 4, 5, 6});
  CHECK(fact_numbers(*encoding, "nope.layers") == std::vector<double>{3, 7});
  CHECK(fact_number(*encoding, "rope.rope_theta") == 10000);
  for (const auto& fact : encoding->facts(16)) {
    if (fact.name == "nope.scheme") CHECK(fact.value == "none");
    if (fact.name == "nope.layers") CHECK(fact.value == "3, 7");
  }
}

TEST_CASE("layers and kinds that do not fit are refused", "[encodings][layered]") {
  const std::string kinds = "kinds: {rope: {scheme: rope}, nope: {scheme: none}}\n";
  CHECK(error_of("layers: [rope, nope]\n" + kinds).empty());
  CHECK(error_of("layers: [rope, rope, nope]\n" + kinds) ==
        "position.yaml:2:9: layers: found 3 words for 4 layers; allowed: as many as there are layers, or a divisor of "
        "that, "
        "repeated");
  CHECK(error_of("layers: [rope, nop]\n" + kinds) ==
        "position.yaml:2:9: layers: found 'nop'; allowed: rope, nope; did you mean 'nope'?");
  CHECK(error_of("layers: [rope]\n" + kinds) ==
        "position.yaml:3:37: kinds.nope: found a kind that no layer has; allowed: names in layers");
  CHECK_THAT(error_of(kinds), ContainsSubstring("layers: found nothing; allowed: a list of rope, nope"));
  CHECK_THAT(error_of("layers: [rope]\n"), ContainsSubstring("kinds: found nothing; allowed: a position block"));
  CHECK(error_of("layers: [in]\nkinds: {in: {scheme: sinusoidal}}\n") ==
        "position.yaml:3:22: kinds.in.scheme: found 'sinusoidal', which changes the embeddings, and all layers "
        "share those; allowed: schemes that act in attention");
  CHECK_THAT(error_of("layers: [x]\nkinds: {x: {scheme: layered}}\n"),
             ContainsSubstring("kinds.x.scheme: found 'layered'; allowed: alibi, ") && !ContainsSubstring("layered,"));
  CHECK_THAT(error_of("layers: [a.b]\nkinds: {a.b: {scheme: rope}}\n"),
             ContainsSubstring("found the name 'a.b'; allowed: letters, digits, '_' and '-'"));
  CHECK_THAT(error_of("layers: [a]\nkinds: {a: {scheme: rope, rope_tetha: 5}}\n"),
             ContainsSubstring("position.yaml:3:27: kinds.a.rope_tetha: found an unknown key"));
}

}  // namespace lw::encoding_test
