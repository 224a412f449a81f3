// The one exception type of the project, and where it points.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// What went wrong, seen from the user's chair. Decides the exit code of the program.
enum class ErrorKind {
  kUsage,        // command line
  kConfig,       // YAML
  kInput,        // a file that was to be read, also one that is valid but not supported
  kUnsupported,  // valid, but not possible with this setting, build or machine
  kRuntime,      // failed while running: disk full, not finite
  kInternal,     // a broken promise between parts of this program
};

/// A place in a text file. `line` and `column` count from 1; 0 means unknown.
struct SourcePos {
  std::string file;
  int line = 0;
  int column = 0;
  std::string str() const;  // "a.yaml:3:7", "a.yaml:3" or "a.yaml"
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }
  /// 2 for what the user can mend in a command, config or file; 1 for everything else.
  int exit_code() const noexcept;

 private:
  ErrorKind kind_;
};

[[noreturn]] void fail_internal(const char* file, int line, const char* condition, const std::string& why);

/// The candidate nearest to `word` by edit distance, or "" when none is near enough to help.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'layers'?" when a candidate is near, else "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b, c": how lists of allowed words are printed.
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

}  // namespace lw

/// States what the programmer promised. Never use it on user input.
#define LW_CHECK(cond, why) ((cond) ? void(0) : ::lw::fail_internal(__FILE__, __LINE__, #cond, (why)))
