// Draws the initial values of learned parameters with our own generator, so that they are the same under every version
// of LibTorch.
#pragma once
#include "encodings/tensor.h"

namespace lw {

class Rng;

/// Fills `parameter`, in row-major order, with normal draws of mean 0; `rng` advances by two draws a value.
void draw_normal(at::Tensor& parameter, double standard_deviation, Rng& rng);
/// The same with draws from [low, high); `rng` advances by one draw a value.
void draw_uniform(at::Tensor& parameter, double low, double high, Rng& rng);

}  // namespace lw
