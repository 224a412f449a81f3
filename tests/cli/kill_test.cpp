// A run that is killed before any of its writes: what it leaves resumes to the same bytes, and no mixture passes.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#include "tests/cli/support.h"

namespace lw::cli_test {
namespace {

constexpr int kNoTrace = 97;  // this machine lets no process watch another

/// Whether a stopped process is about to give a file its name.
bool is_renaming(pid_t child) {
  __ptrace_syscall_info info{};
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
    return false;
  const auto call = static_cast<long>(info.entry.nr);
#ifdef SYS_rename
  if (call == SYS_rename) return true;
#endif
  return call == SYS_renameat2 || call == SYS_renameat;
}

struct Killed {
  bool was_killed = false;  // else it ended before, with `code`
  int code = 0;
};

/// Runs the program in the workspace and kills it when its main thread is about to rename the nth file, from 0.
Killed kill_before_rename(const Workspace& w, std::vector<std::string> arguments, int nth) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::chdir(w.path().c_str()) != 0 || std::freopen(".stdout", "w", stdout) == nullptr ||
        std::freopen(".stderr", "w", stderr) == nullptr)
      ::_exit(99);
    ::setenv("LENGTHWISE_CACHE", "cache", 1);
    std::vector<char*> argv = {const_cast<char*>(LW_BINARY)};
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kNoTrace);
    ::execv(LW_BINARY, argv.data());
    ::_exit(98);
  }
  int status = 0, seen = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFSTOPPED(status)) ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  int deliver = 0;
  while (WIFSTOPPED(status)) {
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    if (at_call && is_renaming(child) && seen++ == nth) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return {true, 0};
    }
    deliver = at_call || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    ::ptrace(PTRACE_SYSCALL, child, nullptr, deliver);
    REQUIRE(::waitpid(child, &status, 0) == child);
  }
  return {false, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
}

size_t parts_below(const fs::path& folder) {
  size_t out = 0;
  for (const auto& file : files_below(folder, "")) out += has(file.filename().string(), ".part") ? 1 : 0;
  return out;
}

/// The difference to a run, leaving out what is half written.
std::string difference_without_parts(const Workspace& w, const fs::path& expected) {
  const fs::path copy = w / "copy";
  fs::remove_all(copy);
  fs::copy(w / "run", copy, fs::copy_options::recursive);
  for (const auto& file : files_below(copy, ""))
    if (has(file.filename().string(), ".part")) fs::remove(file);
  const std::string out = difference(expected, copy);
  fs::remove_all(copy);
  return out;
}

/// Kills `run` before each of its renames in turn; `prepare` makes the folder that it works in.
/// @param before what the folder may hold until the run changes it.
void check_every_write(const Workspace& w, const fs::path& before, const fs::path& expected,
                       const std::vector<std::string>& arguments, const std::function<void()>& prepare) {
  int kills = 0;
  size_t parts = 0;
  for (int nth = 0;; ++nth) {
    prepare();
    const Killed killed = kill_before_rename(w, arguments, nth);
    if (killed.code == kNoTrace) {
      WARN("processes cannot be watched here; the test is left out");
      return;
    }
    INFO("killed before rename " << nth);
    if (!killed.was_killed) {
      CHECK(killed.code == 0);
      break;
    }
    ++kills;
    parts += parts_below(w.path());
    // Either the folder is seen to be unfinished, or it is whole: the new run, or the one before it, untouched.
    if (w("report run --check").code == 0 && difference_without_parts(w, before) != "")
      CHECK(difference_without_parts(w, expected) == "");
    std::string all;
    for (const auto& a : arguments) all += a + " ";
    w.good(all);
    CHECK(difference(expected, w / "run") == "");
    CHECK(parts_below(w.path()) == 0);
    w.good("report run --check");
  }
  CHECK(kills > 20);
  CHECK(parts > 20);  // each kill leaves one, and the next run removes it
}

}  // namespace

TEST_CASE("a run killed before any of its writes resumes to the same bytes", "[cli][slow]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out whole");
  check_every_write(w, w / "whole", w / "whole", {"run", "config.yaml", "--out", "run"},
                    [&] { fs::remove_all(w / "run"); });
}

TEST_CASE("a run made again and killed before any of its writes resumes to the same bytes", "[cli][slow]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out whole");
  check_every_write(w, w / "whole", w / "whole", {"run", "config.yaml", "--out", "run"}, [&] {
    fs::remove_all(w / "run");
    fs::copy(w / "whole", w / "run", fs::copy_options::recursive);
    fs::remove(w / "run/figures/needle-by-depth-alibi.svg");  // and something is missing
  });
}

TEST_CASE("a replacing run killed before any of its writes never mixes with the old one", "[cli][slow]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out old");
  w.good("run config.yaml --out whole --limit 4");
  check_every_write(w, w / "old", w / "whole", {"run", "config.yaml", "--out", "run", "--limit", "4", "--replace"},
                    [&] {
                      for (const auto& entry : fs::directory_iterator(w.path()))
                        if (entry.path().filename().string().rfind("run", 0) == 0) fs::remove_all(entry.path());
                      fs::copy(w / "old", w / "run", fs::copy_options::recursive);
                    });
}

TEST_CASE("a run with an empty cache, killed before any of its writes, resumes to the same bytes", "[cli][slow]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out whole");
  check_every_write(w, w / "whole", w / "whole", {"run", "config.yaml", "--out", "run", "--threads", "1"}, [&] {
    fs::remove_all(w / "run");
    fs::remove_all(w / "cache");
  });
}

}  // namespace lw::cli_test
