#include "encodings/registry.h"

#include <array>
#include <vector>

#include "encodings/parts/query_temperature.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"

// One line per encoding, in alphabetical order. Each is defined in encodings/<name>.cpp.
#define LW_ENCODINGS(X) \
  X(alibi)              \
  X(cope)               \
  X(dca)                \
  X(deberta)            \
  X(fire)               \
  X(kerple)             \
  X(layered)            \
  X(leaky_rerope)       \
  X(learned)            \
  X(none)               \
  X(rerope)             \
  X(rope)               \
  X(sandwich)           \
  X(self_extend)        \
  X(shaw)               \
  X(sinusoidal)         \
  X(streaming)          \
  X(t5)                 \
  X(transformer_xl)     \
  X(xpos)

namespace lw {

#define LW_DECLARE(name) extern const EncodingInfo name##_encoding;
LW_ENCODINGS(LW_DECLARE)
#undef LW_DECLARE

std::span<const EncodingInfo* const> encodings() {
#define LW_ENTRY(name) &name##_encoding,
  static const std::array kAll = {LW_ENCODINGS(LW_ENTRY)};
#undef LW_ENTRY
  return kAll;
}

namespace {

std::shared_ptr<PositionEncoding> make(ConfigNode& position, const ModelShape& shape,
                                       const std::vector<const EncodingInfo*>& known) {
  std::vector<Choice> choices;
  for (const auto* info : known) choices.push_back({std::string(info->name), std::string(info->summary)});
  std::shared_ptr<PositionEncoding> built;
  position.variant("scheme", choices, "", "how the model is told where a token stands",
                   [&](size_t i) { built = known[i]->make(position, shape); });
  return with_query_temperature(position, shape, std::move(built));
}

}  // namespace

std::shared_ptr<PositionEncoding> make_encoding(ConfigNode& position, const ModelShape& shape) {
  return make(position, shape, {encodings().begin(), encodings().end()});
}

std::shared_ptr<PositionEncoding> make_layer_encoding(ConfigNode& position, const ModelShape& shape) {
  std::vector<const EncodingInfo*> known;
  for (const auto* info : encodings())
    if (info != &layered_encoding) known.push_back(info);
  return make(position, shape, known);
}

}  // namespace lw
