// Builds messages: numbers with their nouns, parts joined to a text, and "found …; allowed: …".
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "harness/base/numbers.h"
#include "harness/base/printable.h"

namespace lw {

/// "1 layer", "3 layers". @param many for words that do not just take an "s".
[[nodiscard]] std::string plural(int64_t n, std::string_view one, std::string_view many = {});

inline void append_text(std::string& out, std::string_view part) { out += part; }
inline void append_text(std::string& out, char part) { out += part; }
template <class T>
requires std::integral<T> || std::floating_point<T>
void append_text(std::string& out, T part) {
  if constexpr (std::is_same_v<T, bool>)
    out += part ? "true" : "false";
  else if constexpr (std::integral<T>)
    out += std::to_string(part);
  else
    out += format_number(part);
}

/// The parts, one after the other: text("layer ", 3, " of ", 12). Numbers have the form that they have in a config.
template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

/// The message of every refused value: found(3).allowed("up to ", 2) is "found 3; allowed: up to 2".
class Found {
 public:
  explicit Found(std::string what) : what_(std::move(what)) {}
  template <class... Parts>
  [[nodiscard]] std::string allowed(const Parts&... parts) const {
    return "found " + what_ + "; allowed: " + text(parts...);
  }

 private:
  std::string what_;
};

/// A value in quotes, as messages show it: on one line, and of a long one the start.
[[nodiscard]] inline std::string in_quotes(std::string_view value) { return "'" + printable(value, 200) + "'"; }

/// A word is put in quotes, a number is not. @param after follows the value: " in layer 3".
template <class... Parts>
[[nodiscard]] Found found(std::string_view word, const Parts&... after) {
  return Found(in_quotes(word) + text(after...));
}
template <class T, class... Parts>
requires std::integral<T> || std::floating_point<T>
[[nodiscard]] Found found(T number, const Parts&... after) { return Found(text(number, after...)); }
/// For what is not a value: found_what("a list") gives "found a list".
template <class... Parts>
[[nodiscard]] Found found_what(const Parts&... parts) {
  return Found(text(parts...));
}

}  // namespace lw
