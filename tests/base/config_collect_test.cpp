// All errors of a config at once: what is listed, in which order, and what is left out since it only follows.
#include "harness/base/config.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::config_collect_test {
namespace {

/// Two sections, the second of which rests on the first, as a position rests on the model.
void read_all(ConfigNode& c) {
  c.ignore("x-");
  c.section([&] {
    c.expect(!c.integers("seeds", {0}, {.min = 0}, "").empty(), "seeds", "found an empty list; allowed: one or more");
  });
  int64_t heads = 4;
  const bool sound = c.section([&] {
    ConfigNode model = c.map("model", "");
    heads = model.integer("heads", 4, {1, 64}, "");
    const int64_t width = model.integer("width", 64, {1, 4096}, "");
    model.expect(width % heads == 0, "width", "found no multiple of heads");
    model.flag("bias", true, "");
    model.words("tags", {}, "");
  });
  c.section(
      [&] {
        ConfigNode position = c.map("position", "");
        position.variant("scheme", {{"rope", ""}, {"alibi", ""}, {"learned", ""}}, "", "", [&](size_t i) {
          if (i == 0) {
            ConfigNode scaling = position.map("scaling", "");
            scaling.variant("rope_type", {{"default", ""}, {"linear", ""}}, "default", "", [&](size_t type) {
              if (type == 1) scaling.number("factor", {.min = 1.0}, "");
            });
            position.number("theta", 10000, {.min = 1}, "");
            position.require(heads < 32, "scheme", "found too many heads");
            position.flag("last", false, "");
          }
          if (i == 2) position.integer("positions", {.min = 1}, "");
        });
      },
      sound);
  for (auto& [name, suite] : c.named_maps("suites", ""))
    suite.section([&, &suite = suite] { suite.integer("probes", 2, {2, 8}, ""); });
}

const SchemaNode& shape() {
  static const SchemaNode whole = [] {
    ConfigNode c = ConfigNode::describing();
    read_all(c);
    return c.schema();
  }();
  return whole;
}

/// Every line, each behind "\n".
std::string errors(const std::string& text) {
  ConfigNode c = ConfigNode::parse(text, "c.yaml");
  c.collect();
  read_all(c);
  c.finish(shape());
  std::string out;
  for (const auto& problem : in_order(c.problems())) out += "\n" + problem.text();
  return out;
}

const std::string kTop = "allowed: model, position, seeds, suites";

}  // namespace

TEST_CASE("every wrong value of a config is listed", "[config]") {
  CHECK(errors("position: {scheme: alibi}").empty());
  CHECK(errors("seeds: [-1, 0, x]\nmodel: {heads: 0, bias: 3, tags: a}\nposition: {scheme: rope, theta: 0}\n"
               "suites: {a: {probes: 9}, b: 3}\n") ==
        "\nc.yaml:1:9: seeds: found '-1' in the list; allowed: a list, each entry a whole number, 0 or more"
        "\nc.yaml:1:16: seeds: found 'x' in the list; allowed: a list, each entry a whole number, 0 or more"
        "\nc.yaml:2:16: model.heads: found '0'; allowed: a whole number from 1 to 64"
        "\nc.yaml:2:25: model.bias: found '3'; allowed: true or false"
        "\nc.yaml:2:34: model.tags: found 'a'; allowed: a list of words"
        "\nc.yaml:3:33: position.theta: found '0'; allowed: a number, 1 or more"
        "\nc.yaml:4:22: suites.a.probes: found '9'; allowed: a whole number from 2 to 8"
        "\nc.yaml:4:29: suites.b: found '3'; allowed: a mapping of keys");
}

TEST_CASE("a misspelt key comes first, and what is missing for it is left out", "[config]") {
  CHECK(
      errors("seeds: [-1]\npositon: {scheme: rope}\n") ==
      "\nc.yaml:2:1: positon: found an unknown key; " + kTop +
          "; did you mean 'position'?\nc.yaml:1:9: seeds: found '-1' in the list; allowed: a list, each entry a whole "
          "number, 0 or more");
  CHECK(
      errors("position: {schem: rope, theta: 5}") ==
      "\nc.yaml:1:12: position.schem: found an unknown key; allowed: last, positions, scaling, scheme, theta; did you "
      "mean 'scheme'?");
  CHECK(errors("position: {scheme: rope, scaling: {rope_type: linear, fcator: 2}}") ==
        "\nc.yaml:1:55: position.scaling.fcator: found an unknown key; allowed: factor, rope_type; did you mean "
        "'factor'?");
  CHECK(errors("{x-a: {b: 1}, zzz: 1, position: {scheme: alibi}}") ==
        "\nc.yaml:1:15: zzz: found an unknown key; " + kTop);
}

