#include "harness/base/json_read.h"

#include <set>
#include <vector>

namespace lw {

Json parse_json(std::string_view text, const std::string& place) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int /*depth*/, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.empty() && !keys.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), watch);
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kInput, place + ": not JSON: " + e.what());
  }
  if (!twice.empty()) throw Error(ErrorKind::kInput, place + ": " + twice + ": found twice; each key may stand once");
  return json;
}

}  // namespace lw
