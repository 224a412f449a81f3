#include "harness/base/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/parallel.h"
#include "harness/base/printable.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/text.h"

extern char** environ;

namespace lw {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostErr = 4096;  // bytes of stderr that are kept
constexpr auto kShortestNap = std::chrono::milliseconds(1);
constexpr auto kLongestNap = std::chrono::milliseconds(20);

[[noreturn]] void fail_system(const std::string& what, int error) {
  throw Error(ErrorKind::kRuntime, what + ": " + std::strerror(error));
}

/// A file without a name, gone when it is closed. Unlike a pipe it never fills up, so that nobody has to read in time.
class ScratchFile {
 public:
  ScratchFile() {
    const ScratchFolder folder;  // takes the file's name along
    const fs::path path = folder / "bytes";
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file_ < 0) fail_system("temporary file " + path.string(), errno);
  }
  ~ScratchFile() { ::close(file_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  int descriptor() const { return file_; }
  uintmax_t size() const {
    struct stat state {};
    return ::fstat(file_, &state) == 0 ? uintmax_t(state.st_size) : 0;
  }
  /// Writes all of it and goes back to the beginning.
  void fill(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) fail_system("temporary file", errno);
      bytes.remove_prefix(size_t(std::max<ssize_t>(written, 0)));
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  /// The last bytes, at most `most`.
  std::string end(uintmax_t most) const {
    const uintmax_t size = this->size(), from = size - std::min(size, most);
    std::string bytes(size_t(size - from), '\0');
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t got = ::pread(file_, bytes.data() + done, bytes.size() - done, off_t(from + done));
      if (got == 0 || (got < 0 && errno != EINTR)) fail_system("temporary file", got == 0 ? EIO : errno);
      done += size_t(std::max<ssize_t>(got, 0));
    }
    return bytes;
  }

 private:
  int file_;
};

/// A running program in a process group of its own, which ends with this object.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() {
    if (process_ > 0) (void)finish();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Its number is kept until finish(), so that the group cannot become another one.
  bool ended() const {
    siginfo_t state{};
    return ::waitid(P_PID, id_t(process_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_pid == process_;
  }
  /// Ends what still runs of it. @returns the exit status.
  int finish() {
    ::kill(-process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_;
};

/// The settings of a spawned program, freed again.
struct SpawnSettings {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

  SpawnSettings(const ScratchFile& in, const ScratchFile& out, const ScratchFile& err) {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, in.descriptor(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, out.descriptor(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, err.descriptor(), STDERR_FILENO);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

/// How errors call the program: without its folder.
std::string program_name(const std::vector<std::string>& argv) {
  return visible(fs::path(argv.front()).filename().string());
}

pid_t spawn(const std::vector<std::string>& argv, const SpawnSettings& settings) {
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));  // which POSIX does not change
  words.push_back(nullptr);
  pid_t process = 0;
  const int error =
      ::posix_spawnp(&process, words.front(), &settings.files, &settings.attributes, words.data(), environ);
  if (error != 0) fail_system(program_name(argv) + ": cannot be started", error);
  return process;
}

/// Of what a program said, on one line.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return printable(text.substr(text.rfind('\n') + 1), 300);
}

}  // namespace

std::optional<fs::path> find_program(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    if (folder.empty()) continue;  // the current folder: a program that happens to lie there is not the system's
    const fs::path file = fs::path(folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input, const ProcessLimits& limits) {
  LW_CHECK(!argv.empty(), "a program has a name");
  ScratchFile in, out, err;
  in.fill(input);
  const auto end = Clock::now() + limits.time;
  Child child(spawn(argv, SpawnSettings(in, out, err)));
  for (auto nap = kShortestNap; !child.ended(); nap = std::min(2 * nap, kLongestNap)) {
    throw_if_interrupted();
    if (Clock::now() > end)
      throw Error(ErrorKind::kRuntime, text(program_name(argv), ": did not end within ",
                                            double(limits.time.count()) / 1000, " s, and was stopped"));
    if (std::max(out.size(), err.size()) > limits.bytes) break;
    std::this_thread::sleep_for(nap);
  }
  ProcessResult result;
  result.status = child.finish();
  if (std::max(out.size(), err.size()) > limits.bytes)
    throw Error(ErrorKind::kRuntime, text(program_name(argv), ": wrote more than ", limits.bytes, " bytes"));
  result.out = out.end(limits.bytes);
  result.err = err.end(kMostErr);
  return result;
}

std::string output_of(const std::vector<std::string>& argv, std::string_view input, const ProcessLimits& limits) {
  ProcessResult result = run_process(argv, input, limits);
  if (result.status == 0) return std::move(result.out);
  const std::string said = last_line(std::move(result.err));
  throw Error(ErrorKind::kRuntime,
              text(program_name(argv), ": failed with status ", result.status, said.empty() ? "" : ": ", said));
}

}  // namespace lw
