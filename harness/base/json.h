// The two kinds of JSON value by name, for headers that only hand them on. What looks into a value includes
// harness/base/json_read.h, whose <nlohmann/json.hpp> costs three seconds a file.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace lw {

using Json = nlohmann::ordered_json;
using SortedJson = nlohmann::json;

}  // namespace lw
