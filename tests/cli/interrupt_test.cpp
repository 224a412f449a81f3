// An interrupted run resumes where it stopped.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/cli/support.h"

namespace lw::cli_test {
namespace {

/// Starts `lengthwise run config.yaml --out run --threads 1`, waits for `moment`, sends `signal`.
/// @returns the exit code, or -signal when the signal ended it.
int run_until(const Workspace& w, const std::function<bool()>& moment, int signal) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::chdir(w.path().c_str()) != 0 || std::freopen(".stdout", "w", stdout) == nullptr ||
        std::freopen(".stderr", "w", stderr) == nullptr)
      ::_exit(99);
    ::setenv("LENGTHWISE_CACHE", "cache", 1);
    ::execl(LW_BINARY, LW_BINARY, "run", "config.yaml", "--out", "run", "--threads", "1", static_cast<char*>(nullptr));
    ::_exit(98);
  }
  int status = 0;
  bool ended = false;
  for (int i = 0; i < 60000 && !moment() && !ended; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ended = ::waitpid(child, &status, WNOHANG) == child;
  }
  if (!ended) {
    ::kill(child, signal);
    ::waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string long_training() {
  std::string config = kTiny;
  config.replace(config.find("steps: 20"), 9, "steps: 60");
  return config;
}

size_t count_below(const fs::path& folder, const std::string& ending) {
  return fs::exists(folder) ? files_below(folder, ending).size() : 0;
}

const Workspace& uninterrupted() {
  static const Workspace* workspace = [] {
    static const Workspace kept(long_training());
    kept.good("run config.yaml --out run");
    return &kept;
  }();
  return *workspace;
}

/// Cuts a run off with `signal` at `moment`, looks at what is left, and lets it go on.
void check_resumes(int signal, const std::function<bool(const Workspace&)>& moment, int code, const std::string& said) {
  const Workspace w(long_training());
  CHECK(run_until(
            w, [&] { return moment(w); }, signal) == code);
  const std::string err = read_file(w / ".stderr");
  CHECK(has(err, said));
  CHECK_FALSE(has(err, "error: "));
  CHECK_FALSE(fs::exists(w / "run/results.jsonl"));
  const size_t kept = count_below(w / "cache/weights", "model.safetensors");
  CHECK(kept >= 1);
  const Result r = w.good("run config.yaml --out run");
  CHECK(has(r.err, "training: " + std::to_string(kept) + " of 8 models are there already"));
  CHECK(difference(uninterrupted() / "run", w / "run") == "");
}

bool one_model_trained(const Workspace& w) { return count_below(w / "cache/weights", "model.safetensors") >= 1; }

}  // namespace

TEST_CASE("Ctrl-C during training exits with 130, and the next run completes it to the byte", "[cli]") {
  check_resumes(SIGINT, one_model_trained, 130, "interrupted; the same command resumes\n");
}

TEST_CASE("a request to end exits with 5, and the next run completes it to the byte", "[cli]") {
  check_resumes(SIGTERM, one_model_trained, 5, "stopped; the same command resumes\n");
}

TEST_CASE("a run that was killed goes on too", "[cli]") { check_resumes(SIGKILL, one_model_trained, -SIGKILL, ""); }

}  // namespace lw::cli_test
