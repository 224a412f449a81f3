// GGUF metadata as a cursor reads it.
#include <type_traits>

#include "harness/formats/gguf.h"
#include "harness/formats/json_cursor.h"

namespace lw {
namespace {

SortedJson json_of(const GgufValue& value) {
  return std::visit(
      [&](const auto& list) {
        SortedJson out = SortedJson::array();
        for (const auto& item : list) {
          if (value.type == GgufValue::Type::kBool)
            out.push_back(item != typename std::decay_t<decltype(list)>::value_type{});
          else
            out.push_back(item);
        }
        return value.is_array ? out : out.at(0);
      },
      value.values);
}

}  // namespace

SortedJson model_metadata(const GgufFile& file) {
  SortedJson object = SortedJson::object();
  for (const auto& [key, value] : file.metadata())
    if (key.rfind("tokenizer.", 0) != 0) object[key] = json_of(value);
  return object;
}

JsonCursor JsonCursor::of(const GgufFile& file) {
  SortedJson object = model_metadata(file);
  const std::string place = file.file().place();
  const size_t slash = place.find_last_of('/');
  return {std::move(object), place, slash == std::string::npos ? place : place.substr(slash + 1)};
}

}  // namespace lw
