// YAML that is larger than it looks, holds itself, or is no text: refused with its place, in little time.
#include <sys/stat.h>

#include <chrono>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/rng.h"
#include "harness/base/schema.h"
#include "harness/base/tree.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::yaml_read_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string refusal(const std::string& text) {
  return test::error_of([&] { parse_yaml(text, "c.yaml"); });
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

/// Each line stands for `wide` times the one before it.
std::string aliases_of_aliases(int wide, int deep) {
  std::string out = "x-0: &a0 [x]\n";
  for (int i = 1; i <= deep; ++i)
    out += "x-" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
           repeated("*a" + std::to_string(i - 1) + ", ", wide) + "]\n";
  return out;
}

}  // namespace

TEST_CASE("an alias stands for what was read before it, and keeps its place", "[yaml]") {
  const Tree tree = parse_yaml("x-base: &b {width: 8}\nmodel: *b\nlist: [*b, &n 3, *n]\n? &k name\n: *k\n", "c.yaml");
  CHECK(tree.find("model")->same(*tree.find("x-base")));
  CHECK(tree.find("model")->find("width")->pos.str() == "c.yaml:1:20");
  CHECK(tree.find("list")->items[2].text == "3");
  CHECK(tree.text_of("name") == "name");
}

TEST_CASE("a merge key takes over what the mapping does not say itself", "[yaml]") {
  const std::string bases = "x-a: &a {width: 8, heads: 2}\nx-b: &b {width: 16, layers: 3}\n";
  const auto model = [&](const std::string& text) {
    const Tree tree = parse_yaml(bases + "model: " + text, "c.yaml");
    std::string all;
    for (const auto& entry : tree.find("model")->entries) all += entry.key + "=" + entry.value.text + " ";
    return all;
  };
  CHECK(model("{<<: *a}") == "width=8 heads=2 ");
  CHECK(model("{<<: *a, width: 4}") == "heads=2 width=4 ");  // its own, wherever it stands
  CHECK(model("{width: 4, <<: *a}") == "width=4 heads=2 ");
  CHECK(model("{<<: [*a, *b]}") == "width=8 heads=2 layers=3 ");  // the earlier one first
  CHECK(model("{<<: [*b, *a], heads: 1}") == "width=16 layers=3 heads=1 ");
  CHECK(model("{<<: {width: 1}}") == "width=1 ");
  const Tree nested = parse_yaml("x: &x {a: 1, m: {b: 2}}\ny: &y {<<: *x, c: 3}\nz: {<<: *y, m: 4}\n", "c.yaml");
  CHECK(nested.find("z")->find("a")->text == "1");
  CHECK(nested.find("z")->find("a")->pos.str() == "c.yaml:1:11");
  CHECK(nested.find("z")->find("m")->text == "4");
  CHECK(parse_yaml("\"<<\": 3", "c.yaml").text_of("<<") == "3");  // in quotes, a key like others
  CHECK(parse_yaml(to_yaml(parse_yaml("\"<<\": {a: 3}", "c.yaml")), "again").find("<<") != nullptr);

  CHECK(refusal("m: {<<: 3}") ==
        "c.yaml:1:9: m.<<: found a value that is no mapping; allowed: an alias of a mapping, or a list of such");
  CHECK(refusal("a: &a {b: 1}\nm: {<<: [*a, x]}") ==
        "c.yaml:2:9: m.<<: found a value that is no mapping; allowed: an alias of a mapping, or a list of such");
  CHECK(refusal("a: &a {b: 1}\nm: {<<: *a, <<: *a}") ==
        "c.yaml:2:13: m.<<: found a second '<<' in a mapping; allowed: one, with a list: '<<: [*a, *b]'");
  CHECK(
      refusal("a: &a {<<: *a}") ==
      "c.yaml:1:12: a.<<: found an alias inside what it stands for; allowed: an alias of a value that ends before it");
  CHECK(refusal(bases + "m: {<<: *a, width: 1, width: 2}") ==
        "c.yaml:3:23: m.width: found twice (first at line 3); each key may stand once");
}

