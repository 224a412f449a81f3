// A length-dependent RoPE scaling held at one length.
#pragma once
#include <cstdint>
#include <memory>

#include "encodings/rope_scaling/rope_scaling.h"

namespace lw {

/// Always gives the frequencies of `length` tokens, so that keys may be cached. Longer sequences are not refused.
std::unique_ptr<RopeScaling> at_declared_length(std::unique_ptr<RopeScaling> scaling, int64_t length);

}  // namespace lw
