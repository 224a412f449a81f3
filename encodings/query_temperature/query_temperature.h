// Query temperatures: each query is multiplied, after its rotation, by a number that grows with its position, since a
// softmax over more keys is flatter. A temperature goes with any position scheme. Keys are not changed, so a key cache
// stays valid. One file a kind; parts/query_temperature.h puts a kind around a scheme.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/position_encoding.h"

namespace lw {

class QueryTemperature {
 public:
  virtual ~QueryTemperature() = default;
  /// The factor at each position, float64. @param m float64, 0 or more.
  [[nodiscard]] virtual at::Tensor factor(const at::Tensor& m) const = 0;
  /// As PositionEncoding::changes_after().
  [[nodiscard]] virtual int64_t changes_after() const { return 0; }
  /// The options, for the position card.
  [[nodiscard]] virtual std::vector<CardFact> facts() const = 0;
  /// The initial value of a learned number for each layer and head, which multiplies the factor; nullopt where nothing
  /// is learned.
  [[nodiscard]] virtual std::optional<double> learned_init() const { return std::nullopt; }
};

/// One line of the registry.
struct QueryTemperatureInfo {
  std::string_view name;     // as in `kind:`
  std::string_view summary;  // the formula, at position m
  /// @throws Error(kConfig) with the place of a bad option.
  std::shared_ptr<const QueryTemperature> (*read)(ConfigNode& options, const ModelShape& shape);
};

[[nodiscard]] std::span<const QueryTemperatureInfo* const> query_temperatures();

/// Reads `original_max_position_embeddings`, `least` or more; by default the training length, where that is enough.
double read_trained_length(ConfigNode& options, const ModelShape& shape, int64_t least);

}  // namespace lw
