#include <array>
#include <string>

#include "encodings/query_temperature/query_temperature.h"
#include "harness/base/config.h"

// One line per kind, in the order of lists. Each is defined in encodings/query_temperature/<name>.cpp.
#define LW_QUERY_TEMPERATURES(X) \
  X(log_n)                       \
  X(llama4)                      \
  X(mistral4)                    \
  X(scalable_softmax)

namespace lw {

#define LW_DECLARE(name) extern const QueryTemperatureInfo name##_temperature;
LW_QUERY_TEMPERATURES(LW_DECLARE)
#undef LW_DECLARE

std::span<const QueryTemperatureInfo* const> query_temperatures() {
#define LW_ENTRY(name) &name##_temperature,
  static const std::array kAll = {LW_QUERY_TEMPERATURES(LW_ENTRY)};
#undef LW_ENTRY
  return kAll;
}

double read_trained_length(ConfigNode& options, const ModelShape& shape, int64_t least) {
  constexpr auto kKey = "original_max_position_embeddings";
  const std::string doc = "tokens the model was trained on";
  return double(shape.train_length >= least ? options.integer(kKey, shape.train_length, {.min = least}, doc)
                                            : options.integer(kKey, {.min = least}, doc));
}

}  // namespace lw
