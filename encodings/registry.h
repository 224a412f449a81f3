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
/// Reads `scheme:` and its options out of `position`.
/// @throws Error(kConfig) unknown name (with the nearest one) or bad option.
std::shared_ptr<PositionEncoding> make_encoding(ConfigNode& position, const ModelShape& shape);
}  // namespace lw
