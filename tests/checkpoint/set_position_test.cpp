// One loaded model under one position section after another: what reading it again under that section gives.
#include "harness/base/tree.h"
#include "harness/model/transformer.h"
#include "tests/checkpoint/fixtures.h"

using namespace lw;
using namespace lw::checkpoint_test;

namespace {

PositionSetting section(const Checkpoint& checkpoint, const std::string& yaml, int64_t train_length = 0) {
  return position_on(checkpoint, parse_yaml("{" + yaml + "}", "section"), train_length);
}

PositionSetting own_position(const Checkpoint& checkpoint) {
  return position_on(checkpoint, checkpoint.model.position);
}

at::Tensor logits_of(Transformer& model, int64_t length) {
  at::NoGradGuard no_grad;
  const auto tokens_1T = fixtures().tokens_T.repeat({2}).narrow(0, 0, length).unsqueeze(0);
  return model.logits(model.hidden(tokens_1T, at::arange(length, at::kLong).unsqueeze(0)));
}

}  // namespace

TEST_CASE("a model moves from scheme to scheme and back with the tensors of its own", "[families]") {
  for (const char* name : {"gpt2", "llama", "bloom"}) {
    INFO(name);
    const Checkpoint checkpoint = open_case(fixtures().named(name));
    const auto model = load_transformer(checkpoint);
    const auto own = logits_of(*model, 12);
    const std::vector<std::string> sections = {
        "scheme: rope, rope_theta: 500", "scheme: none", "scheme: rope, scaling: {rope_type: linear, factor: 2}",
        "scheme: learned, positions: 40, extension: tile, extended_positions: 80"};
    for (const auto& yaml : sections) {
      if (yaml.find("learned") != std::string::npos && std::string(name) != "gpt2") continue;
      INFO(yaml);
      const PositionSetting position = section(checkpoint, yaml);
      set_position(*model, checkpoint, position);
      const int64_t length = yaml.find("extended") != std::string::npos ? 60 : 12;
      const auto here = logits_of(*model, length);
      CHECK(at::equal(here, logits_of(*load_transformer(checkpoint, nullptr, &position), length)));
      if (length == 12) CHECK_FALSE(at::allclose(here, own));
    }
    set_position(*model, checkpoint, own_position(checkpoint));
    CHECK(at::equal(logits_of(*model, 12), own));
  }
}

TEST_CASE("a scheme that is put on is of the model's type and counts from the length that is stated", "[families]") {
  const Checkpoint checkpoint = open_case(fixtures().named("gpt2"));
  const auto model = load_transformer(checkpoint);
  model->to(at::kDouble);
  set_position(*model, checkpoint, section(checkpoint, "scheme: rope, scaling: {rope_type: dynamic, factor: 2}", 20));
  const PositionSetting same = section(
      checkpoint, "scheme: rope, scaling: {rope_type: dynamic, factor: 2, original_max_position_embeddings: 20}");
  const auto stated = load_transformer(checkpoint, nullptr, &same);
  stated->to(at::kDouble);
  CHECK(at::equal(logits_of(*model, 40), logits_of(*stated, 40)));
  set_position(*model, checkpoint, own_position(checkpoint));
  for (const auto& parameter : model->parameters()) CHECK(parameter.scalar_type() == at::kDouble);
}

TEST_CASE("a table of another size than the checkpoint's is refused", "[families]") {
  const Checkpoint checkpoint = open_case(fixtures().named("gpt2"));
  const auto model = load_transformer(checkpoint);
  const auto own = logits_of(*model, 12);
  CHECK_THROWS_WITH(set_position(*model, checkpoint, section(checkpoint, "scheme: learned, positions: 32")),
                    Catch::Matchers::ContainsSubstring("this model needs [32, ") &&
                        Catch::Matchers::ContainsSubstring("for position.table"));
  CHECK(at::equal(logits_of(*model, 12), own));
  CHECK_THROWS_WITH(set_position(*model, checkpoint, section(checkpoint, "scheme: shaw")),
                    Catch::Matchers::ContainsSubstring("position.scheme: found shaw, whose learned parameters (keys"));
  CHECK(at::equal(logits_of(*model, 12), own));
  const Checkpoint two = open_case(fixtures().named("t5"));
  CHECK_THROWS_WITH(set_position(*model, two, section(two, "scheme: none")),
                    Catch::Matchers::ContainsSubstring("an encoder-decoder; allowed: models of one stack"));
}
