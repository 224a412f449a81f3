// YAML that cannot be read, chains of files that cannot be followed, and --set.
#include <vector>

#include "harness/base/files.h"
#include "harness/base/schema.h"
#include "harness/base/tree.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::tree_errors_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string parse_error(const std::string& text) {
  return test::error_of([&] { parse_yaml(text, "c.yaml"); });
}

std::string load_error(const std::filesystem::path& path) {
  return test::error_of([&] { load_yaml(path.string(), SchemaNode{}); });
}

}  // namespace

TEST_CASE("bad YAML is an error with its place, in one line", "[tree]") {
  struct Bad {
    std::string text, place;
  };
  for (const Bad& b : std::vector<Bad>{{"a: [1, 2", "c.yaml:1:"},
                                       {"a: {b: 1", "c.yaml:1:"},
                                       {"a: 1\n b: 2", "c.yaml:2:3"},
                                       {"a: \"open", "c.yaml:1:"},
                                       {"a: 'open", "c.yaml:1:"},
                                       {"a: b: c", "c.yaml:1:5"},
                                       {"a: *nowhere", "c.yaml:1:4"},
                                       {"--- a: 1", "c.yaml:1:6"}}) {
    INFO(b.text);
    const std::string error = parse_error(b.text);
    CHECK(error.rfind(b.place, 0) == 0);
    CHECK_THAT(error, ContainsSubstring(": not YAML: "));
    CHECK(error.find('\n') == std::string::npos);
    CHECK(test::error_kind_of([&] { parse_yaml(b.text, "c.yaml"); }) == ErrorKind::kConfig);
  }
}

TEST_CASE("nothing behind the first document is ignored", "[tree]") {
  const std::string second = ": found a second YAML document, or text behind the first; allowed: one document a file";
  CHECK(parse_error("a: 1\n---\na: 2\n") == "c.yaml:3:1" + second);
  CHECK(parse_error("- a\nb: 1\n") == "c.yaml:2:1" + second);
  CHECK(parse_error("a: 1\n...\n").empty());
  CHECK(parse_error("---\na: 1\n").empty());
  CHECK(parse_yaml("", "c.yaml").kind == Tree::Kind::kNull);
  CHECK(parse_yaml("# nothing but words\n", "c.yaml").pos.str() == "c.yaml");
}

TEST_CASE("a key stands once and is a word", "[tree]") {
  CHECK(parse_error("a: 1\nb: 2\na: 3\n") == "c.yaml:3:1: a: found twice (first at line 1); each key may stand once");
  CHECK(parse_error("m:\n  x: 1\n  x: 1\n") ==
        "c.yaml:3:3: m.x: found twice (first at line 2); each key may stand once");
  CHECK(parse_error("s: [{x: 1, x: 2}]") ==
        "c.yaml:1:12: s[0].x: found twice (first at line 1); each key may stand once");
  CHECK(parse_error("[a]: 1") == "c.yaml:1:1: found a key that is not a word; keys are words");
}

TEST_CASE("extends needs a file that ends", "[tree]") {
  const test::TempFolder folder;
  const auto file = [&](const std::string& name, const std::string& text) {
    write_file(folder / name, text);
    return folder / name;
  };
  const auto lost = file("lost.yaml", "name: x\nextends: nowhere.yaml\n");
  CHECK(load_error(lost) == lost.string() +
                                ":2:10: extends: found 'nowhere.yaml', which does not exist; allowed: the path of a "
                                "config, relative to this file");
  const auto list = file("list.yaml", "extends: [a.yaml]\n");
  CHECK(load_error(list) ==
        list.string() + ":1:10: extends: found no file name; allowed: a path relative to this file");
  const auto self = file("self.yaml", "extends: self.yaml\n");
  CHECK(load_error(self) ==
        self.string() +
            ":1:10: extends: found 'self.yaml', which closes a circle; allowed: a chain of files that ends");
  const auto first = file("first.yaml", "extends: second.yaml\n");
  const auto second = file("second.yaml", "a: 1\nextends: ./first.yaml\n");
  CHECK(load_error(first) ==
        second.string() +
            ":2:10: extends: found './first.yaml', which closes a circle; allowed: a chain of files that ends");
  file("broken.yaml", "a: [1\n");
  CHECK_THAT(load_error(file("on_broken.yaml", "extends: broken.yaml\n")),
             ContainsSubstring("broken.yaml:2:1: not YAML: ") || ContainsSubstring("broken.yaml:1:"));
  CHECK(load_error(folder / "absent.yaml") ==
        (folder / "absent.yaml").string() + ": cannot be read: No such file or directory");
  CHECK(
      load_error(file("folder.yaml", "a: 1\nextends: .\n")) ==
      (folder / "folder.yaml").string() +
          ":2:10: extends: found '.', which is a folder; a file is needed; allowed: the path of a config, relative to "
          "this file");
  CHECK(load_error(folder.path()) == folder.path().string() + ": is a folder; a file is needed");
}

TEST_CASE("--set needs PATH=VALUE", "[tree]") {
  for (const std::string bad : {"", "=", "=4", "model", "model.width", ".width=3", "model.=3", "model..width=3"}) {
    INFO(bad);
    Tree tree = Tree::map();
    CHECK(test::error_of([&] { apply_set(tree, bad, SchemaNode{}); }) ==
          "--set: found '" + bad + "'; allowed: PATH=VALUE, as in position.scaling.factor=4");
    CHECK(test::error_kind_of([&] { apply_set(tree, bad, SchemaNode{}); }) == ErrorKind::kUsage);
  }
  Tree tree = Tree::map();
  CHECK_THAT(test::error_of([&] { apply_set(tree, "seeds=[1, 2", SchemaNode{}); }),
             ContainsSubstring("--set seeds:1:") && ContainsSubstring(": not YAML: "));
}

}  // namespace lw::tree_errors_test