TEST_CASE("an alias inside of what it stands for is refused", "[yaml]") {
  const std::string rest = "found an alias inside what it stands for; allowed: an alias of a value that ends before it";
  CHECK(refusal("a: &a [*a]") == "c.yaml:1:8: a[0]: " + rest);
  CHECK(refusal("a: &a {b: {c: *a}}") == "c.yaml:1:15: a.b.c: " + rest);
  CHECK(refusal("&a [x, *a]") == "c.yaml:1:8: [1]: " + rest);
  CHECK(refusal("a: &a {*a : 1}") == "c.yaml:1:8: a: " + rest);
}

TEST_CASE("aliases of aliases are counted before they are copied", "[yaml]") {
  CHECK(refusal(aliases_of_aliases(9, 3)).empty());
  for (const int deep : {7, 9, 60}) {
    INFO(deep);
    CHECK_THAT(refusal(aliases_of_aliases(9, deep)),
               ContainsSubstring(": found too much for a config, aliases expanded; allowed: up to 100,000 values"));
  }
  const std::string text = "a: &a '" + std::string(1 << 19, 'x') + "'\nb: [" + repeated("*a, ", 9) + "]\n";
  CHECK_THAT(refusal(text), ContainsSubstring("4 MiB of text"));
  std::string deeper = "x-0: &a0 " + std::string(40, '[') + std::string(40, ']') + "\n";  // each alias nests it further
  for (int i = 1; i < 200; ++i)
    deeper += "x-" + std::to_string(i) + ": &a" + std::to_string(i) + " [[*a" + std::to_string(i - 1) + "]]\n";
  CHECK_THAT(refusal(deeper), ContainsSubstring("nested more than 64 deep"));
}

