// The few numbers of a model that a position scheme depends on. Free of LibTorch, so that code which only describes
// models does not compile it.
#pragma once
#include <cstdint>

namespace lw {

struct ModelShape {
  int64_t width = 0;       // D
  int64_t heads = 0;       // H
  int64_t head_width = 0;  // E
  int64_t layers = 0;
  int64_t train_length = 0;  // the longest sequence seen in training, in tokens; 0 when it is not known
  bool causal = true;
};

}  // namespace lw
