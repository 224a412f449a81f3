#include "harness/base/json_read.h"

#include <set>
#include <vector>

#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr int kDeepest = 128;  // nested deeper, printing a value could overflow the stack

/// What is wrong at a byte, in this program's words; the library's own begin with the name of a class.
std::string fault(std::string_view text, size_t byte) {
  if (byte == 0 || byte > text.size()) return "found its end; allowed: JSON to its last bracket";
  const std::string_view rest = text.substr(byte - 1);
  return found_what(in_quotes(rest.substr(0, std::max<size_t>(utf8_length(rest), 1)))).allowed("JSON");
}

/// ":3:7" for a file, ":7" for a line of one.
std::string place_in(std::string_view text, size_t byte, bool one_line) {
  const std::string_view before = text.substr(0, std::min(text.size(), byte == 0 ? text.size() : byte - 1));
  const std::string column = ":" + std::to_string(before.size() - (before.rfind('\n') + 1) + 1);
  if (one_line) return column;
  return ":" + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + column;
}

}  // namespace

void fail_json(std::string_view text, size_t byte, const std::string& place, bool one_line) {
  throw Error(ErrorKind::kInput, place + place_in(text, byte, one_line) + ": not JSON: " + fault(text, byte));
}

void fail_json_number(const std::string& place) {
  throw Error(ErrorKind::kInput,
              place + ": not JSON: " + found_what("a number that is too large").allowed("up to 1.8e308"));
}

namespace {

template <class AnyJson>
AnyJson parse_strictly(std::string_view text, const std::string& place, bool one_line = false) {
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos)  // the parser would take it for the end
    throw Error(ErrorKind::kInput, place + ": not JSON: found a zero byte at byte " + std::to_string(nul));
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, typename AnyJson::parse_event_t event, AnyJson& value) {
    using Event = typename AnyJson::parse_event_t;
    if (depth > kDeepest)
      throw Error(ErrorKind::kInput,
                  place + ": found values nested more than " + std::to_string(kDeepest) + " deep; allowed: less");
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end && !keys.empty()) keys.pop_back();
    if (event == Event::key && !keys.empty()) {
      std::string key = value.template get<std::string>();
      if (!keys.back().insert(key).second)
        throw Error(ErrorKind::kInput, place + ": " + printable(key) + ": found twice; each key may stand once");
    }
    return true;
  };
  try {
    return AnyJson::parse(text.begin(), text.end(), watch);
  } catch (const nlohmann::json::parse_error& e) {
    fail_json(text, e.byte, place, one_line);
  } catch (const nlohmann::json::exception&) {
    fail_json_number(place);
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& place) { return parse_strictly<Json>(text, place); }

Json parse_json_line(std::string_view line, const std::string& place) {
  return parse_strictly<Json>(line, place, true);
}

SortedJson parse_sorted_json(std::string_view text, const std::string& place) {
  return parse_strictly<SortedJson>(text, place);
}

}  // namespace lw
