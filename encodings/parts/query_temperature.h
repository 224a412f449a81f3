// Puts a query temperature around a position scheme: its queries are scaled by their own positions.
#pragma once
#include <memory>

namespace lw {

class ConfigNode;
class PositionEncoding;
struct ModelShape;

/// `inner` with the temperature that `position.query_temperature` states; `inner` itself where there is none.
/// The parameters of `inner` keep their names, so that weights trained without a temperature can be loaded.
/// @throws Error(kConfig).
std::shared_ptr<PositionEncoding> with_query_temperature(ConfigNode& position, const ModelShape& shape,
                                                         std::shared_ptr<PositionEncoding> inner);

}  // namespace lw
