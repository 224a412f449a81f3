#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness/app/commands.h"
#include "harness/app/print_error.h"
#include "harness/base/error.h"
#include "harness/base/exit_code.h"
#include "harness/base/log.h"
#include "harness/base/parallel.h"
#include "harness/base/version.h"

namespace lw {

namespace {

/// What to say when the first word is no command, which the parser only calls "required"; else "".
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.empty() && word.front() == '-') continue;
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    return "command: found '" + word + "'; allowed: " + join(names) + did_you_mean(word, names);
  }
  return argc > 1 ? "" : "command: found nothing; allowed: " + join(names);
}

int command_line(int argc, char** argv) {
  CLI::App app(
      "How far past its training length does a transformer still work, and which position scheme gets it there?\n",
      "lengthwise");
  app.set_version_flag("--version", version() + " (" + commit() + ")");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(
      "Start with:  lengthwise run configs/quickstart.yaml\nEvery command explains itself:  lengthwise COMMAND --help");
  app.add_flag_callback(
      "-q,--quiet", [] { set_log_level(LogLevel::kQuiet); }, "only warnings and errors on stderr");
  app.add_flag_callback(
      "-v,--verbose", [] { set_log_level(LogLevel::kVerbose); }, "every message on stderr");
  app.fallthrough();
  Outcome outcome;
  for (auto* add : {add_run, add_report, add_diff, add_inspect, add_probes, add_validate, add_list, add_bench, add_nll,
                    add_tokenize})
    add(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const std::string unknown = unknown_command(app, argc, argv);
    std::fprintf(stderr, "error: %s\n", unknown.empty() ? e.what() : unknown.c_str());
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
  } catch (const lw::Interrupted& stop) {
    std::fprintf(stderr, "%s; the same command goes on where it was\n", stop.by_user ? "interrupted" : "stopped");
    return stop.by_user ? lw::kExitInterrupted : lw::kExitStopped;
  } catch (const lw::Error& e) {
    lw::print_error(e);
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
