// What differs between two configs, key by key.
#include "harness/base/tree_difference.h"

#include "tests/catch.h"

namespace lw::tree_difference_test {
namespace {

std::vector<std::string> between(const std::string& a, const std::string& b) {
  std::vector<std::string> out;
  for (const auto& d : tree_differences(parse_yaml(a, "a"), parse_yaml(b, "b")))
    out.push_back(d.key + ": " + d.first + " | " + d.second);
  return out;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("equal trees have no difference, whatever the order of keys and the style", "[tree]") {
  CHECK(between("{a: 1, b: {c: [1, 2]}}", "b:\n  c:\n    - 1\n    - 2\na: 1\n").empty());
}

TEST_CASE("values, keys and lists that differ are named with both sides", "[tree]") {
  CHECK(between("{a: 1, b: {c: 2, d: 3}}", "{a: 2, b: {c: 2, e: {f: 4}}}") ==
        Lines{"a: 1 | 2", "b.d: 3 | nothing", "b.e: nothing | {f: 4}"});
  CHECK(between("{seeds: [0, 1]}", "{seeds: [0]}") == Lines{"seeds: [0, 1] | [0]"});
  CHECK(between("{a: {b: 1}}", "{a: }") == Lines{"a: {b: 1} | null"});
  CHECK(between("{a: 1}", "{a: '1'}").empty() == parse_yaml("{a: 1}", "a").same(parse_yaml("{a: '1'}", "a")));
}

TEST_CASE("variants of a sweep go by their names, and their order counts", "[tree]") {
  const std::string both = "{sweep: [{name: a, x: 1}, {name: b, x: 2}]}";
  CHECK(between(both, "{sweep: [{name: a, x: 1}, {name: b, x: 3}]}") == Lines{"sweep.b.x: 2 | 3"});
  CHECK(between(both, "{sweep: [{name: a, x: 1}]}") == Lines{"sweep.b: {x: 2} | nothing"});
  CHECK(between(both, "{sweep: [{name: b, x: 2}, {name: a, x: 1}]}") ==
        Lines{"sweep: in the order a, b | in the order b, a"});
}

TEST_CASE("long values are cut", "[tree]") {
  const auto lines = between("{a: " + std::string(500, 'x') + "}", "{a: y}");
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().size() < 130);
}

}  // namespace lw::tree_difference_test
