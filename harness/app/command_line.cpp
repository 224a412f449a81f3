#include "harness/app/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/base/version.h"

namespace lw {
namespace {

/// What the command that was named has returned. The parser's callbacks return nothing.
std::optional<int>& outcome() {
  static std::optional<int> code;
  return code;
}

using Words = std::vector<std::string>;

bool is_flag(const std::string& word) { return word.size() > 1 && word[0] == '-' && !parse_number(word); }

/// The command that was named last.
const CLI::App& innermost(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : innermost(*commands.back());
}

/// What to say when no command was named where one is needed, which the parser only calls "required"; else "".
std::string unknown_command(const CLI::App& app, const Words& arguments) {
  Words names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (names.empty()) return "";
  const std::string place = app.get_parent() == nullptr ? "command: " : app.get_name() + ": ";
  auto word = arguments.begin();
  if (app.get_parent() != nullptr) word = std::find(word, arguments.end(), app.get_name()) + 1;
  word = std::find_if_not(word, arguments.end(), is_flag);
  if (word != arguments.end()) return place + found(*word).allowed(join(names)) + did_you_mean(*word, names);
  return place + found_what("nothing").allowed(join(names));
}

/// A flag, or a word, that no command takes; "" where there is none.
std::string unexpected(const CLI::App& app, const CLI::App& command) {
  const Words words = app.remaining(true);
  if (words.empty()) return "";
  Words flags, arguments;
  for (const auto* of : {&command, &app})
    for (const auto* option : of->get_options()) {
      if (!option->get_lnames().empty()) flags.push_back("--" + option->get_lnames().front());
      if (option->get_positional() && of == &command) arguments.push_back(option->get_name());
    }
  const auto flag = std::find_if(words.begin(), words.end(), is_flag);
  if (flag != words.end()) {
    std::sort(flags.begin(), flags.end());
    flags.erase(std::unique(flags.begin(), flags.end()), flags.end());
    const std::string name = flag->substr(0, flag->find('='));
    const std::string place = printable(name, 200) + ": ";
    if (std::find(flags.begin(), flags.end(), name) != flags.end())
      return place + found_what("it before the command").allowed("behind it");
    return place + found_what("an unknown option").allowed(join(flags)) + did_you_mean(name, flags);
  }
  return command.get_name() + ": " +
         found(words.front(), ", one argument too many").allowed(arguments.empty() ? "none" : join(arguments));
}

/// The first option or argument that must be given and was not; "" where there is none.
std::string missing(const CLI::App& command) {
  for (const auto* option : command.get_options())
    if (option->get_required() && option->count() == 0)
      return option->get_name() + ": " + found_what("nothing").allowed(option->get_description());
  return "";
}

/// Of an option with too few values, or too many.
std::string miscounted(const std::string& words, const Words& arguments) {
  const std::string name = words.substr(0, words.find(':'));
  const auto times = std::count_if(arguments.begin(), arguments.end(), [&](const std::string& word) {
    return word == name || word.rfind(name + "=", 0) == 0;
  });
  if (times > 1) return name + ": " + found_what(times, " of them").allowed("one");
  return name + ": " + found_what("nothing").allowed("a value");
}

/// Of a flag that was given a value which is no answer to yes or no.
std::string misread(const CLI::App& command, const Words& arguments) {
  for (const auto& word : arguments) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto* option = equals == std::string::npos || !is_flag(word) ? nullptr : command.get_option_no_throw(name);
    if (option != nullptr && option->get_expected_max() == 0)
      return name + ": " + found(word.substr(equals + 1)).allowed("no value");
  }
  return "";
}

/// What is wrong with the arguments, in the form that every error has.
std::string refusal(const CLI::App& app, const CLI::ParseError& error, const Words& arguments) {
  const CLI::App& command = innermost(app);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return miscounted(error.what(), arguments);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr)
    if (const std::string words = misread(command, arguments); !words.empty()) return words;
  const bool incomplete = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!incomplete && dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  for (const std::string& words : {unknown_command(command, arguments), unexpected(app, command), missing(command)})
    if (!words.empty()) return words;
  return error.what();
}

/// Names, paths and values go into files that are UTF-8.
void require_utf8(const Words& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const size_t bad = find_not_utf8(word);
    if (bad == std::string::npos) continue;
    const std::string name = is_flag(word)                        ? word.substr(0, word.find('='))
                             : i > 0 && is_flag(arguments[i - 1]) ? arguments[i - 1]
                                                                  : text("argument ", i + 1);
    throw Error(ErrorKind::kUsage,
                printable(name) + ": " + found(word, ", whose byte ", bad + 1, " is not UTF-8").allowed("UTF-8 text"));
  }
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
  const auto check = [words](const std::string& word) {
    const bool known = std::find(words.begin(), words.end(), word) != words.end();
    return known ? "" : found(word).allowed(join(words)) + did_you_mean(word, words);
  };
  option_->check(check, "{" + join(words, ",") + "}");
  return *this;
}

CommandOption& CommandOption::within(int64_t least, int64_t most) {
  const auto check = [least, most](const std::string& word) -> std::string {
    const auto number = parse_whole(word);
    if (number && *number >= least && *number <= most) return "";
    return (number ? found(*number) : found(word)).allowed("a whole number from ", least, " to ", most);
  };
  option_->check(check, text("INT in [", least, " - ", most, "]"));
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
  const Words arguments(argv + 1, argv + argc);
  require_utf8(arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw Error(ErrorKind::kUsage, refusal(app, e, arguments));
  }
  return outcome().value_or(0);
}

}  // namespace lw
