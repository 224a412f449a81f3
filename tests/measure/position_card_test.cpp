#include "harness/measure/position_card.h"

#include <nlohmann/json.hpp>

#include "tests/model/support.h"

namespace lw::model_test {
namespace {
using Json = nlohmann::ordered_json;

Json card_of(const std::string& position, bool causal = true) {
  const ModelConfig c = small_config(causal);
  return to_json(position_card("x", c.shape(16), {}, [&] { return encoding_of(position, c); }));
}

}  // namespace

TEST_CASE("every encoding has the properties that it declares", "[card]") {
  for (const bool causal : {true, false}) {
    for (const auto& position : all_positions(causal)) {
      INFO(position << (causal ? " decoder" : " encoder"));
      const Json card = card_of(position, causal);
      CHECK(card_disagreements(position_card_from_json(card, position)) == std::vector<std::string>{});
      // As text: an infinite wavelength is written as null.
      CHECK(to_json(position_card_from_json(card, position)).dump() == card.dump());
      CHECK(card.contains("input_touched"));
      for (const auto& check : card["checks"])
        for (const char* key : {"name", "claim", "holds", "value", "detail"}) CHECK(check.contains(key));
      CHECK(card.contains("cache_valid") == causal);
    }
  }
}

TEST_CASE("the card says where position enters, as measured", "[card]") {
  using Names = std::vector<std::string>;
  CHECK(card_of("scheme: none")["applies_to"].get<Names>() == Names{});
  CHECK(card_of("scheme: sinusoidal")["applies_to"].get<Names>() == Names{"input"});
  CHECK(card_of("scheme: learned")["applies_to"].get<Names>() == Names{"input"});
  CHECK(card_of("scheme: rope")["applies_to"].get<Names>() == Names{"query", "key"});
  CHECK(card_of("scheme: t5")["applies_to"].get<Names>() == Names{"logits"});
  CHECK(card_of("scheme: alibi")["applies_to"].get<Names>() == Names{"logits"});
  CHECK(card_of("scheme: shaw")["applies_to"].get<Names>() == Names{"logits", "value"});
  CHECK(card_of("{scheme: shaw, values: false}")["applies_to"].get<Names>() == Names{"logits"});
}

TEST_CASE("the card measures what breaks: shifts move absolute schemes, growth moves dynamic keys", "[card]") {
  CHECK(card_of("scheme: sinusoidal")["shift_invariant"]["measured"] == false);
  CHECK(card_of("scheme: learned")["shift_invariant"]["measured"] == false);
  CHECK(card_of("scheme: rope")["shift_invariant"]["measured"] == true);
  const Json dynamic = card_of("{scheme: rope, scaling: {rope_type: dynamic, factor: 2}}");
  CHECK(dynamic["cache_valid"]["measured"] == false);
  CHECK(dynamic["cache"] == "none");
  CHECK(card_of("{scheme: rope, scaling: {rope_type: yarn, factor: 2}}")["cache_valid"]["measured"] == true);
}

TEST_CASE("a wrong declaration is seen", "[card]") {
  class Liar final : public PositionEncoding {
   public:
    at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ) override {
      return x_BQD + 0.1 * pos_BQ.unsqueeze(-1);
    }
    bool shift_invariant() const override { return true; }
    bool touches_values() const override { return true; }
  };
  const PositionCard card =
      position_card("liar", small_config().shape(16), {}, [] { return std::make_shared<Liar>(); });
  CHECK(card_disagreements(card) == std::vector<std::string>{"shift_invariant", "input_touched", "value_touched"});
}

TEST_CASE("a cache that is declared wrong is seen, whichever way", "[card]") {
  // Keys change with the query that looks at them, so a key that was turned on arrival is wrong later.
  class Turns final : public PositionEncoding {
   public:
    explicit Turns(KeyCache declared) : declared_(declared) {}
    at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at) override {
      return k_BHKE * (1 + 0.1 * at.query_pos_BQ.max().to(at::kDouble));
    }
    KeyCache key_cache() const override { return declared_; }
    bool shift_invariant() const override { return true; }

   private:
    KeyCache declared_;
  };
  ModelShape shape = small_config().shape(16);
  const auto cache_valid = [&](KeyCache declared) {
    const PositionCard card =
        position_card("turns", shape, {0, 0, false}, [&] { return std::make_shared<Turns>(declared); });
    return std::pair{card.cache_valid->declared, *card.cache_valid->measured};
  };
  CHECK(cache_valid(KeyCache::kRotated) == std::pair{true, false});
  CHECK(cache_valid(KeyCache::kNone) == std::pair{false, false});
}

TEST_CASE("pairs that never complete a rotation are one fact, for both lengths", "[card]") {
  const ModelConfig c = small_config();
  const PositionCard card =
      position_card("rope", c.shape(16), {0, 64, false}, [&] { return encoding_of("scheme: rope", c); });
  REQUIRE(card.unfinished);
  CHECK(*card.unfinished == UnfinishedPairs{16, {1, 2, 3}, 64, {2, 3}});  // wavelengths 6.3, 63, 628, 6283
  for (const auto& fact : card.facts) CHECK(fact.name.find("turn") == std::string::npos);
}

TEST_CASE("a list of one number is a list, and whole numbers are whole", "[card]") {
  const ModelConfig c = small_config();
  const PositionCard card = position_card("rope", c.shape(16), {0, 0, false}, [&] {
    return encoding_of("{scheme: rope, partial_rotary_factor: 0.25}", c);
  });
  const Json json = to_json(card);
  CHECK(json["rotary_dim"].dump() == "2");
  CHECK(json["inv_freq"].dump() == "[1]");
  REQUIRE(json["wavelengths"].is_array());
  CHECK(json["wavelengths"].size() == 1);
  CHECK(json["unfinished_pairs"].is_array());
  CHECK(to_json(position_card_from_json(json, "x")).dump() == json.dump());
}

TEST_CASE("the card holds what reproduces a RoPE setting, at the length that is asked", "[card]") {
  const ModelConfig c = small_config();
  const auto at_length = [&](int64_t length) {
    return to_json(position_card("rope", c.shape(16), {length, 0, false}, [&] {
      return encoding_of("{scheme: rope, scaling: {rope_type: dynamic, factor: 2}}", c);
    }));
  };
  const Json inside = at_length(16), beyond = at_length(64);
  CHECK(inside["rope_theta"] == 10000.0);
  CHECK(inside["rotary_dim"] == 8.0);
  CHECK(inside["layout"] == "half");
  CHECK(inside["scaling"] == "dynamic");
  CHECK(inside["inv_freq"].size() == 4);
  CHECK(inside["inv_freq"][1].get<double>() == Catch::Approx(0.1).epsilon(1e-12));
  CHECK(beyond["inv_freq"][1].get<double>() < 0.1);
}

}  // namespace lw::model_test
