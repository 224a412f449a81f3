// Reading a config: defaults, variants, what was read, and a reader that describes itself.
#include "harness/base/config.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support.h"

namespace lw::config_test {
namespace {

using Json = nlohmann::json;

const std::vector<Choice> kSchemes = {{"rope", "rotated"}, {"none", ""}, {"t5", ""}};

/// @returns what the chosen variant read.
double read_position(ConfigNode& c) {
  double read = -1;
  c.variant("scheme", kSchemes, "none", "which", [&](size_t i) {
    if (i == 0) read = c.number("rope_theta", 10000, {.min = 1, .above_min = true}, "the base");
    if (i == 2) read = double(c.integer("buckets", 32, {2, 1024}, "classes"));
  });
  return read;
}

}  // namespace

TEST_CASE("absent keys give the fallback, present ones their value", "[config]") {
  ConfigNode c =
      ConfigNode::parse("{i: 3, d: 2.5, f: false, s: text, w: fast, li: [1, 2], ld: [0.5], lw: [a, b], od: 7, n: 12}");
  CHECK(c.integer("i", 1, {0, 9}, "") == 3);
  CHECK(c.integer("i2", 1, {0, 9}, "") == 1);
  CHECK(c.number("d", 1, {}, "") == 2.5);
  CHECK(c.number("d2", 1.5, {}, "") == 1.5);
  CHECK_FALSE(c.flag("f", true, ""));
  CHECK(c.flag("f2", true, ""));
  CHECK(c.str("s", "") == "text");
  CHECK(c.str("s2", "fallback", "") == "fallback");
  CHECK(c.str("n", "") == "12");  // a text may look like a number
  CHECK(c.choice("w", {{"slow", ""}, {"fast", ""}}, "slow", "") == "fast");
  CHECK(c.choice("w2", {{"slow", ""}, {"fast", ""}}, "slow", "") == "slow");
  CHECK(c.integers("li", {}, {}, "") == std::vector<int64_t>{1, 2});
  CHECK(c.integers("li2", {4}, {}, "") == std::vector<int64_t>{4});
  CHECK(c.numbers("ld", {}, {}, "") == std::vector<double>{0.5});
  CHECK(c.words("lw", {}, "") == std::vector<std::string>{"a", "b"});
  CHECK(c.optional_number("od", {}, "") == 7.0);
  CHECK(c.optional_number("od2", {}, "") == std::nullopt);
  CHECK(c.optional_integer("oi", {}, "") == std::nullopt);
  CHECK(c.has("od"));
  CHECK_FALSE(c.has("od2"));
  c.finish();
}

TEST_CASE("a key without a value counts as absent", "[config]") {
  ConfigNode c = ConfigNode::parse("i:\nm:\ns: ~\n");
  CHECK_FALSE(c.has("i"));
  CHECK(c.integer("i", 5, {}, "") == 5);
  CHECK(c.str("s", "x", "") == "x");
  CHECK(c.map("m", "").integer("below", 6, {}, "") == 6);
  c.finish();
  CHECK(test::error_of([] {
          ConfigNode::parse("s:\n", "c.yaml").str("s", "");
        }).find("s: found nothing; allowed: a text") != std::string::npos);
}

TEST_CASE("what was read is resolved, defaults included", "[config]") {
  ConfigNode c = ConfigNode::parse("{b: 2, name: '5', empty: []}");
  c.integer("a", 1, {}, "");
  c.number("b", 1, {}, "");
  c.str("name", "x", "");
  c.str("none", "", "");
  c.optional_number("absent", {}, "");
  c.words("empty", {"x"}, "");
  ConfigNode m = c.map("m", "");
  m.number("x", 1e-12, {}, "");
  c.map("nothing", "");
  for (auto& [name, node] : c.named_maps("suites", "")) node.integer("n", 1, {}, "");
  CHECK(to_yaml(c.resolved()) == "a: 1\nb: 2\nname: \"5\"\nempty: []\nm:\n  x: 1e-12\n");
}

TEST_CASE("named mappings are resolved in their order", "[config]") {
  ConfigNode c = ConfigNode::parse("{suites: {z: {}, a: {n: 2}}}");
  std::vector<std::string> names, paths;
  for (auto& [name, node] : c.named_maps("suites", "")) {
    node.integer("n", 1, {}, "");
    names.push_back(name);
    paths.push_back(node.path());
  }
  c.finish();
  CHECK(names == std::vector<std::string>{"z", "a"});
  CHECK(paths == std::vector<std::string>{"suites.z", "suites.a"});
  CHECK(c.resolved().same(parse_yaml("{suites: {z: {n: 1}, a: {n: 2}}}", "")));
}

TEST_CASE("only the chosen variant's options are read", "[config]") {
  ConfigNode rope = ConfigNode::parse("{scheme: rope, rope_theta: 5}");
  CHECK(read_position(rope) == 5);
  rope.finish();
  ConfigNode none = ConfigNode::parse("{}");
  CHECK(read_position(none) == -1);
  CHECK(to_yaml(none.resolved()) == "scheme: none\n");
  ConfigNode t5 = ConfigNode::parse("{scheme: t5}");
  CHECK(read_position(t5) == 32);
  CHECK(to_yaml(t5.resolved()) == "scheme: t5\nbuckets: 32\n");
}

TEST_CASE("require() fails at its key, never when describing", "[config]") {
  ConfigNode c = ConfigNode::parse("m: {x: 3}", "c.yaml");
  ConfigNode m = c.map("m", "");
  m.integer("x", 1, {}, "");
  m.require(true, "x", "found 3; allowed: 4");
  CHECK(test::error_of([&] { m.require(false, "x", "found 3; allowed: 4"); }) ==
        "c.yaml:1:8: m.x: found 3; allowed: 4");
  CHECK(test::error_of([&] { m.require(false, "y", "found none"); }) == "c.yaml:1:4: m.y: found none");
  CHECK(test::error_of([&] { m.require(false, "", "found it"); }) == "c.yaml:1:4: m: found it");
  ConfigNode d = ConfigNode::describing();
  CHECK_NOTHROW(d.require(false, "x", "never thrown"));
  CHECK(d.expect(false, "x", "never thrown"));
  d.verify([] { FAIL("there is nothing to verify"); });
  bool described = false;
  d.describe([&] { described = true; });
  c.describe([] { FAIL("a config is read"); });
  CHECK(described);
}

TEST_CASE("a mapping asked for twice is one cursor", "[config]") {
  ConfigNode c = ConfigNode::parse("m: {x: 3, y: 4}", "c.yaml");
  c.map("m", "").integer("x", 1, {}, "");
  c.map("m", "").integer("y", 1, {}, "");
  CHECK_NOTHROW(c.finish());
  CHECK(to_yaml(c.resolved()) == "m:\n  x: 3\n  y: 4\n");
}

TEST_CASE("a mapping rearranged is read where its parts stand", "[config]") {
  const auto read = [](ConfigNode node) {
    const int64_t x = node.integer("x", 7, {.min = 0}, "");
    const int64_t own = node.integer("own", 8, {.min = 0}, "");
    return std::vector<int64_t>{x, own, node.map("inner", "").integer("z", 9, {.min = 0}, "")};
  };
  const auto rearranged = [&](ConfigNode& c) {
    Tree own = Tree::map();
    own.set("own", Tree::scalar("5"));
    ConfigNode child = c.map("outer", "").map("block", "");
    return read(c.with("inner", child, own));
  };
  ConfigNode c = ConfigNode::parse("{x: 1, outer: {block: {z: 3}}}", "c.yaml");
  CHECK(rearranged(c) == std::vector<int64_t>{1, 5, 3});
  CHECK_NOTHROW(c.finish());
  CHECK(to_yaml(c.resolved()) == "outer:\n  block:\n    z: 3\nx: 1\n");
  ConfigNode hides = ConfigNode::parse("{x: 1, outer: {block: {}}}");
  Tree nothing = Tree::map();
  nothing.set("x", {});
  CHECK(read(hides.with("inner", hides.map("outer", ""), nothing)) == std::vector<int64_t>{7, 8, 9});
  ConfigNode bad = ConfigNode::parse("{x: -1, outer: {block: {z: -3}}}", "c.yaml");
  CHECK(test::error_of([&] { rearranged(bad); }) == "c.yaml:1:5: x: found '-1'; allowed: a whole number, 0 or more");
  ConfigNode deep = ConfigNode::parse("{outer: {block: {z: -3}}}", "c.yaml");
  CHECK(test::error_of([&] { rearranged(deep); }) ==
        "c.yaml:1:21: outer.block.z: found '-3'; allowed: a whole number, 0 or more");
}

TEST_CASE("taken subtrees count as read", "[config]") {
  ConfigNode c = ConfigNode::parse("{sweep: [{name: a}], x: 1}");
  const Tree tree = c.take("sweep", "", SchemaNode{});
  CHECK(tree.items.size() == 1);
  c.integer("x", 0, {}, "");
  c.finish();
  CHECK(c.take("absent", "", SchemaNode{}).kind == Tree::Kind::kNull);
}

TEST_CASE("a describing reader answers everything and notes what may stand", "[config]") {
  ConfigNode c = ConfigNode::describing();
  CHECK(c.has("anything"));
  CHECK(c.integer("i", {5, 9}, "five to nine") >= 5);
  CHECK(c.number("d", {.min = 2, .above_min = true}, "") > 2);
  CHECK(c.str("s", "a text") == "text");
  CHECK(c.named_maps("named", "").front().first == "*");
  read_position(c);
  const SchemaNode& schema = c.schema();
  CHECK(schema.keys.front().name == "i");
  CHECK(schema.keys.front().node.required);
  CHECK(schema.keys.front().node.doc == "five to nine");
  REQUIRE(schema.variants.size() == 1);
  CHECK(schema.variants.front().key == "scheme");
  CHECK(schema.variants.front().fallback == "none");
  CHECK(schema.branch("rope")->every_name() == std::set<std::string>{"rope_theta"});
  CHECK(schema.branch("none")->keys.empty());
  CHECK(schema.branch("alibi") == nullptr);
}

TEST_CASE("the JSON Schema says what the reader says", "[schema]") {
  ConfigNode c = ConfigNode::describing();
  c.integer("layers", 2, {1, 512}, "blocks");
  c.number("lr", 0.001, {0, 10, true}, "rate");
  c.flag("tied", true, "");
  c.numbers("depths", {}, {0, 1}, "");
  c.str("name", "run", "");
  ConfigNode position = c.map("position", "where");
  read_position(position);
  const Json s = Json::parse(json_schema(c.schema(), "Title"));
  CHECK(s["title"] == "Title");
  CHECK(s["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(s["additionalProperties"] == false);
  const Json& p = s["properties"];
  CHECK(p["layers"] ==
        Json::parse(R"({"type":"integer","minimum":1,"maximum":512,"description":"blocks","default":2})"));
  CHECK(p["lr"]["exclusiveMinimum"] == 0);
  CHECK(p["lr"]["maximum"] == 10);
  CHECK(p["lr"].count("minimum") == 0);
  CHECK(p["tied"]["default"] == true);
  CHECK(p["depths"]["items"]["maximum"] == 1);
  CHECK(p["name"]["default"] == "run");
  CHECK(p["position"]["description"] == "where");
  const Json position_schema = p["position"].contains("$ref") ? s["$defs"]["position"] : p["position"];  // a large one
  CHECK(position_schema["properties"]["scheme"]["enum"] == Json::parse(R"(["rope","none","t5"])"));
  CHECK(position_schema["properties"]["scheme"]["description"] == "which\n- rope: rotated");
  const Json rules = position_schema["allOf"];
  REQUIRE(rules.size() == 3);
  for (const auto& rule : rules) {
    const auto scheme = rule["if"]["properties"]["scheme"]["const"].get<std::string>();
    const Json expected = scheme == "rope" ? Json{"rope_theta", "scheme"}
                          : scheme == "t5" ? Json{"buckets", "scheme"}
                                           : Json::array({"scheme"});
    CHECK(rule["then"]["propertyNames"]["enum"] == expected);
    if (scheme == "rope") CHECK(rule["then"]["properties"]["rope_theta"]["default"] == 10000);
  }
}

namespace {

enum class Extra { kNone, kSome };
const NamedValues<Extra> kExtras = {{Extra::kNone, "none"}, {Extra::kSome, "some", "one more option"}};

/// Two variants that share a key, and a variant inside a variant.
void read_shared_keys(ConfigNode& c) {
  c.integer("common", 1, {0, 9}, "of all");
  c.variant("scheme", kSchemes, "none", "which", [&](size_t i) {
    if (i == 0) c.integer("window", 16, {1, 64}, "of rope");
    if (i == 2) {
      c.number("window", {0, 1}, "of t5");
      c.variant<Extra>("extra", kExtras, Extra::kNone, "", [&](Extra extra) {
        if (extra == Extra::kSome) c.integer("more", 3, {.min = 1}, "");
      });
    }
  });
}

Json rule_for(const Json& rules, const std::string& key, const std::string& choice) {
  for (const auto& rule : rules)
    if (rule["if"]["properties"][key]["const"] == choice) return rule["then"];
  return {};
}

}  // namespace

TEST_CASE("a key that two variants have is described for each of them", "[schema]") {
  ConfigNode c = ConfigNode::describing();
  read_shared_keys(c);
  const Json s = Json::parse(json_schema(c.schema(), "t"));
  const Json rope = rule_for(s["allOf"], "scheme", "rope"), t5 = rule_for(s["allOf"], "scheme", "t5");
  CHECK(rope["properties"]["window"] ==
        Json::parse(R"({"type":"integer","minimum":1,"maximum":64,"description":"of rope","default":16})"));
  CHECK(t5["properties"]["window"] ==
        Json::parse(R"j({"type":"number","minimum":0,"maximum":1,"description":"of t5 (required)"})j"));
  CHECK(s["properties"]["window"]["anyOf"].size() == 2);  // what it may be where no scheme is chosen
  CHECK(t5["propertyNames"]["enum"] == Json{"common", "extra", "more", "scheme", "window"});
  CHECK(rule_for(t5["allOf"], "extra", "none")["propertyNames"]["enum"] == Json{"common", "extra", "scheme", "window"});
  CHECK(json_schema(c.schema(), "t").find("1.0") == std::string::npos);  // whole bounds print as whole numbers
}

TEST_CASE("words stand for values", "[config]") {
  ConfigNode c = ConfigNode::parse("{a: some, b: soma}", "c.yaml");
  CHECK(c.choice("a", kExtras, Extra::kNone, "") == Extra::kSome);
  CHECK(c.choice("absent", kExtras, Extra::kNone, "") == Extra::kNone);
  CHECK(name_of(kExtras, Extra::kSome) == "some");
  CHECK(test::error_of([&] { c.choice("b", kExtras, Extra::kNone, ""); }) ==
        "c.yaml:1:14: b: found 'soma'; allowed: none, some; did you mean 'some'?");
}

TEST_CASE("a key that is refused by name, and keys of the user's own", "[config]") {
  ConfigNode c = ConfigNode::parse("{x-mine: {a: 1}, old: 2}", "c.yaml");
  c.ignore("x-");
  CHECK(test::error_of([&] { c.refuse("old", "found an old key; allowed: a new one"); }) ==
        "c.yaml:1:23: old: found an old key; allowed: a new one");
  CHECK_NOTHROW(c.refuse("absent", ""));
  CHECK_NOTHROW(c.finish());
  CHECK(c.resolved().entries.empty());
  ConfigNode d = ConfigNode::describing();
  d.ignore("x-");
  CHECK(Json::parse(json_schema(d.schema(), ""))["patternProperties"].contains("^x-"));
}

}  // namespace lw::config_test
