#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/log.h"
#include "harness/base/parallel.h"
#include "harness/base/version.h"

namespace lw {

bool color_on_stdout() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

namespace {

int command_line(int argc, char** argv) {
  CLI::App app("How far past its training length does a transformer still work, and which position scheme gets it there?\n",
               "lengthwise");
  app.set_version_flag("--version", version() + " (" + commit() + ")");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer("Start with:  lengthwise run configs/quickstart.yaml\nEvery command explains itself:  lengthwise COMMAND --help");
  app.add_flag_callback("-q,--quiet", [] { set_log_level(LogLevel::kQuiet); }, "only warnings and errors on stderr");
  app.add_flag_callback("-v,--verbose", [] { set_log_level(LogLevel::kVerbose); }, "every message on stderr");
  app.fallthrough();
  Outcome outcome;
  for (auto* add : {add_run, add_report, add_diff, add_inspect, add_probes, add_validate, add_list}) add(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 2;
  }
  return outcome.value_or(0);
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
    return lw::command_line(argc, argv);
  } catch (const lw::Interrupted&) {
    std::fprintf(stderr, "interrupted; the same command goes on where it was\n");
    return lw::kExitInterrupted;
  } catch (const lw::Error& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
