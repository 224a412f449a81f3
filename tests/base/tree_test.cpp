// YAML as a tree: places, merging, extending, setting, and writing what reads back.
#include "harness/base/tree.h"

#include "harness/base/config.h"
#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::tree_test {
namespace {

Tree yaml(const std::string& text) { return parse_yaml(text, "t.yaml"); }

void read_scaling(ConfigNode scaling) {
  scaling.note_old_name("type", "rope_type");
  scaling.variant("rope_type", {{"default", ""}, {"linear", ""}, {"yarn", ""}, {"ntk", ""}}, "default", "",
                  [&](size_t i) {
                    if (i == 1 || i == 2) scaling.number("factor", {.min = 1.0}, "");
                    if (i == 3) scaling.number("alpha", {.min = 1.0}, "");
                  });
}

/// What a config of the program has that matters here: variants, variants in them, and keys that any of them has.
SchemaNode shape() {
  ConfigNode c = ConfigNode::describing();
  ConfigNode model = c.map("model", "");
  model.choice("kind", {{"decoder", ""}, {"encoder", ""}}, "decoder", "");
  model.integer("layers", 2, {}, "");
  ConfigNode position = c.map("position", "");
  position.variant("scheme", {{"rope", ""}, {"alibi", ""}, {"dca", ""}}, "", "", [&](size_t i) {
    if (i == 1) return;
    position.number("rope_theta", 10000, {}, "");
    position.choice("layout", {{"half", ""}, {"interleaved", ""}}, "half", "");
    read_scaling(position.map("scaling", ""));
    if (i == 2)
      position.variant("length_temperature", {{"none", ""}, {"chunk_llama", ""}}, "none", "", [&](size_t j) {
        if (j == 1) position.integer("original_length", {}, "");
      });
  });
  position.map("randomized", "").integer("max_position", {}, "");
  read_scaling(c.map("scaling", ""));
  for (auto& [name, suite] : c.named_maps("suites", "", "kind")) {
    suite.variant("kind", {{"needle", ""}, {"order_swap", ""}}, "", "", [&](size_t i) {
      suite.integer("filler", 8, {}, "");
      if (i == 0) suite.integer("keys", 8, {}, "");
      if (i == 1) suite.integer("gap", 1, {}, "");
    });
    suite.integers("lengths", {}, {}, "");
  }
  return c.schema();
}

bool merges_to(const std::string& base, const std::string& over, const std::string& expected) {
  return merge(yaml(base), yaml(over), shape()).same(yaml(expected));
}

Tree set(const std::string& base, const std::vector<std::string>& assignments) {
  Tree tree = yaml(base);
  for (const auto& a : assignments) apply_set(tree, a, shape());
  return tree;
}

}  // namespace

TEST_CASE("values and keys know their places", "[tree]") {
  const Tree t = yaml("a: 1\nb:\n  - x\n  - {c: 2}\n");
  CHECK(t.find("a")->pos.str() == "t.yaml:1:4");
  CHECK(t.entries[1].key_pos.str() == "t.yaml:2:1");
  CHECK(t.find("b")->items[0].pos.str() == "t.yaml:3:5");
  CHECK(t.find("b")->items[1].find("c")->pos.str() == "t.yaml:4:9");
  CHECK(t.find("c") == nullptr);
}

TEST_CASE("quotes make text", "[tree]") {
  const Tree t = yaml("a: 1\nb: '1'\nc: \"1\"\nd: x\ne:\nf: ~\ng: ''\n");
  CHECK_FALSE(t.find("a")->quoted);
  CHECK(t.find("b")->quoted);
  CHECK(t.find("c")->quoted);
  CHECK_FALSE(t.find("d")->quoted);
  CHECK(t.find("e")->kind == Tree::Kind::kNull);
  CHECK(t.find("f")->kind == Tree::Kind::kNull);
  CHECK(t.find("g")->kind == Tree::Kind::kScalar);
}

TEST_CASE("merging lays one tree on another", "[tree]") {
  CHECK(merges_to("{a: 1, m: {x: 1, y: 2}}", "{m: {y: 3, z: 4}, b: 5}", "{a: 1, m: {x: 1, y: 3, z: 4}, b: 5}"));
  CHECK(merges_to("{a: [1, 2, 3]}", "{a: [4]}", "{a: [4]}"));  // lists are replaced
  CHECK(merges_to("{a: {x: 1}}", "{a: 2}", "{a: 2}"));
  CHECK(merges_to("{a: 2}", "{a: {x: 1}}", "{a: {x: 1}}"));
  CHECK(merges_to("{a: {x: 1}}", "{a: ~}", "{a: ~}"));  // back to the defaults
  CHECK(merges_to("{a: 1}", "{}", "{a: 1}"));
  CHECK(merges_to("{}", "{a: {b: 1}}", "{a: {b: 1}}"));
}

