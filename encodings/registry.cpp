#include "encodings/registry.h"

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "encodings/parts/query_temperature.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

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

const EncodingInfo& no_positions() { return none_encoding; }

namespace {

std::atomic<int64_t> read_so_far = 0;

MakeEncoding read(ConfigNode& position, const ModelShape& shape, const std::vector<const EncodingInfo*>& known) {
  std::vector<Choice> choices;
  for (const auto* info : known) choices.push_back({std::string(info->name), std::string(info->summary)});
  MakeEncoding make;
  position.variant("scheme", choices, "", "how the model is told where a token stands", [&](size_t i) {
    const EncodingInfo& info = *known[i];
    if (!info.trained_as.empty())
      position.in_training("scheme", Tree::scalar(std::string(info.trained_as), true),
                           text(info.name, " on ", info.trained_as));
    make = info.read(position, shape);
  });
  return with_query_temperature(position, shape, std::move(make));
}

}  // namespace

MakeEncoding read_encoding(ConfigNode& position, const ModelShape& shape) {
  if (!position.is_describing()) ++read_so_far;
  return read(position, shape, {encodings().begin(), encodings().end()});
}

MakeEncoding read_layer_encoding(ConfigNode& position, const ModelShape& shape) {
  std::vector<const EncodingInfo*> known;
  for (const auto* info : encodings())
    if (info != &layered_encoding) known.push_back(info);
  return read(position, shape, known);
}

int64_t encodings_read() { return read_so_far; }

}  // namespace lw
