#include "harness/app/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/base/version.h"

namespace lw {
namespace {

/// What the command that was named has returned. The parser's callbacks return nothing.
std::optional<int>& outcome() {
  static std::optional<int> code;
  return code;
}

/// What to say when the first word is no command, which the parser only calls "required"; else "".
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.empty() && word.front() == '-') continue;
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    return "command: " + found(word).allowed(join(names)) + did_you_mean(word, names);
  }
  return argc > 1 ? "" : "command: " + found_what("nothing").allowed(join(names));
}

}  // namespace

CommandOption& CommandOption::required() {
  option_->required();
  return *this;
}

CommandOption& CommandOption::repeatable() {
  option_->allow_extra_args(false);
  return *this;
}

CommandOption& CommandOption::comma_separated() {
  option_->delimiter(',');
  return *this;
}

CommandOption& CommandOption::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

CommandOption& CommandOption::within(int64_t least, int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

CommandOption& CommandOption::or_alone(const std::string& value) {
  option_->expected(0, 1)->default_str(value);
  return *this;
}

CommandOption& CommandOption::value_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

CommandOption& CommandOption::show_default() {
  option_->capture_default_str();
  return *this;
}

Command Command::command(const std::string& name, const std::string& summary) {
  return Command(app_->add_subcommand(name, summary));
}

void Command::require_command() { app_->require_subcommand(1); }

CommandOption Command::option(const std::string& name, std::string& value, const std::string& help) {
  return CommandOption(app_->add_option(name, value, help));
}
CommandOption Command::option(const std::string& name, std::filesystem::path& value, const std::string& help) {
  return CommandOption(app_->add_option(name, value, help));
}
CommandOption Command::option(const std::string& name, int64_t& value, const std::string& help) {
  return CommandOption(app_->add_option(name, value, help));
}
CommandOption Command::option(const std::string& name, std::vector<std::string>& value, const std::string& help) {
  return CommandOption(app_->add_option(name, value, help));
}
CommandOption Command::option(const std::string& name, std::vector<int64_t>& value, const std::string& help) {
  return CommandOption(app_->add_option(name, value, help));
}

void Command::flag(const std::string& name, bool& value, const std::string& help) { app_->add_flag(name, value, help); }

void Command::flag(const std::string& name, const std::function<void()>& action, const std::string& help) {
  app_->add_flag_callback(name, action, help);
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::runs(std::function<int()> action) {
  app_->callback([action = std::move(action)] { outcome() = action(); });
}

int run_command_line(int argc, char** argv, const std::string& summary, const std::string& footer,
                     const std::function<void(Command&)>& add) {
  CLI::App app(summary, "lengthwise");
  app.set_version_flag("--version", version() + " (" + commit() + ")");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(footer);
  app.fallthrough();
  Command program(&app);
  add(program);
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
  return outcome().value_or(0);
}

}  // namespace lw
