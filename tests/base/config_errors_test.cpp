// Every way of writing a value wrongly, with the whole message that the user gets.
#include <vector>

#include "harness/base/config.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::config_errors_test {
namespace {

/// A config that uses every kind of key.
void read_everything(ConfigNode& c) {
  c.str("name", "run", "");
  c.integer("layers", 2, {1, 512}, "");
  c.integer("steps", 400, {.min = 0}, "");
  c.integer("shift", 0, {}, "");
  c.number("lr", 1e-3, {0, 10, true}, "");
  c.number("bar", 0.85, {0, 1}, "");
  c.number("base", 10000, {.min = 1, .above_min = true}, "");
  c.number("gain", 1, {.max = 2.5}, "");
  c.number("offset", 0, {}, "");
  c.flag("tied", true, "");
  c.choice("norm", {{"layernorm", ""}, {"rmsnorm", ""}}, "layernorm", "");
  c.integers("lengths", {16}, {2, 64}, "");
  c.numbers("depths", {0.5}, {0, 1}, "");
  c.words("formats", {}, "");
  ConfigNode model = c.map("model", "");
  if (c.has("model")) model.integer("width", {1, 65536}, "");
  ConfigNode gate = model.map("gate", "");
  gate.number("accuracy", 0.95, {0, 1}, "");
  for (auto& [name, suite] : c.named_maps("suites", "")) suite.integer("probes", 2, {2, 8}, "");
  ConfigNode position = c.map("position", "");
  position.variant("scheme", {{"rope", ""}, {"none", ""}, {"sinusoidal", ""}}, "none", "", [&](size_t i) {
    if (i == 0) position.number("rope_theta", 10000, {.min = 1, .above_min = true}, "");
    if (i == 2) position.number("scale", 1, {}, "");
  });
  c.finish();
}

std::string message(const std::string& text) {
  return test::error_of([&] {
    ConfigNode node = ConfigNode::parse(text, "c.yaml");
    read_everything(node);
  });
}

struct Bad {
  std::string text, message;
};

void check_all(const std::vector<Bad>& bad) {
  for (const auto& b : bad) {
    INFO(b.text);
    CHECK(message(b.text) == b.message);
  }
}

const std::string kLayers = "; allowed: a whole number from 1 to 512";
const std::string kLr = "; allowed: a number above 0 and up to 10";
const std::string kAllKeys =
    "; allowed: bar, base, depths, formats, gain, layers, lengths, lr, model, name, norm, offset, position, shift, "
    "steps, suites, tied";

}  // namespace

TEST_CASE("unknown keys are named, with those allowed there and the nearest", "[config]") {
  check_all({
      {"layrs: 2", "c.yaml:1:1: layrs: found an unknown key" + kAllKeys + "; did you mean 'layers'?"},
      {"name: a\nlenghts: [8]", "c.yaml:2:1: lenghts: found an unknown key" + kAllKeys + "; did you mean 'lengths'?"},
      {"Layers: 2", "c.yaml:1:1: Layers: found an unknown key" + kAllKeys + "; did you mean 'layers'?"},
      {"zzzzzzzz: 2", "c.yaml:1:1: zzzzzzzz: found an unknown key" + kAllKeys},
      {"model:\n  width: 4\n  widht: 8",
       "c.yaml:3:3: model.widht: found an unknown key; allowed: gate, width; did you mean 'width'?"},
      {"model: {width: 4, gate: {acuracy: 1}}",
       "c.yaml:1:26: model.gate.acuracy: found an unknown key; allowed: accuracy; did you mean 'accuracy'?"},
      {"suites:\n  mine: {probs: 4}",
       "c.yaml:2:10: suites.mine.probs: found an unknown key; allowed: probes; did you mean 'probes'?"},
  });
}

TEST_CASE("an option of another variant is unknown", "[config]") {
  check_all({
      {"position: {scheme: none, rope_theta: 10000}",
       "c.yaml:1:26: position.rope_theta: found an unknown key; allowed: scheme"},
      {"position: {scheme: sinusoidal, rope_theta: 10000}",
       "c.yaml:1:32: position.rope_theta: found an unknown key; allowed: scale, scheme"},
      {"position: {scheme: ropes}",
       "c.yaml:1:20: position.scheme: found 'ropes'; allowed: rope, none, sinusoidal; did you mean 'rope'?"},
      {"position: {scheme: [rope]}", "c.yaml:1:20: position.scheme: found a list; allowed: rope, none, sinusoidal"},
      {"position: {scheme: sinusodial}",
       "c.yaml:1:20: position.scheme: found 'sinusodial'; allowed: rope, none, sinusoidal; did you mean 'sinusoidal'?"},
  });
}

