// What is wrong in a config, in parts: where it stands, which key it is, and what was found there.
#pragma once
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lw {

struct Problem {
  enum class Kind { kValue, kMissing, kUnknownKey };

  SourcePos at;
  std::string key;   // "position.scaling.factor"; "" for the whole config
  std::string what;  // "found 3; allowed: 1 or 2"
  Kind kind = Kind::kValue;
  std::string meant = {};  // kUnknownKey: the key that was probably meant, as `key` writes it; or ""

  /// "FILE:LINE:COLUMN: KEY: found …; allowed: …", without the parts that are not known.
  std::string text() const;
};

/// Misspelt keys first, then everything else; each by its place. Left out is a missing key whose misspelling is in
/// the list, and what stands there twice.
std::vector<Problem> in_order(std::vector<Problem> problems);

/// Everything that is wrong in a config; what() holds one line for each.
class ConfigErrors : public Error {
 public:
  /// @param problems at least one.
  explicit ConfigErrors(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// An option that cannot be met, from code that does not know where it was given; what() is "OPTION: WHAT".
class OptionError : public Error {
 public:
  OptionError(const std::string& option, const std::string& what)
      : Error(ErrorKind::kConfig, option + ": " + what), option_(option), found_and_allowed_(what) {}
  const std::string& option() const noexcept { return option_; }
  const std::string& found_and_allowed() const noexcept { return found_and_allowed_; }

 private:
  std::string option_, found_and_allowed_;
};

/// The line that `at` points to and a caret below its column, two lines that each end in a line feed:
///   3 | model: {layrs: 2}
///     |         ^
/// "" where the place has no column or its file cannot be read.
std::string source_excerpt(const SourcePos& at);

}  // namespace lw
