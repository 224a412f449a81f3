// Puts a query temperature around a position scheme: its queries are scaled by their own positions.
#pragma once
#include "encodings/position_encoding.h"

namespace lw {

/// `inner` with the temperature that `position.query_temperature` states; `inner` itself where there is none. A
/// temperature that learns nothing is added after training, since it is 1 within the original length.
/// The parameters of `inner` keep their names, so that weights trained without a temperature can be loaded.
/// @throws Error(kConfig).
MakeEncoding with_query_temperature(ConfigNode& position, const ModelShape& shape, MakeEncoding inner);

}  // namespace lw
