// Encodings by name.
#pragma once
#include <span>

#include "encodings/position_encoding.h"

namespace lw {

std::span<const EncodingInfo* const> encodings();
/// The scheme without any position signal.
const EncodingInfo& no_positions();
/// Reads `scheme:` and its options out of `position`, and `query_temperature`, which every scheme may have.
/// @throws Error(kConfig) unknown name (with the nearest one) or bad option.
MakeEncoding read_encoding(ConfigNode& position, const ModelShape& shape);
/// The same for one kind of layer: any scheme but `layered`.
MakeEncoding read_layer_encoding(ConfigNode& position, const ModelShape& shape);

/// How many position sections this process has read, for tests of how often work reads one.
int64_t encodings_read();

}  // namespace lw