TEST_CASE("whole numbers", "[config]") {
  check_all({
      {"layers: two", "c.yaml:1:9: layers: found 'two'" + kLayers},
      {"layers: '2'", "c.yaml:1:9: layers: found the text \"2\"" + kLayers},
      {"layers: \"2\"", "c.yaml:1:9: layers: found the text \"2\"" + kLayers},
      {"layers: 2.0", "c.yaml:1:9: layers: found '2.0'" + kLayers},
      {"layers: 2.5", "c.yaml:1:9: layers: found '2.5'" + kLayers},
      {"layers: 1e2", "c.yaml:1:9: layers: found '1e2'" + kLayers},
      {"layers: 010", "c.yaml:1:9: layers: found '010'" + kLayers},
      {"layers: 0x10", "c.yaml:1:9: layers: found '0x10'" + kLayers},
      {"layers: 0o17", "c.yaml:1:9: layers: found '0o17'" + kLayers},
      {"layers: 1_000", "c.yaml:1:9: layers: found '1_000'" + kLayers},
      {"layers: 1,000", "c.yaml:1:9: layers: found '1,000'" + kLayers},
      {"layers: true", "c.yaml:1:9: layers: found 'true'" + kLayers},
      {"layers: 0", "c.yaml:1:9: layers: found '0'" + kLayers},
      {"layers: 513", "c.yaml:1:9: layers: found '513'" + kLayers},
      {"layers: -1", "c.yaml:1:9: layers: found '-1'" + kLayers},
      {"layers: 99999999999999999999", "c.yaml:1:9: layers: found '99999999999999999999'" + kLayers},
      {"layers: [2]", "c.yaml:1:9: layers: found a list" + kLayers},
      {"layers: {a: 2}", "c.yaml:1:9: layers: found a mapping" + kLayers},
      {"steps: -5", "c.yaml:1:8: steps: found '-5'; allowed: a whole number, 0 or more"},
      {"shift: x", "c.yaml:1:8: shift: found 'x'; allowed: a whole number"},
      {"model: {}", "c.yaml:1:8: model.width: found nothing; allowed: a whole number from 1 to 65536"},
      {"model:\n  gate: {}", "c.yaml:2:3: model.width: found nothing; allowed: a whole number from 1 to 65536"},
  });
}

TEST_CASE("numbers", "[config]") {
  check_all({
      {"lr: fast", "c.yaml:1:5: lr: found 'fast'" + kLr},
      {"lr: '0.1'", "c.yaml:1:5: lr: found the text \"0.1\"" + kLr},
      {"lr: 0", "c.yaml:1:5: lr: found '0'" + kLr},
      {"lr: -0.0", "c.yaml:1:5: lr: found '-0.0'" + kLr},
      {"lr: 10.5", "c.yaml:1:5: lr: found '10.5'" + kLr},
      {"lr: .nan", "c.yaml:1:5: lr: found '.nan'" + kLr},
      {"lr: nan", "c.yaml:1:5: lr: found 'nan'" + kLr},
      {"lr: .inf", "c.yaml:1:5: lr: found '.inf'" + kLr},
      {"lr: 1e999", "c.yaml:1:5: lr: found '1e999'" + kLr},
      {"lr: 0x1p3", "c.yaml:1:5: lr: found '0x1p3'" + kLr},
      {"lr: +-1", "c.yaml:1:5: lr: found '+-1'" + kLr},
      {"bar: 1.01", "c.yaml:1:6: bar: found '1.01'; allowed: a number from 0 to 1"},
      {"bar: -0.01", "c.yaml:1:6: bar: found '-0.01'; allowed: a number from 0 to 1"},
      {"base: 1", "c.yaml:1:7: base: found '1'; allowed: a number above 1"},
      {"gain: 3", "c.yaml:1:7: gain: found '3'; allowed: a number, 2.5 or less"},
      {"offset: .inf", "c.yaml:1:9: offset: found '.inf'; allowed: a number"},
  });
}

