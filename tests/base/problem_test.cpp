// The list of what is wrong, and the line that a terminal shows below each.
#include "harness/base/problem.h"

#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::problem_test {

TEST_CASE("a problem is one line of what is known", "[error]") {
  CHECK(Problem{{"a.yaml", 3, 7}, "model.width", "found 3"}.text() == "a.yaml:3:7: model.width: found 3");
  CHECK(Problem{{"a.yaml", 0, 0}, "", "found 3"}.text() == "a.yaml: found 3");
  CHECK(Problem{{}, "width", "found 3"}.text() == "width: found 3");
  CHECK(std::string(OptionError("gap", "found 3; allowed: 2").what()) == "gap: found 3; allowed: 2");
}

TEST_CASE("problems are sorted by place, misspelt keys first, each once", "[error]") {
  const Problem late{{"a.yaml", 9, 1}, "z", "found 3"}, early{{"a.yaml", 2, 1}, "y", "found 3"};
  const Problem typo{{"a.yaml", 5, 1}, "trian", "found an unknown key", Problem::Kind::kUnknownKey, "train"};
  const Problem missing{{"a.yaml", 1, 1}, "train.steps", "found nothing", Problem::Kind::kMissing};
  const Problem other{{"a.yaml", 1, 1}, "trainer.steps", "found nothing", Problem::Kind::kMissing};
  std::vector<std::string> keys;
  for (const auto& problem : in_order({late, early, typo, missing, other, early})) keys.push_back(problem.key);
  CHECK(keys == std::vector<std::string>{"trian", "trainer.steps", "y", "z"});
  const ConfigErrors errors({early, late});
  CHECK(std::string(errors.what()) == early.text() + "\n" + late.text());
  CHECK(errors.kind() == ErrorKind::kConfig);
  CHECK(errors.problems().size() == 2);
}

TEST_CASE("an excerpt puts a caret below the column", "[error]") {
  const test::TempFolder folder;
  const std::string file = (folder / "c.yaml").string();
  write_file(file, "name: x\nmodel: {layrs: 2}\n\tname: y\r\nname: \xED\x95\x9C\xEA\xB8\x80, b: 2\n");
  CHECK(source_excerpt({file, 2, 9}) == "  2 | model: {layrs: 2}\n    |         ^\n");
  CHECK(source_excerpt({file, 1, 1}) == "  1 | name: x\n    | ^\n");
  CHECK(source_excerpt({file, 3, 2}) == "  3 | \tname: y\n    | \t^\n");
  // Two syllables of three bytes and two columns each.
  CHECK(source_excerpt({file, 4, 13}) == "  4 | name: \xED\x95\x9C\xEA\xB8\x80, b: 2\n    |           ^\n");
  CHECK(source_excerpt({file, 40, 1}).empty());
  CHECK(source_excerpt({file, 0, 0}).empty());
  CHECK(source_excerpt({"--set model.width", 1, 1}).empty());
}

}  // namespace lw::problem_test