TEST_CASE("another variant leaves out the options of the one before", "[tree]") {
  CHECK(merges_to("{position: {scheme: rope, rope_theta: 5, scaling: {rope_type: ntk, alpha: 2}}}",
                  "{position: {scheme: alibi}}", "{position: {scheme: alibi}}"));
  CHECK(merges_to("{position: {scheme: rope, rope_theta: 5}}", "{position: {scheme: rope, layout: half}}",
                  "{position: {scheme: rope, rope_theta: 5, layout: half}}"));
  CHECK(merges_to("{position: {scheme: rope, rope_theta: 5, scaling: {rope_type: ntk, alpha: 2}}}",
                  "{position: {scaling: {rope_type: yarn, factor: 8}}}",
                  "{position: {scheme: rope, rope_theta: 5, scaling: {rope_type: yarn, factor: 8}}}"));
  CHECK(merges_to("{scaling: {type: linear, factor: 2}}", "{scaling: {type: yarn}}", "{scaling: {type: yarn}}"));
  CHECK(merges_to("{scaling: {rope_type: yarn, factor: 2}}", "{scaling: {factor: 4}}",
                  "{scaling: {rope_type: yarn, factor: 4}}"));
  CHECK(merges_to("{scaling: {type: linear, factor: 2}}", "{scaling: {rope_type: yarn}}",
                  "{scaling: {rope_type: yarn}}"));
  CHECK(merges_to("{model: {kind: decoder, layers: 3}}", "{model: {kind: encoder}}",
                  "{model: {kind: encoder, layers: 3}}"));
}

TEST_CASE("any key that chooses a variant does", "[tree]") {
  CHECK(merges_to("{suites: {s: {kind: needle, keys: 4, filler: 3, lengths: [8]}}}",
                  "{suites: {s: {kind: order_swap}}}", "{suites: {s: {kind: order_swap, lengths: [8]}}}"));
  CHECK(merges_to("{suites: {needle: {keys: 4, lengths: [8]}}}", "{suites: {needle: {kind: order_swap, gap: 2}}}",
                  "{suites: {needle: {kind: order_swap, lengths: [8], gap: 2}}}"));
  CHECK(merges_to("{position: {scheme: dca, layout: half, length_temperature: chunk_llama, original_length: 32}}",
                  "{position: {length_temperature: none}}",
                  "{position: {scheme: dca, layout: half, length_temperature: none}}"));
  CHECK(merges_to("{position: {scheme: dca, length_temperature: chunk_llama, original_length: 32}}",
                  "{position: {scheme: rope}}", "{position: {scheme: rope}}"));
  CHECK(merges_to("{position: {scheme: dca, length_temperature: chunk_llama, original_length: 32}}",
                  "{position: {original_length: 64}}",
                  "{position: {scheme: dca, length_temperature: chunk_llama, original_length: 64}}"));
}

TEST_CASE("options that any variant has are kept", "[tree]") {
  CHECK(merges_to("{position: {scheme: rope, rope_theta: 5, randomized: {max_position: 64}}}",
                  "{position: {scheme: alibi}}", "{position: {scheme: alibi, randomized: {max_position: 64}}}"));
  CHECK(merges_to("{position: {scheme: rope, randomized: {max_position: 64}}}",
                  "{position: {scheme: alibi, randomized: }}", "{position: {scheme: alibi, randomized: }}"));
}

TEST_CASE("--set puts one value at its path", "[tree]") {
  CHECK(set("{a: 1}", {"b.c.d=2"}).same(yaml("{a: 1, b: {c: {d: 2}}}")));
  CHECK(set("{m: {x: 1, y: 2}}", {"m.x=9"}).same(yaml("{m: {x: 9, y: 2}}")));
  CHECK(set("{}", {"seeds=[0, 1]", "name=a=b"}).same(yaml("{seeds: [0, 1], name: 'a=b'}")));
  CHECK(set("{}", {"m={x: 1}", "m.y=2"}).same(yaml("{m: {x: 1, y: 2}}")));
  CHECK(set("{m: {x: 1}}", {"m="}).same(yaml("{m: ~}")));
  CHECK(set("{position: {scheme: rope, rope_theta: 5}}", {"position.scheme=alibi"})
            .same(yaml("{position: {scheme: alibi}}")));
  CHECK(set("{}", {"position.scaling.rope_type=yarn", "position.scaling.factor=8"})
            .same(yaml("{position: {scaling: {rope_type: yarn, factor: 8}}}")));
  CHECK(set("{a: 1}", {"a=2", "a=3"}).find("a")->text == "3");  // the last one counts
  CHECK(nested("a.b", yaml("3")).same(yaml("{a: {b: 3}}")));
  CHECK(nested("a", yaml("[3]")).same(yaml("{a: [3]}")));
}