TEST_CASE("words, flags and choices", "[config]") {
  const std::string flag = "; allowed: true or false", norm = "; allowed: layernorm, rmsnorm";
  check_all({
      {"tied: yes", "c.yaml:1:7: tied: found 'yes'" + flag},
      {"tied: True", "c.yaml:1:7: tied: found 'True'" + flag},
      {"tied: on", "c.yaml:1:7: tied: found 'on'" + flag},
      {"tied: 1", "c.yaml:1:7: tied: found '1'" + flag},
      {"tied: 'true'", "c.yaml:1:7: tied: found the text \"true\"" + flag},
      {"tied: [true]", "c.yaml:1:7: tied: found a list" + flag},
      {"norm: rmsnrom", "c.yaml:1:7: norm: found 'rmsnrom'" + norm + "; did you mean 'rmsnorm'?"},
      {"norm: LayerNorm", "c.yaml:1:7: norm: found 'LayerNorm'" + norm + "; did you mean 'layernorm'?"},
      {"norm: 7", "c.yaml:1:7: norm: found '7'" + norm},
      {"name: [a]", "c.yaml:1:7: name: found a list; allowed: a text"},
      {"name: {a: b}", "c.yaml:1:7: name: found a mapping; allowed: a text"},
  });
}

TEST_CASE("lists and mappings", "[config]") {
  const std::string lengths = "; allowed: a list, each entry a whole number from 2 to 64";
  check_all({
      {"lengths: 16", "c.yaml:1:10: lengths: found '16'" + lengths},
      {"lengths: {a: 16}", "c.yaml:1:10: lengths: found a mapping" + lengths},
      {"lengths: [8, 1]", "c.yaml:1:14: lengths: found '1' in the list" + lengths},
      {"lengths: [8, 65]", "c.yaml:1:14: lengths: found '65' in the list" + lengths},
      {"lengths: [8, '9']", "c.yaml:1:14: lengths: found the text \"9\" in the list" + lengths},
      {"lengths: [8, 9.5]", "c.yaml:1:14: lengths: found '9.5' in the list" + lengths},
      {"lengths:\n  - 8\n  - x", "c.yaml:3:5: lengths: found 'x' in the list" + lengths},
      {"lengths: [8, [9]]", "c.yaml:1:14: lengths: found a list in the list" + lengths},
      {"lengths: [8, ~]", "c.yaml:1:14: lengths: found nothing in the list" + lengths},
      {"depths: [0, 1.5]",
       "c.yaml:1:13: depths: found '1.5' in the list; allowed: a list, each entry a number from 0 to 1"},
      {"formats: md", "c.yaml:1:10: formats: found 'md'; allowed: a list of words"},
      {"formats: [md, [html]]", "c.yaml:1:15: formats: found a list in the list; allowed: a list of words"},
      {"model: 3", "c.yaml:1:8: model: found '3'; allowed: a mapping of keys"},
      {"model: [1]", "c.yaml:1:8: model: found a list; allowed: a mapping of keys"},
      {"suites: [a]", "c.yaml:1:9: suites: found a list; allowed: a mapping of names to mappings"},
      {"suites: {a: 3}", "c.yaml:1:13: suites.a: found '3'; allowed: a mapping of keys"},
      {"suites: {a: {probes: 9}}", "c.yaml:1:22: suites.a.probes: found '9'; allowed: a whole number from 2 to 8"},
      {"[1, 2]", "c.yaml:1:1: found a list; allowed: a mapping of keys"},
      {"just text", "c.yaml:1:1: found 'just text'; allowed: a mapping of keys"},
  });
}

TEST_CASE("a place is that of the value, also after merging and --set", "[config]") {
  Tree tree = merge(parse_yaml("layers: 2\nlr: 1\n", "base.yaml"), parse_yaml("\n\nlr: 11\n", "over.yaml"));
  CHECK(test::error_of([&] {
          ConfigNode node(tree);
          read_everything(node);
        }) == "over.yaml:3:5: lr: found '11'" + kLr);
  apply_set(tree, "lr=2", SchemaNode{});
  apply_set(tree, "model.width=many", SchemaNode{});
  CHECK(test::error_of([&] {
          ConfigNode node(tree);
          read_everything(node);
        }) == "--set model.width:1:1: model.width: found 'many'; allowed: a whole number from 1 to 65536");
}

TEST_CASE("what is allowed is accepted", "[config]") {
  for (const char* text : {"",
                           "{}",
                           "layers: 1",
                           "layers: 512",
                           "layers: +3",
                           "lr: 10",
                           "lr: 1e-300",
                           "bar: 0",
                           "bar: 1",
                           "base: 1.0001",
                           "gain: 2.5",
                           "offset: -1e300",
                           "tied: false",
                           "norm: 'rmsnorm'",
                           "lengths: []",
                           "lengths: [2, 64]",
                           "name: 3",
                           "name: ''",
                           "model:",
                           "suites: {a: , b: {probes: 2}}",
                           "position: {scheme: rope, rope_theta: 2}",
                           "layers:\nlr:\n"}) {
    INFO(text);
    CHECK(message(text).empty());
  }
}

}  // namespace lw::config_errors_test
