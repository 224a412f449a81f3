#include <malloc.h>

#include <cstdio>
#include <exception>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/app/print_error.h"
#include "harness/base/error.h"
#include "harness/base/exit_code.h"
#include "harness/base/log.h"
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
        for (auto* add : {add_run, add_report, add_diff, add_inspect, add_probes, add_validate, add_list, add_bench,
                          add_nll, add_tokenize, add_cache})
          add(program);
      });
}

}  // namespace
}  // namespace lw

/// The one place that prints errors.
int main(int argc, char** argv) {
  // Keep freed memory: attention frees and takes the same megabytes at every layer, and giving them back to
  // the system each time costs more than the arithmetic of a tiny model.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  lw::watch_interrupts();
  try {
    return lw::run_program(argc, argv);
  } catch (const lw::Interrupted& stop) {
    std::fprintf(stderr, "%s; the same command resumes\n", stop.by_user ? "interrupted" : "stopped");
    return stop.by_user ? lw::kExitInterrupted : lw::kExitStopped;
  } catch (const lw::Error& e) {
    lw::print_error(e);
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
