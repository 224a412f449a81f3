// The card measures past everything that a setting changes on the way, whatever its lengths, or says that it cannot.
#include "harness/base/error.h"
#include "harness/measure/position_card.h"
#include "tests/measure/random_settings.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

/// A scheme that declares the opposite of one of its properties.
class Lying final : public PositionEncoding {
 public:
  Lying(std::shared_ptr<PositionEncoding> inner, bool about_cache) : inner_(std::move(inner)), cache_(about_cache) {
    register_all_of(*inner_);
  }
  at::Tensor embed(const at::Tensor& x, const at::Tensor& pos) override { return inner_->embed(x, pos); }
  at::Tensor rotate_query(const at::Tensor& q, const Site& at) override { return inner_->rotate_query(q, at); }
  at::Tensor rotate_key(const at::Tensor& k, const Site& at) override { return inner_->rotate_key(k, at); }
  at::Tensor adjust_logits(const at::Tensor& logits, const at::Tensor& q, const at::Tensor& k,
                           const Site& at) override {
    return inner_->adjust_logits(logits, q, k, at);
  }
  at::Tensor adjust_output(const at::Tensor& out, const at::Tensor& weights, const Site& at) override {
    return inner_->adjust_output(out, weights, at);
  }
  KeyCache key_cache() const override {
    if (!cache_) return inner_->key_cache();
    return inner_->key_cache() == KeyCache::kNone ? KeyCache::kRotated : KeyCache::kNone;
  }
  std::vector<int64_t> layers_of_each_kind() const override { return inner_->layers_of_each_kind(); }
  std::optional<int64_t> max_positions() const override { return inner_->max_positions(); }
  int64_t changes_after() const override { return inner_->changes_after(); }
  bool shift_invariant() const override { return inner_->shift_invariant() == cache_; }
  bool touches_input() const override { return inner_->touches_input(); }
  bool touches_values() const override { return inner_->touches_values(); }
  void reset_parameters(Rng& rng) override { inner_->reset_parameters(rng); }

 private:
  std::shared_ptr<PositionEncoding> inner_;
  bool cache_;
};

PositionCard bare_card(const ModelShape& shape, const MakeEncoding& make) {
  return position_card("x", shape, {0, 0, false}, make);
}

struct Outcome {
  int64_t unreached = 0;  // properties that show farther out than was measured
  int64_t believed = 0;   // wrong declarations that were not noticed
};

/// Each of `count` random settings: what it declares is never denied; the opposite is, unless the card says how far one
/// would have to go.
Outcome check_random_settings(uint64_t seed, int64_t count) {
  RandomSettings settings(seed);
  Outcome out;
  for (int64_t done = 0, drawn = 0; done < count; ++drawn) {
    REQUIRE(drawn < 3 * count);  // most are good
    const std::string position = "{" + settings.next() + "}";
    const ModelShape shape = small_config().shape(settings.train_length());
    std::optional<PositionSetting> setting;
    try {
      setting = PositionSetting::parse(parse_yaml(position, "<random>"), shape);
    } catch (const Error& error) {
      REQUIRE(error.kind() == ErrorKind::kConfig);
      continue;
    }
    ++done;
    INFO(position << " trained to " << shape.train_length);
    const PositionCard card = bare_card(shape, [&] { return setting->build(); });
    CHECK(card_disagreements(card) == std::vector<std::string>{});
    each_property(card, [&](const char*, const CardProperty& p) { out.unreached += p.measured ? 0 : 1; });
    for (const bool about_cache : {false, true}) {
      const PositionCard lie = bare_card(shape, [&] { return std::make_shared<Lying>(setting->build(), about_cache); });
      const CardProperty& told = about_cache ? *lie.cache_valid : lie.shift_invariant;
      out.believed += told.disagrees() || told.shows_after ? 0 : 1;
    }
  }
  return out;
}

PositionCard card_trained_to(int64_t train_length, const std::string& position) {
  const ModelShape shape = small_config().shape(train_length);
  return bare_card(shape, [&] { return encoding_of(position, small_config(), train_length); });
}

}  // namespace

TEST_CASE("no right declaration is denied, and no wrong one is believed", "[card]") {
  const Outcome outcome = check_random_settings(1, 40);
  CHECK(outcome.unreached < 10);
  CHECK(outcome.believed == 0);
}

TEST_CASE("no right declaration is denied, in many settings", "[card][slow]") {
  const Outcome outcome = check_random_settings(2, 700);
  CHECK(outcome.unreached < 100);
  // 2 of 1,400: a group of 10 positions, or a list of factors that ends at once, hides the lie over the few positions
  // that the card looks at.
  CHECK(outcome.believed <= 2);
}

TEST_CASE("a switch beyond the training length is reached", "[card]") {
  for (const std::string position :
       {"{scheme: rope, scaling: {rope_type: dynamic, factor: 2, original_max_position_embeddings: 128}}",
        "{scheme: rope, scaling: {rope_type: dynamic_yarn, ratio: model_file, max_position_embeddings: 4096}}",
        "{scheme: rope, scaling: {rope_type: longrope, factor: 4, original_max_position_embeddings: 100000, "
        "short_factor: [1, 1, 1, 1], long_factor: [1, 2, 3, 4]}}"}) {
    INFO(position);
    const PositionCard card = card_trained_to(32, position);
    CHECK(card.cache_valid->declared == false);
    CHECK(card.cache_valid->measured == false);
  }
}

TEST_CASE("a length that a file declares too short changes no verdict", "[card]") {
  // Made for 512 tokens, and said to be trained to 128.
  const std::string block = "{scheme: rope, scaling: {original_max_position_embeddings: 512, rope_type: ";
  for (const std::string& position :
       {block + "dynamic, factor: 2}}", block + "dynamic_linear}}",
        block + "longrope, factor: 4, short_factor: [1, 1, 1, 1], long_factor: [1, 2, 3, 4]}}"})
    CHECK(card_trained_to(128, position).cache_valid->measured == false);
}

TEST_CASE("what cannot be reached is said, and accuses nobody", "[card]") {
  const PositionCard card = card_trained_to(
      32, "{scheme: rope, scaling: {rope_type: dynamic, factor: 2, original_max_position_embeddings: 1000000000000}}");
  REQUIRE(card.cache_valid);
  CHECK_FALSE(card.cache_valid->measured.has_value());
  CHECK(card.cache_valid->shows_after == 1000000000000);
  CHECK(card_disagreements(card) == std::vector<std::string>{});
  const PositionCard single = card_trained_to(1, "{scheme: learned, positions: 1}");
  CHECK_FALSE(single.shift_invariant.measured.has_value());
}

TEST_CASE("a method by length that changes no pair keeps its cache", "[card]") {
  const std::string block = "{scheme: rope, scaling: {rope_type: ";
  for (const std::string& position :
       {block + "longrope, factor: 4, short_factor: [1, 2, 3, 4], long_factor: [1, 2, 3, 4]}}",
        block + "dynamic_longrope, factor: 4, attention_factor: 1, long_factor: [1, 1, 1, 1]}}"}) {
    INFO(position);
    const PositionCard card = card_trained_to(32, position);
    CHECK(card.cache == "rotated");
    CHECK(card.cache_valid->measured == true);
  }
  CHECK(card_trained_to(32, block + "longrope, factor: 4, short_factor: [1, 2, 3, 4], long_factor: [1, 2, 3, 5]}}")
            .cache == "none");
}

}  // namespace lw::model_test
