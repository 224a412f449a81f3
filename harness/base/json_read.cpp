#include "harness/base/json_read.h"

#include <algorithm>
#include <set>
#include <vector>

#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr int kDeepest = 128;  // nested deeper, printing a value could overflow the stack

/// "line 3, column 7"; of a text on one line the column alone.
std::string place_in(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte - 1);
  const std::string column = lw::text("column ", before.size() - (before.rfind('\n') + 1) + 1);
  if (text.find('\n') == text.npos) return column;
  return lw::text("line ", std::count(before.begin(), before.end(), '\n') + 1, ", ", column);
}

}  // namespace

void fail_json(std::string_view text, size_t byte, const std::string& place) {
  std::string what = text.empty() ? "nothing" : "its end, with something still open";
  if (byte > 0 && byte <= text.size()) {
    const std::string_view rest = text.substr(byte - 1);
    what = in_quotes(rest.substr(0, std::max<size_t>(utf8_length(rest), 1))) + " at " + place_in(text, byte);
  }
  throw Error(ErrorKind::kInput, place + ": not JSON: " + found_what(what).allowed("JSON"));
}

void fail_json_number(const std::string& place) {
  throw Error(ErrorKind::kInput,
              place + ": not JSON: " + found_what("a number that is too large").allowed("up to 1.8e308"));
}

namespace {

template <class AnyJson>
AnyJson parse_strictly(std::string_view text, const std::string& place) {
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
    fail_json(text, e.byte, place);
  } catch (const nlohmann::json::exception&) {
    fail_json_number(place);
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& place) { return parse_strictly<Json>(text, place); }

SortedJson parse_sorted_json(std::string_view text, const std::string& place) {
  return parse_strictly<SortedJson>(text, place);
}

}  // namespace lw
