#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/app/print_error.h"
#include "harness/base/error.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/base/memory.h"
#include "harness/base/parallel.h"

namespace lw {

namespace {

int run_program(int argc, char** argv) {
  return run_command_line(
      argc, argv,
      "How far beyond its training length does a transformer still work, and which position scheme extends it?\n",
      "Start with:  lengthwise run configs/quickstart.yaml\nHelp on a command:  lengthwise COMMAND --help",
      [](Command& program) {
        program.flag(
            "-q,--quiet", [] { set_log_level(LogLevel::kQuiet); }, "only warnings and errors on stderr");
        program.flag(
            "-v,--verbose", [] { set_log_level(LogLevel::kVerbose); }, "every message on stderr");
        for (auto* add : {add_run, add_report, add_diff, add_index, add_inspect, add_probes, add_validate, add_list,
                          add_bench, add_nll, add_tokenize, add_cache, add_selfcheck})
          add(program);
      });
}

/// A standard stream that is closed would be the number of the next file that is opened.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", O_RDONLY);  // writing to it fails, and is told
}

/// What was printed must have arrived: a full disk would leave half of it beside an exit code of 0.
int with_output_written(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "error: stdout: cannot be written%s%s\n", errno == 0 ? "" : ": ",
               errno == 0 ? "" : std::strerror(errno));
  return 1;
}

}  // namespace
}  // namespace lw

/// The one place that prints errors.
int main(int argc, char** argv) {
  lw::keep_freed_memory();
  lw::keep_standard_streams();
  lw::watch_interrupts();
  try {
    return lw::with_output_written(lw::run_program(argc, argv));
  } catch (const lw::Interrupted& stop) {
    std::fprintf(stderr, "%s; the same command resumes\n", stop.by_user ? "interrupted" : "stopped");
    return stop.by_user ? lw::kExitInterrupted : lw::kExitStopped;
  } catch (const lw::Error& e) {
    lw::print_error(e);
    return e.exit_code();
  } catch (const std::filesystem::filesystem_error& e) {  // a path that the system does not even look at
    lw::print_error(lw::FileError(e.path1(), "cannot be used: " + e.code().message()));
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: out of memory\n");
    return 1;
  } catch (const std::exception& e) {
    lw::print_error(e);
    return 1;
  }
}