TEST_CASE("options of a scheme whose name is misspelt are not unknown", "[config]") {
  CHECK(errors("position: {scheme: ropee, theta: 5, scaling: {rope_type: linear, factor: 2}}") ==
        "\nc.yaml:1:20: position.scheme: found 'ropee'; allowed: rope, alibi, learned; did you mean 'rope'?");
  CHECK(errors("position: {scheme: ropee, thetta: 5, scaling: {factr: 2}}") ==
        "\nc.yaml:1:27: position.thetta: found an unknown key; allowed: last, positions, scaling, scheme, theta; did "
        "you mean 'theta'?"
        "\nc.yaml:1:48: position.scaling.factr: found an unknown key; allowed: rope_type"
        "\nc.yaml:1:20: position.scheme: found 'ropee'; allowed: rope, alibi, learned; did you mean 'rope'?");
  CHECK(errors("position: {scheme: rope, scaling: {rope_type: linaer, factor: 2}}") ==
        "\nc.yaml:1:47: position.scaling.rope_type: found 'linaer'; allowed: default, linear; did you mean 'linear'?");
  CHECK(errors("position: {scheme: alibi, theta: 5}") ==
        "\nc.yaml:1:27: position.theta: found an unknown key; allowed: scheme; it goes with scheme rope");
}

TEST_CASE("a check that only follows from a refused value says nothing", "[config]") {
  CHECK(errors("model: {heads: 3}\nposition: {scheme: alibi}") ==
        "\nc.yaml:1:8: model.width: found no multiple of heads");
  CHECK(errors("model: {heads: 3, bias: x}\nposition: {scheme: alibi}") ==
        "\nc.yaml:1:8: model.width: found no multiple of heads\nc.yaml:1:25: model.bias: found 'x'; allowed: true or "
        "false");
  CHECK(errors("model: {heads: 48, width: 48}\nposition: {scheme: rope, lst: 1}") ==
        "\nc.yaml:2:26: position.lst: found an unknown key; allowed: last, scaling, scheme, theta; did you mean 'last'?"
        "\nc.yaml:2:20: position.scheme: found too many heads");
  CHECK(errors("model: {heads: 48, width: 4.5}\nposition: {scheme: rope}") ==
        "\nc.yaml:1:27: model.width: found '4.5'; allowed: a whole number from 1 to 4096");  // nor of the next section
  CHECK(errors("model: {heads: 48, width: 48}\nposition: {scheme: rope, theta: x}") ==
        "\nc.yaml:2:33: position.theta: found 'x'; allowed: a number, 1 or more");
}

TEST_CASE("nothing is missing in what is no mapping", "[config]") {
  CHECK(errors("position: rope") == "\nc.yaml:1:11: position: found 'rope'; allowed: a mapping of keys");
  CHECK(errors("{}") == "\nc.yaml:1:1: position.scheme: found nothing; allowed: rope, alibi, learned");
  CHECK(errors("position: {scheme: learned}") ==
        "\nc.yaml:1:11: position.positions: found nothing; allowed: a whole number, 1 or more");
}

TEST_CASE("a cursor that does not collect throws the first error, as one", "[config]") {
  ConfigNode c = ConfigNode::parse("{a: x, b: y}", "c.yaml");
  try {
    c.integer("a", 1, {}, "");
    FAIL("an error was expected");
  } catch (const ConfigErrors& e) {
    REQUIRE(e.problems().size() == 1);
    CHECK(e.problems().front().at.column == 5);
    CHECK(e.problems().front().key == "a");
    CHECK(e.problems().front().what == "found 'x'; allowed: a whole number");
    CHECK(std::string(e.what()) == "c.yaml:1:5: a: found 'x'; allowed: a whole number");
  }
}

}  // namespace lw::config_collect_test
