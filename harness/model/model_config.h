// The shape of a transformer to build, as a config states it.
#pragma once
#include <cstdint>
#include <string>

#include "encodings/position_encoding.h"

namespace lw {

enum class ModelKind { kDecoder, kEncoder };  // causal; bidirectional
enum class NormKind { kLayerNorm, kRmsNorm };
enum class Activation { kGelu, kGeluTanh, kRelu, kSilu };

struct ModelConfig {
  ModelKind kind = ModelKind::kDecoder;
  int64_t layers = 2, heads = 4, kv_heads = 4, width = 64, head_width = 16, ffn = 256;
  NormKind norm = NormKind::kLayerNorm;
  double norm_eps = 1e-5;
  Activation activation = Activation::kGelu;
  bool gated = false;           // activation(gate) * up, as in LLaMA
  bool bias = true;             // of the linear layers
  bool tied_embeddings = true;  // output weights are the input embeddings
  bool begin_token = false;     // sequences start with a token of their own
  double init_std = 0.1;        // of linear layers and embeddings; 0.8 / sqrt(width) by default
  int64_t vocabulary = 0;       // filled in by who knows the suites

  bool causal() const { return kind == ModelKind::kDecoder; }
  ModelShape shape(int64_t train_length) const;
  std::string summary() const;  // "decoder, 2 layers, width 64, 4 heads"
};

/// Reads the `model` section. @throws Error(kConfig).
ModelConfig read_model_config(ConfigNode& model);

}  // namespace lw