TEST_CASE("depth, keys and paths are bounded", "[yaml]") {
  CHECK(refusal(std::string(64, '[') + std::string(64, ']')).empty());
  for (const int depth : {65, 100, 100000}) {
    CHECK_THAT(refusal(std::string(size_t(depth), '[')),
               ContainsSubstring("nested more than 64 deep; allowed: up to 64"));
    CHECK(refusal("a:\n- " + std::string(size_t(depth), '[') + std::string(size_t(depth), ']') + "\n") ==
          "c.yaml:2:65: a" + repeated("[0]", 63) + ": found values nested more than 64 deep; allowed: up to 64");
    CHECK_THAT(refusal(repeated("- ", depth) + "x"), ContainsSubstring("nested more than 64 deep"));
    CHECK_THAT(refusal(repeated("{a: ", depth)), ContainsSubstring("nested more than 64 deep"));
  }
  std::string keys;
  for (int i = 0; i < 5000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  CHECK(refusal(keys) == "c.yaml:4097:1: k4096: found more than 4096 keys in a mapping; allowed: up to 4096");
  Tree tree = Tree::map();
  CHECK(test::error_of([&] { apply_set(tree, "a" + repeated(".a", 20000) + "=1", SchemaNode{}); }) ==
        "--set: found a path of 20001 keys; allowed: up to 64");
  CHECK_NOTHROW(apply_set(tree, "a" + repeated(".a", 63) + "=1", SchemaNode{}));
}

TEST_CASE("bytes that are no text are refused with their place", "[yaml]") {
  CHECK(refusal("name: caf\xE9\n") == "c.yaml:1:10: found the byte \\xe9, which is not UTF-8; allowed: UTF-8 text");
  CHECK(refusal("\xFF\xFEn\0a\0") == "c.yaml:1:1: found the byte \\xff, which is not UTF-8; allowed: UTF-8 text");
  CHECK(refusal(std::string("a: 1\nb: x\0y", 11)) ==
        "c.yaml:2:5: found the character \\x00; allowed: text without control characters");
  CHECK(refusal("a: \x1B[31mx") == "c.yaml:1:4: found the character \\x1b; allowed: text without control characters");
  CHECK(refusal("a: {b: \"x\\e[31m\"}") ==
        "c.yaml:1:8: a.b: found a text with the character \\x1b; allowed: text without control characters");
  CHECK_THAT(refusal("\"a\\u202Eb\": 1"), ContainsSubstring("c.yaml:1:1: found a text with the character \\u202e;"));
  CHECK_THAT(refusal("[\"a\\rb\"]"), ContainsSubstring("the character \\x0d"));
  CHECK(parse_yaml("\xEF\xBB\xBF"
                   "a: \"x\\ty\\nz\"",
                   "c.yaml")
            .text_of("a") == "x\ty\nz");
  CHECK(parse_yaml("이름: 값", "c.yaml").text_of("이름") == "값");
}

TEST_CASE("a quote that is not closed is refused", "[yaml]") {
  const auto unclosed = [](const std::string& place, const std::string& quote) {
    return "c.yaml:" + place + ": found a quote that is not closed; allowed: a text with " + quote + " at both ends";
  };
  CHECK(refusal("name: \"abc\n") == unclosed("1:7", "\""));
  CHECK(refusal("a: 1\nname: 'abc\n") == unclosed("2:7", "'"));
  CHECK(refusal("name: 'it''s\n\n") == unclosed("1:7", "'"));
  CHECK(refusal("name: \"a\\\"\n") == unclosed("1:7", "\""));
  CHECK(refusal("name: &n !!str \"abc\n") == unclosed("1:16", "\""));
  for (const char* good : {"name: \"abc\"", "name: 'it''s'\n", "name: \"a\\\\\"\n", "name: it's\n", "n: &n \"x\"\n",
                           "a: \"b\"\nc: d\"\n", "a: |\n  \"open\n"}) {
    INFO(good);
    CHECK(refusal(good).empty());
  }
}

TEST_CASE("a tab before the text of a line is named", "[yaml]") {
  const std::string rest = ": found a tab before the text of a line; allowed: spaces";
  CHECK(refusal("\tname: 3\n") == "c.yaml:1:1" + rest);
  CHECK(refusal("model:\n\twidth: 3\n") == "c.yaml:2:1" + rest);
  CHECK(refusal("model:\n  a: 1\n  \tb: 3\n") == "c.yaml:3:3" + rest);
  CHECK(refusal("name:\t3\n").empty());
}

TEST_CASE("configs that are no file, or larger than any config, are not read", "[yaml]") {
  const test::TempFolder folder;
  const auto load = [&](const std::filesystem::path& path) {
    return test::error_of([&] { load_yaml(path.string(), SchemaNode{}); });
  };
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(load(folder / "pipe") == (folder / "pipe").string() + ": is a pipe; a file is needed");
  CHECK(load("/dev/zero") == "/dev/zero: is a device; a file is needed");
  write_file(folder / "large.yaml", "# " + std::string(1 << 20, 'x'));
  CHECK(load(folder / "large.yaml") ==
        (folder / "large.yaml").string() + ": has 1048578 bytes; up to 1048576 are allowed");
  write_file(folder / "on_pipe.yaml", "extends: pipe\n");
  CHECK_THAT(load(folder / "on_pipe.yaml"), ContainsSubstring(":1:10: extends: found 'pipe', which is a pipe"));
}

TEST_CASE("no YAML takes long or ends otherwise than in a tree or one line", "[yaml]") {
  const std::vector<std::string> parts = {
      "a: ",   "b: ",          "- ", "[",      "]",      "{",        "}",          ", ",
      "&a ",   "*a ",          "\n", "\n  ",   "\n    ", "\"",       "'",          "x",
      "<<: ",  "? ",           ": ", "!!map ", "!x ",    "|\n",      ">-\n",       "---\n",
      "...\n", "%YAML 1.2\n",  "~",  "null",   "0x1",    "1e999",    "#",          "\t",
      "\\",    "\xEA\xB0\x80", "@",  "`",      "\r\n",   "\xC2\x85", "\"\\ud800\""};
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    std::string text;
    for (int64_t n = rng.below(24); n >= 0; --n) text += parts[size_t(rng.below(int64_t(parts.size())))];
    INFO("seed " << seed << ": " << text);
    const std::string error = refusal(text);
    if (!error.empty() && (error.rfind("c.yaml:", 0) != 0 || error.find('\n') != std::string::npos)) FAIL(error);
    if (!error.empty()) continue;
    const Tree tree = parse_yaml(text, "c.yaml");
    if (tree.is_map() && !parse_yaml(to_yaml(tree), "again").same(tree)) FAIL(to_yaml(tree));
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

}  // namespace lw::yaml_read_test
