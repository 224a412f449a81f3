// What a command may ask of the command line. One file, command_line.cpp, compiles CLI11, which takes five seconds; the
// commands see this header alone.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lw {

/// One option of a command. Each call returns the option again, so that they chain.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption& required();
  /// Each use takes one value, and the option may be repeated.
  CommandOption& repeatable();
  /// One use takes several values with commas between them.
  CommandOption& comma_separated();
  CommandOption& one_of(const std::vector<std::string>& words);
  /// Whole numbers from `least` to `most`, both included.
  CommandOption& within(int64_t least, int64_t most);
  /// The option may stand without a value, which then is `value`.
  CommandOption& or_alone(const std::string& value);
  /// What --help calls the value: "PATH=VALUE".
  CommandOption& value_name(const std::string& name);
  /// --help shows the value that the variable holds now.
  CommandOption& show_default();

 private:
  CLI::Option* option_;
};

/// A command, or the program itself.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  /// A command below this one. @param summary a clause, for --help.
  Command command(const std::string& name, const std::string& summary);
  /// One of the commands below must be given.
  void require_command();

  /// @param name "--limit", or "config" for one that has no dashes. The value goes into the variable, which must live
  /// until the program has parsed its arguments.
  CommandOption option(const std::string& name, std::string& value, const std::string& help);
  CommandOption option(const std::string& name, std::filesystem::path& value, const std::string& help);
  CommandOption option(const std::string& name, int64_t& value, const std::string& help);
  CommandOption option(const std::string& name, std::vector<std::string>& value, const std::string& help);
  CommandOption option(const std::string& name, std::vector<int64_t>& value, const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);
  /// Does `action` as soon as the flag is read.
  void flag(const std::string& name, const std::function<void()>& action, const std::string& help);

  /// Text behind the options in --help: examples, exit codes.
  void footer(const std::string& text);
  /// What the command does. @param action returns the exit code.
  void runs(std::function<int()> action);

 private:
  CLI::App* app_;
};

/// Parses the arguments, runs the command that they name and returns its exit code. @throws Error(kUsage) for arguments
/// that it refuses: "--threads: found 0; allowed: a whole number from 1 to 4096".
/// @param add adds commands and options to the program.
int run_command_line(int argc, char** argv, const std::string& summary, const std::string& footer,
                     const std::function<void(Command&)>& add);

}  // namespace lw
