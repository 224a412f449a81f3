// Files on their way: what a killed process left is told from what another process is writing.
#include "harness/base/part_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::part_file_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// Starts a file in another process, and kills that process in the middle.
void leave_a_part(const fs::path& target) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    PartFile part(target);
    part.write("half of it");
    ::raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("a part becomes the file at the end, and vanishes when it is given up", "[files]") {
  const test::TempFolder folder;
  {
    PartFile part(folder / "a/file");
    part.write("one ");
    part.write("two");
    CHECK_FALSE(fs::exists(folder / "a/file"));
    const auto names = names_in(folder / "a");
    REQUIRE(names.size() == 1);
    CHECK(is_part_name(names.front()));
    part.finish();
  }
  CHECK(names_in(folder / "a") == std::vector<std::string>{"file"});
  CHECK(read_file(folder / "a/file") == "one two");
  {
    PartFile part(folder / "a/file");
    part.write("other");
  }
  CHECK(names_in(folder / "a") == std::vector<std::string>{"file"});
  CHECK(read_file(folder / "a/file") == "one two");
}

TEST_CASE("what a killed process left is removed, what another one writes is not", "[files]") {
  const test::TempFolder folder;
  leave_a_part(folder / "left");
  leave_a_part(folder / "left");
  PartFile here(folder / "here");
  here.write("on its way");
  write_file(folder / "notes.part", "the user's own");
  write_file(folder / "notes.part1.txt", "too");
  CHECK(names_in(folder.path()).size() == 5);
  CHECK(remove_abandoned_parts(folder.path()) == 2);
  CHECK(remove_abandoned_parts(folder.path()) == 0);
  CHECK(names_in(folder.path()).size() == 3);
  here.finish();
  CHECK(names_in(folder.path()) == std::vector<std::string>{"here", "notes.part", "notes.part1.txt"});
  CHECK(remove_abandoned_parts(folder / "not there") == 0);
}

TEST_CASE("the names of parts", "[files]") {
  for (const char* name : {"results.jsonl.part12.0", "a.part1.22", ".part1.1"}) CHECK(is_part_name(name));
  for (const char* name : {"a.part", "a.part1", "a.part.1", "a.part1.", "a.part1.x", "a.parts1.1", "", "part1.1"})
    CHECK_FALSE(is_part_name(name));
}

}  // namespace lw::part_file_test
