// What is put on after training shares weights with what it is put on; what shapes weights does not.
#include <nlohmann/json.hpp>
#include <set>

#include "encodings/position_setting.h"
#include "encodings/registry.h"
#include "harness/experiment/experiment.h"
#include "harness/measure/position_card.h"
#include "harness/measure/setting_card.h"
#include "harness/run/work.h"
#include "tests/catch_torch.h"
#include "tests/encodings/settings.h"
#include "tests/support.h"

namespace lw::added_positions_test {
namespace {

using Catch::Matchers::ContainsSubstring;

Experiment experiment(const std::string& position, const std::vector<std::string>& sets = {}) {
  Tree tree = parse_yaml(
      "name: t\nmodel: {layers: 4}\ntrain: {steps: 3}\nsuites: {order_swap: {}}\nposition: " + position + "\n",
      "c.yaml");
  for (const auto& set : sets) apply_set(tree, set, config_shape());
  return read_experiment(tree);
}

std::set<std::string> weights(const std::string& position, const std::vector<std::string>& sets = {}) {
  const Experiment e = experiment(position, sets);
  std::set<std::string> keys;
  const Work work = plan_work(e, 0);
  for (const auto& w : work.weights) keys.insert(w.key);
  return keys;
}

std::set<std::string> scored(const std::string& position) {
  const Experiment e = experiment(position);
  std::set<std::string> keys;
  const Work work = plan_work(e, 0);
  for (const auto& job : work.evals) keys.insert(job.keys.begin(), job.keys.end());
  return keys;
}

std::string scaling_of(const std::string& position) { return experiment(position).variants.front().scaling(); }

struct Pair {
  std::string plain, extended, words;
};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {"{scheme: rope}", "{scheme: rope, scaling: {rope_type: linear, factor: 8}}", "linear x8"},
      {"{scheme: rope, rope_theta: 500}", "{scheme: rope, scaling: {rope_type: ntk, alpha: 2, rope_theta: 500}}",
       "ntk x2"},
      {"{scheme: rope}", "{scheme: rope, query_temperature: {kind: log_n}}", "log_n temperature"},
      {"{scheme: alibi}", "{scheme: alibi, query_temperature: {kind: llama4}}", "llama4 temperature"},
      {"{scheme: learned}", "{scheme: learned, extension: tile, extended_positions: 99}", "tile to 99"},
      {"{scheme: learned}", "{scheme: learned, extension: divide, factor: 3}", "divide to 94"},
      {"{scheme: learned}", "{scheme: learned, extension: interpolate_corners, extended_positions: 64}",
       "interpolate_corners to 64"},
      {"{scheme: rope, randomized: {max_position: 64}}",
       "{scheme: rope, randomized: {max_position: 64, evaluation: plain}}", "plain positions"},
      {"{scheme: rope, layer_types: [sliding_attention, full_attention], scaling: {full_attention: {rope_theta: 900}, "
       "sliding_attention: {rope_theta: 30}}}",
       "{scheme: rope, layer_types: [sliding_attention, full_attention], scaling: {sliding_attention: {rope_theta: "
       "30}, full_attention: {rope_theta: 900, rope_type: yarn, factor: 4}}}",
       "full_attention yarn x4"},
      {"{scheme: rope, layer_types: [sliding_attention, full_attention], rope_local_base_freq: 30}",
       "{scheme: rope, layer_types: [sliding_attention, full_attention], rope_local_base_freq: 30, scaling: "
       "{rope_type: linear, factor: 2}}",
       "linear x2"},
      {"{scheme: layered, layers: [a, b], kinds: {a: {scheme: rope}, b: {scheme: none}}}",
       "{scheme: layered, layers: [a, b], kinds: {b: {scheme: none, query_temperature: {kind: mistral4}}, a: {scheme: "
       "rope, scaling: {rope_type: linear, factor: 2}}}}",
       "a linear x2, b mistral4 temperature"}};
  return all;
}

}  // namespace

TEST_CASE("what extends a trained model shares its weights, unless it is in force in training", "[app]") {
  for (const auto& p : pairs()) {
    INFO(p.extended);
    CHECK(weights(p.plain) == weights(p.extended));
    CHECK(scored(p.plain) != scored(p.extended));
    CHECK(scaling_of(p.plain) == "none");
    CHECK(scaling_of(p.extended) == p.words);
    CHECK(weights(p.plain, {"train.with_scaling=true"}) != weights(p.extended, {"train.with_scaling=true"}));
  }
}

