// Programs of the system: bytes in and out, and everything that may go wrong on one line.
#include "harness/base/subprocess.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/base/files.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::subprocess_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;

ProcessResult shell(const std::string& script, std::string_view input = {}, const ProcessLimits& limits = {}) {
  return run_process({"/bin/sh", "-c", script}, input, limits);
}

/// PATH, put back afterwards.
class Path {
 public:
  explicit Path(const std::string& value) : before_(std::getenv("PATH")) { ::setenv("PATH", value.c_str(), 1); }
  ~Path() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("a program gets its input and gives its output, byte for byte", "[subprocess]") {
  std::string bytes;
  for (int i = 0; i < 1000000; ++i) bytes += static_cast<char>(i * 31);  // more than a pipe holds
  const ProcessResult copied = run_process({"cat"}, bytes);
  CHECK(copied.status == 0);
  CHECK(copied.out == bytes);
  CHECK(copied.err.empty());
  CHECK(run_process({"cat"}).out.empty());
  CHECK(run_process({"true"}, bytes).status == 0);  // reads none of it
}

TEST_CASE("words of a command are no shell's", "[subprocess]") {
  CHECK(run_process({"printf", "%s", "$HOME; `id` 'x' \\ *"}).out == "$HOME; `id` 'x' \\ *");
}

TEST_CASE("a status, a signal and the end of stderr are told", "[subprocess]") {
  const ProcessResult failed = shell("echo out; echo err >&2; exit 7");
  CHECK(failed.status == 7);
  CHECK(failed.out == "out\n");
  CHECK(failed.err == "err\n");
  CHECK(shell("kill -TERM $$").status == 128 + SIGTERM);
  CHECK(shell("yes | head -c 100000 >&2").err.size() == 4096);
}

TEST_CASE("a program that must succeed fails in one line", "[subprocess]") {
  CHECK(output_of({"printf", "x"}) == "x");
  CHECK(test::error_of([] {
          output_of({"/bin/sh", "-c", "echo first >&2; printf 'la\\033st\\n' >&2; exit 3"});
        }) == "sh: failed with status 3: la\\x1bst");
  CHECK(test::error_of([] { output_of({"false"}); }) == "false: failed with status 1");
  CHECK(test::error_kind_of([] { output_of({"false"}); }) == ErrorKind::kRuntime);
  CHECK(test::error_of([] { run_process({"/no/such/program"}); }) ==
        "program: cannot be started: No such file or directory");
}

TEST_CASE("a program that does not end is stopped, with what it started", "[subprocess]") {
  const test::TempFolder folder;
  const std::string file = (folder / "late").string();
  ProcessLimits limits;
  limits.time = 200ms;
  CHECK(test::error_of([&] { shell("(sleep 1; echo x > '" + file + "') & sleep 60", {}, limits); }) ==
        "sh: did not end within 0.2 s, and was stopped");
  std::this_thread::sleep_for(1500ms);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a program that writes without end is stopped", "[subprocess]") {
  ProcessLimits limits;
  limits.bytes = 100000;
  for (const char* script : {"yes", "yes >&2", "head -c 200000 /dev/zero"})
    CHECK(test::error_of([&] { shell(script, {}, limits); }) == "sh: wrote more than 100000 bytes");
  CHECK(shell("head -c 100000 /dev/zero", {}, limits).out.size() == 100000);
}

TEST_CASE("programs are found along PATH", "[subprocess]") {
  CHECK(find_program("sh"));
  CHECK_FALSE(find_program("no-such-program-anywhere"));
  const test::TempFolder folder;
  for (const char* name : {"a/tool", "b/tool", "a/data"}) write_file(folder / name, "#!/bin/sh\necho found\n");
  std::filesystem::create_directories(folder / "a/directory");
  std::filesystem::permissions(folder / "b/tool", std::filesystem::perms::owner_all);
  const Path path(":" + (folder / "missing").string() + ":" + (folder / "a").string() + ":" + (folder / "b").string());
  CHECK(find_program("tool") == folder / "b/tool");  // the first one cannot be executed
  CHECK_FALSE(find_program("data"));
  CHECK_FALSE(find_program("directory"));
  CHECK(run_process({find_program("tool")->string()}).out == "found\n");
}

}  // namespace lw::subprocess_test
