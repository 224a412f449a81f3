// A position section as a value: read once, built any number of times, and what weights are trained under.
#include "encodings/position_setting.h"

#include "encodings/position_sampler.h"
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

PositionSetting setting(const std::string& yaml, const ModelShape& shape = small_shape()) {
  return PositionSetting::parse(parse_yaml(yaml, "position.yaml"), shape);
}

std::string trained(const std::string& yaml) { return to_yaml(setting(yaml).trained().resolved()); }

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("every setting is read once and built from its value, each time a new module", "[encodings]") {
  for (const auto& s : all_settings()) {
    INFO(s.name);
    const int64_t before = encodings_read();
    const PositionSetting position = setting(s.yaml);
    CHECK(encodings_read() == before + 1);
    const auto first = position.build(), second = position.build();
    CHECK(encodings_read() == before + 1);
    CHECK(first != second);
    const auto facts = first->facts(40), again = second->facts(40);
    REQUIRE(facts.size() == again.size());
    for (size_t i = 0; i < facts.size(); ++i) CHECK(facts[i].numbers == again[i].numbers);
    const auto mine = first->named_parameters(), others = second->named_parameters();
    REQUIRE(mine.size() == others.size());
    for (const auto& item : mine) CHECK_FALSE(others[item.key()].is_same(item.value()));
  }
}

TEST_CASE("a setting that adds nothing is the one that weights are trained under", "[encodings]") {
  for (const char* yaml : {"scheme: rope", "scheme: alibi", "{scheme: learned, positions: 64}",
                           "{scheme: rope, scaling: {rope_type: default}}",
                           "{scheme: rope, partial_rotary_factor: 0.5, scaling: {rope_type: proportional, factor: 2}}",
                           "{scheme: none, query_temperature: {kind: scalable_softmax}}",
                           "{scheme: rope, randomized: {max_position: 64}}"}) {
    INFO(yaml);
    const PositionSetting position = setting(yaml);
    const int64_t before = encodings_read();
    CHECK(&position.trained() == &position);
    CHECK(position.added_after_training().empty());
    CHECK(encodings_read() == before);
  }
}

TEST_CASE("what is put on after training is said by the options that put it on", "[encodings]") {
  const auto added = [](const std::string& yaml) { return setting(yaml).added_after_training(); };
  CHECK(added("{scheme: rope, scaling: {rope_type: linear, factor: 8}}") == Words{"linear x8"});
  CHECK(added("{scheme: rope, scaling: {rope_type: ntk, alpha: 2}}") == Words{"ntk x2"});
  CHECK(added("{scheme: rope, scaling: {type: yarn, factor: 2.5}}") == Words{"yarn x2.5"});
  CHECK(added("{scheme: rope, scaling: {rope_type: by_parts_turns, max_position_embeddings: 64}}") ==
        Words{"by_parts_turns"});
  CHECK(added("{scheme: rope, scaling: {rope_type: composed, first: {rope_type: linear, factor: 2}, then: {rope_type: "
              "yarn, factor: 4}}}") == Words{"composed"});
  CHECK(added("{scheme: rerope, window: 4, scaling: {rope_type: yarn, factor: 4}, query_temperature: {kind: log_n}}") ==
        Words{"rerope on rope", "yarn x4", "log_n temperature"});
  CHECK(added("{scheme: learned, extension: divide, factor: 3}") == Words{"divide to 46"});
  CHECK(added("{scheme: layered, layers: [b, a], kinds: {b: {scheme: dca, chunk_size: 8, local_window: 3}, a: {scheme: "
              "none, query_temperature: {kind: mistral4}}}}") == Words{"a mistral4 temperature", "b dca on rope"});
}

TEST_CASE("the trained section is that of the same setting without additions", "[encodings]") {
  const std::string plain = trained("scheme: rope");
  CHECK(plain == to_yaml(setting("scheme: rope").resolved()));
  for (const char* yaml :
       {"{scheme: rope, scaling: {rope_type: llama3, factor: 8}}", "{scheme: dca, chunk_size: 8, local_window: 3}",
        "{scheme: streaming, sinks: 2, window: 4, query_temperature: {kind: log_n}}",
        "{scheme: rope, scaling: {rope_theta: 10000, rope_type: dynamic, factor: 2, declared_length: 40}}"}) {
    INFO(yaml);
    CHECK(trained(yaml) == plain);
  }
  // A base inside a block for one type of layer is that type's own; proportional chooses the pairs that rotate at all.
  CHECK(trained("{scheme: rope, layer_types: [sliding_attention, full_attention], scaling: {sliding_attention: "
                "{rope_theta: 30}, full_attention: {rope_theta: 900, partial_rotary_factor: 0.5, rope_type: "
                "proportional, factor: 4}}}")
            .find("proportional") != std::string::npos);
  CHECK(trained("{scheme: rope, layer_types: [sliding_attention, full_attention], scaling: {sliding_attention: "
                "{rope_theta: 30}, full_attention: {rope_theta: 900, rope_type: yarn, factor: 4}}}")
            .find("rope_theta: 900") != std::string::npos);
  // The order of kinds in a file shapes nothing.
  CHECK(trained("{scheme: layered, layers: [a, b], kinds: {b: {scheme: none}, a: {scheme: rope}}}") ==
        trained("{scheme: layered, layers: [a, b], kinds: {a: {scheme: rope}, b: {scheme: none}}}"));
}

TEST_CASE("a setting knows its sampler, and moves to another shape", "[encodings]") {
  CHECK(setting("scheme: rope").sampler() == nullptr);
  const PositionSetting drawn = setting("{scheme: rope, randomized: {max_position: 64, evaluation: plain}}");
  REQUIRE(drawn.sampler() != nullptr);
  CHECK_FALSE(drawn.sampler()->drawn_in_evaluation());
  CHECK(drawn.trained().sampler()->drawn_in_evaluation());
  ModelShape wide = small_shape();
  wide.heads = 8;
  CHECK(setting("scheme: shaw").on(wide).shape().heads == 8);
  CHECK(PositionSetting::none(small_shape()).scheme() == "none");
}

}  // namespace lw::encoding_test
