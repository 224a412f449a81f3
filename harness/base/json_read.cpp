#include "harness/base/json_read.h"

#include <set>
#include <vector>

#include "harness/base/printable.h"

namespace lw {
namespace {

constexpr int kDeepest = 128;  // nested deeper, printing a value could overflow the stack

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
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kInput, place + ": not JSON: " + printable(e.what(), 300));
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& place) { return parse_strictly<Json>(text, place); }

SortedJson parse_sorted_json(std::string_view text, const std::string& place) {
  return parse_strictly<SortedJson>(text, place);
}

}  // namespace lw
