// Encodings by name.
#pragma once
#include <memory>
#include <span>
#include <string>

namespace lw {
class ConfigNode;
class PositionEncoding;
struct EncodingInfo;
struct ModelShape;

std::span<const EncodingInfo* const> encodings();
/// Reads `scheme:` and its options out of `position`, and `query_temperature`, which goes with any scheme.
/// @throws Error(kConfig) unknown name (with the nearest one) or bad option.
std::shared_ptr<PositionEncoding> make_encoding(ConfigNode& position, const ModelShape& shape);
/// The same for one kind of layer: any scheme but `layered`.
std::shared_ptr<PositionEncoding> make_layer_encoding(ConfigNode& position, const ModelShape& shape);
}  // namespace lw
