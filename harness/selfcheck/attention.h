// What the checks of attention measure, each under any encoding.
#pragma once
#include <functional>
#include <optional>

#include "encodings/position_encoding.h"

namespace lw {

class Transformer;

/// Sums in another order, in float64.
inline constexpr double kTilesBound = 1e-12;
/// Another kernel in float32: outputs are means of values near 1.
inline constexpr double kFusedBound = 1e-5;
/// Twice the length: linear memory grows by up to 2, quadratic memory by up to 4. LibTorch's fused kernel works in
/// larger blocks from 768 tokens on, so both lengths are above.
inline constexpr double kMemoryBound = 2.5;
inline constexpr int64_t kMemoryShort = 1024, kMemoryLong = 2048;
/// A whole model in float64, whose hidden states are normalised.
inline constexpr double kKeyCacheBound = 1e-9;
/// Logits of single queries and keys, in float64.
inline constexpr double kShiftBound = 1e-9;

/// Largest difference of an output between attention in tiles and at once, on every kind of layer. float64.
double tiles_apart(const ModelShape& shape, const MakeEncoding& make);

/// The same between the fused kernel and the path with all hooks, in float32 on a device. nullopt where evaluation uses
/// no fused kernel.
std::optional<double> fused_apart(const ModelShape& shape, const MakeEncoding& make, const std::string& device);

/// Peak memory at kMemoryLong tokens over that at kMemoryShort. Counts bytes, so it does not depend on load or threads.
double memory_growth(const std::function<void(int64_t length)>& forward);

/// Largest difference of a hidden state between a full pass and one token at a time over a key cache. float64: the
/// model is converted.
double key_cache_apart(Transformer& model, int64_t tokens);

/// Largest change of a logit when query and key move by the same number of positions. float64.
/// nullopt where the table of positions leaves no room to move.
std::optional<double> moved_by_shift(const ModelShape& shape, const MakeEncoding& make);

}  // namespace lw
