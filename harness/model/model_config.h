// Everything that describes a transformer before it is built, as a config or a checkpoint states it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "encodings/model_shape.h"

namespace lw {

class ConfigNode;

enum class ModelKind { kDecoder, kEncoder };  // causal; bidirectional
enum class NormKind { kLayerNorm, kRmsNorm };
/// Of a sub-layer f: x + f(norm(x)); norm(x + f(x)), BERT; x + norm(f(norm(x))), Gemma 2.
enum class NormPlacement { kPre, kPost, kSandwich };
enum class Activation { kGelu, kGeluTanh, kRelu, kSilu };

struct ModelConfig {
  ModelKind kind = ModelKind::kDecoder;
  int64_t layers = 2, heads = 4, kv_heads = 4, width = 64, head_width = 16, ffn = 256;
  NormKind norm = NormKind::kLayerNorm;
  double norm_eps = 1e-5;
  Activation activation = Activation::kGelu;
  bool gated = false;            // activation(gate) * up, as in LLaMA
  bool bias = true;              // of the linear layers, unless one below says otherwise
  bool tied_embeddings = true;   // output weights are the input embeddings
  bool begin_token = false;      // every sequence starts with a special token
  double init_std = 0.1;         // of linear layers and embeddings; 0.8 / sqrt(width) by default
  int64_t vocabulary = 0;        // follows from the suites or the checkpoint
  std::vector<int64_t> windows;  // of each layer, in tokens; 0: all keys. Empty: all keys in every layer

  // Switches for checkpoints. With these defaults a model is plain, and models that are trained here keep them.
  bool norm_bias = true;                                // of layer normalisation
  bool norm_unit_offset = false;                        // the factor is 1 + weight (Gemma)
  NormPlacement norm_placement = NormPlacement::kPre;   // kPost: no norm after the last layer
  bool parallel = false;                                // x + attention(norm(x)) + ffn(norm(x)), GPT-NeoX
  bool shared_norm = false;                             // attention and ffn share one norm (Phi)
  std::optional<bool> qkv_bias, output_bias, ffn_bias;  // output: the projection after attention
  bool qk_norm = false;                                 // queries and keys are normalised, per head
  std::optional<double> attention_scale;                // of the logits; 1 / sqrt(head_width) when absent
  bool attention_scale_by_layer = false;                // divided by the layer's number, from 1 (GPT-2)
  double attention_softcap = 0;                         // c tanh(logit / c); 0: none
  double clip_qkv = 0;                                  // projections are clamped to [-c, c]; 0: no limit
  bool cross_attention = false;                         // the decoder of an encoder-decoder
  double embedding_scale = 1;                           // rounded to the weights' type, as Gemma does
  bool embedding_norm = false;                          // after token and position embeddings
  bool token_type = false;                              // one vector is added to every embedding (BERT)
  bool head = true;                                     // false: hidden states only
  bool head_transform = false;                          // a layer before the output weights (BERT)
  bool head_bias = false;
  double logit_scale = 1;
  double logit_softcap = 0;  // as attention_softcap

  bool causal() const { return kind == ModelKind::kDecoder; }
  int64_t window_of(int64_t layer) const { return windows.empty() ? 0 : windows.at(size_t(layer)); }
  [[nodiscard]] ModelShape shape(int64_t train_length) const;
  [[nodiscard]] std::string summary() const;  // "decoder, 2 layers, width 64, 4 heads"
};

/// Reads the `model` section. @throws Error(kConfig).
ModelConfig read_model_config(ConfigNode& model);

}  // namespace lw
