#include "encodings/registry.h"

#include <array>
#include <vector>

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

std::shared_ptr<PositionEncoding> make_encoding(ConfigNode& position, const ModelShape& shape) {
  std::vector<Choice> choices;
  for (const auto* info : encodings()) choices.push_back({std::string(info->name), std::string(info->summary)});
  std::shared_ptr<PositionEncoding> built;
  position.variant("scheme", choices, "", "how the model is told where a token stands",
                   [&](size_t i) { built = encodings()[i]->make(position, shape); });
  return built;
}

}  // namespace lw