TEST_CASE("a file lies over the one that it extends", "[tree]") {
  const test::TempFolder folder;
  write_file(folder / "base.yaml", "name: base\ntrain: {steps: 10, lr: 0.1}\n");
  write_file(folder / "below/middle.yaml", "extends: ../base.yaml\ntrain: {steps: 20}\nposition: {scheme: rope}\n");
  write_file(folder / "top.yaml", "position: {scheme: none}\nextends: below/middle.yaml\n");
  const Tree tree = load_yaml((folder / "top.yaml").string(), shape());
  CHECK(tree.same(yaml("{name: base, train: {steps: 20, lr: 0.1}, position: {scheme: none}}")));
  CHECK(tree.find("train")->find("steps")->pos.str() ==
        (folder / "below/../below/middle.yaml").lexically_normal().string() + ":2:16");
}

TEST_CASE("sameness ignores the order of keys and the places", "[tree]") {
  CHECK(yaml("{a: 1, b: 2}").same(yaml("b: 2\na: 1\n")));
  CHECK_FALSE(yaml("{a: [1, 2]}").same(yaml("{a: [2, 1]}")));
  CHECK_FALSE(yaml("{a: 1}").same(yaml("{a: 1, b: ~}")));
  CHECK_FALSE(yaml("{a: 1}").same(yaml("{b: 1}")));
  CHECK_FALSE(yaml("{a: []}").same(yaml("{a: {}}")));
  CHECK_FALSE(yaml("{a: ''}").same(yaml("{a: ~}")));
}

TEST_CASE("what is written reads back the same", "[tree]") {
  for (const char* text : {"{}", "[]", "~", "3", "{a: 1}", "{a: {b: {c: [1, 2.5, -3e-4]}}}", "{a: [], b: {}, c: ~}",
                           "[{a: 1}, {b: [x, y]}]", "{a: [[1, 2], [3]]}", "{a: [{b: 1}, 2, ~]}"}) {
    INFO(text);
    const Tree tree = yaml(text);
    CHECK(yaml(to_yaml(tree)).same(tree));
    CHECK(to_yaml(yaml(to_yaml(tree))) == to_yaml(tree));
  }
}

TEST_CASE("texts that look like something else stay texts", "[tree]") {
  for (const std::string text : {"",
                                 " ",
                                 "1",
                                 "-1",
                                 "+1",
                                 "1.5",
                                 "1e5",
                                 "0x10",
                                 "010",
                                 ".5",
                                 ".",
                                 "-",
                                 "--",
                                 "---",
                                 "...",
                                 "true",
                                 "false",
                                 "True",
                                 "yes",
                                 "null",
                                 "Null",
                                 "NULL",
                                 "~",
                                 ".nan",
                                 ".inf",
                                 "2024-01-01",
                                 "a: b",
                                 "a #b",
                                 "#",
                                 "- a",
                                 "[a]",
                                 "{a}",
                                 "a, b",
                                 "&a",
                                 "*a",
                                 "!a",
                                 "!!str a",
                                 "|",
                                 ">",
                                 "%a",
                                 "@a",
                                 "`a",
                                 "'",
                                 "\"",
                                 "a'b",
                                 "a\"b",
                                 "\\",
                                 "a\\nb",
                                 "two\nlines",
                                 "\n",
                                 "tab\there",
                                 " leading",
                                 "trailing ",
                                 "?",
                                 "? a",
                                 ":",
                                 "a:",
                                 "rope yarn x8",
                                 "\xC3\xA9t\xC3\xA9",
                                 "\xED\x95\x9C",
                                 "=",
                                 "<<",
                                 "1_000",
                                 "1:30"}) {
    INFO("[" << text << "]");
    Tree tree = Tree::map();
    tree.set("value", Tree::scalar(text, true));
    Tree list = Tree::list();
    list.items.push_back(Tree::scalar(text, true));
    tree.set("list", std::move(list));
    if (!text.empty()) tree.set(text, Tree::scalar("as a key", true));
    const Tree again = yaml(to_yaml(tree));
    CHECK(again.same(tree));
    const Tree* value = again.find("value");
    REQUIRE(value != nullptr);
    CHECK(value->kind == Tree::Kind::kScalar);
    if (text == "1" || text == "1.5" || text == "1e5" || text == "true") CHECK(value->quoted);
  }
}

TEST_CASE("numbers are written without quotes", "[tree]") {
  Tree tree = Tree::map();
  tree.set("n", Tree::scalar("1.5"));
  CHECK(to_yaml(tree) == "n: 1.5\n");
  CHECK_FALSE(yaml(to_yaml(tree)).find("n")->quoted);
}

TEST_CASE("keys are set in place, added at the end, and erased", "[tree]") {
  Tree tree = yaml("{a: 1, b: 2}");
  tree.set("a", Tree::scalar("3"));
  tree.set("c", Tree::scalar("4"));
  CHECK(to_yaml(tree) == "a: 3\nb: 2\nc: 4\n");
  tree.erase("b");
  tree.erase("nothing");
  CHECK(to_yaml(tree) == "a: 3\nc: 4\n");
}

}  // namespace lw::tree_test