TEST_CASE("what shapes weights has weights of its own", "[app]") {
  const auto plain = weights("{scheme: rope}");
  for (const char* other :
       {"{scheme: rope, query_temperature: {kind: scalable_softmax}}", "{scheme: rope, randomized: {max_position: 64}}",
        "{scheme: rope, no_rope_layer_interval: 2}", "{scheme: rope, rope_theta: 500}",
        "{scheme: layered, layers: [a], kinds: {a: {scheme: rope}}}",
        "{scheme: rope, layer_types: [sliding_attention, full_attention], rope_local_base_freq: 30}"}) {
    INFO(other);
    CHECK(weights(other) != plain);
    CHECK(scaling_of(other) == "none");
  }
  CHECK(weights("{scheme: rope, randomized: {max_position: 64}}") !=
        weights("{scheme: rope, randomized: {max_position: 64, seed: 1}}"));
  CHECK(weights("{scheme: learned}") != weights("{scheme: learned, positions: 64}"));
}

TEST_CASE("schemes that are put on another one share its weights", "[app]") {
  for (const auto* info : encodings()) {
    if (info->trained_as.empty()) continue;
    const std::string name(info->name);
    INFO(name);
    const auto options = encoding_test::required_options().find(name);
    const std::string more = options == encoding_test::required_options().end() ? "" : options->second;
    const Tree section = parse_yaml("scheme: " + name + "\n" + more, "s.yaml");
    Tree config = parse_yaml("{name: t, suites: {order_swap: {}}}", "c.yaml");
    config.set("position", section);
    const Experiment e = read_experiment(config);
    const Variant& v = e.variants.front();
    const Tree& trained = v.position.trained().resolved();
    CHECK(trained.text_of("scheme") == info->trained_as);
    config.set("position", parse_yaml("scheme: " + std::string(info->trained_as), "s.yaml"));
    CHECK(to_yaml(trained) == to_yaml(read_experiment(config).variants.front().position.resolved()));
    CHECK_THAT(v.scaling(), ContainsSubstring(name + " on " + std::string(info->trained_as)));
  }
  CHECK(encodings().size() > 1);
}

TEST_CASE("a trained section reads back to itself", "[app]") {
  for (const auto& p : pairs()) {
    INFO(p.extended);
    const Experiment e = experiment(p.extended);
    const Variant& v = e.variants.front();
    const PositionSetting& trained = v.position.trained();
    const PositionSetting again = PositionSetting::parse(trained.resolved(), v.shape());
    CHECK(to_yaml(again.resolved()) == to_yaml(trained.resolved()));
    CHECK(to_yaml(again.trained().resolved()) == to_yaml(trained.resolved()));
    CHECK(trained.added_after_training().empty());
    CHECK_NOTHROW(v.position.build());
    CHECK_NOTHROW(trained.build());
  }
}

TEST_CASE("positions reach as far as training and draws need them", "[app]") {
  const auto error = [](const std::string& position) { return test::error_of([&] { experiment(position); }); };
  CHECK_THAT(error("{scheme: learned, positions: 8, extension: tile, extended_positions: 64}"),
             ContainsSubstring("position.positions: found 8; allowed: the training length or more (32)"));
  CHECK_THAT(error("{scheme: rope, randomized: {max_position: 31}}"),
             ContainsSubstring("c.yaml:5:53: position.randomized.max_position: found 31; allowed: the training length "
                               "or more (32)"));
  CHECK_THAT(error("{scheme: learned, randomized: {max_position: 64}}"),
             ContainsSubstring("position.randomized.max_position: found 64; allowed: up to 32, the positions that the "
                               "scheme has"));
  CHECK(error("{scheme: learned, positions: 64, randomized: {max_position: 64}}").empty());
  CHECK_THAT(error("{scheme: rope, randomised: {max_position: 64}}"), ContainsSubstring("did you mean 'randomized'?"));
}

TEST_CASE("the card says how tokens are numbered, and agrees with itself over any modifier", "[app][card]") {
  for (const auto& p : pairs()) {
    INFO(p.extended);
    const Experiment e = experiment(p.extended);
    const auto card = position_card_of(e.variants.front().position, 0, 0);
    CHECK(card_disagreements(card).empty());
    CHECK((card.position_numbering == "0, 1, 2, ...") == (p.extended.find("randomized") == std::string::npos));
  }
  const Experiment none = experiment("{scheme: none, query_temperature: {kind: llama4}}");
  const auto card = position_card_of(none.variants.front().position, 0, 0);
  CHECK(card.applies_to == std::vector<std::string>{"query"});
  CHECK(to_json(card)["query_temperature"] == "llama4");
}

}  // namespace lw::added_positions_test
