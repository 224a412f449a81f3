// GGUF metadata as JSON: the form in which models are described, whatever the container.
#include <type_traits>

#include "harness/base/json_read.h"
#include "harness/formats/gguf.h"

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

}  // namespace lw
