#include "harness/model/model_config.h"

#include <algorithm>
#include <cmath>

#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

const NamedValues<ModelKind> kKinds = {{ModelKind::kDecoder, "decoder", "causal"},
                                       {ModelKind::kEncoder, "encoder", "bidirectional, scored at a mask"}};
const NamedValues<NormKind> kNorms = {{NormKind::kLayerNorm, "layernorm", "Ba et al. 2016"},
                                      {NormKind::kRmsNorm, "rmsnorm", "Zhang and Sennrich 2019"}};
const NamedValues<Activation> kActivations = {{Activation::kGelu, "gelu", "exact"},
                                              {Activation::kGeluTanh, "gelu_tanh", "tanh form"},
                                              {Activation::kRelu, "relu"},
                                              {Activation::kSilu, "silu"}};

/// `sliding_window`, and the layers exempt from it. Absent keys stay absent, so that older configs without them
/// describe the same weights.
std::vector<int64_t> read_windows(ConfigNode& m, int64_t layers) {
  const auto window = m.optional_integer("sliding_window", {1, int64_t{1} << 29},
                                         "tokens that a query sees, itself among them; absent: all");
  const auto interval = m.optional_integer("full_attention_interval", {1, 512},
                                           "N: every N-th layer sees all tokens in spite of sliding_window");
  m.expect(window.has_value() || !interval.has_value(), "full_attention_interval",
           found(interval.value_or(0), " without sliding_window").allowed("both, or neither"));
  if (!window) return {};
  std::vector<int64_t> windows(size_t(layers), *window);
  for (int64_t l = 0; interval && l < layers; ++l)
    if ((l + 1) % *interval == 0) windows[size_t(l)] = 0;
  return windows;
}

}  // namespace

ModelShape ModelConfig::shape(int64_t train_length) const {
  return {width, heads, head_width, layers, train_length, causal()};
}

std::string ModelConfig::summary() const {
  std::string out = cross_attention ? "encoder-decoder, " : causal() ? "decoder, " : "encoder, ";
  out += text(plural(layers, "layer"), ", width ", width, ", ", plural(heads, "head"));
  if (kv_heads != heads) out += text(" (", kv_heads, " for keys and values)");
  const auto slides = std::find_if(windows.begin(), windows.end(), [](int64_t w) { return w > 0; });
  if (slides != windows.end()) {
    const auto n = std::count_if(windows.begin(), windows.end(), [](int64_t w) { return w > 0; });
    out += text(", ", plural(n, "layer sees", "layers see"), " ", *slides, " tokens");
  }
  return out;
}

ModelConfig read_model_config(ConfigNode& m) {
  ModelConfig c;
  c.kind = m.choice("kind", kKinds, ModelKind::kDecoder, "which way attention looks");
  c.layers = m.integer("layers", 2, {1, 512}, "transformer blocks");
  c.width = m.integer("width", 64, {1, 65536}, "width of the residual stream");
  c.heads = m.integer("heads", 4, {1, 1024}, "attention heads");
  c.kv_heads = m.integer("kv_heads", c.heads, {1, 1024}, "heads of keys and values (grouped-query attention)");
  m.expect(c.heads % c.kv_heads == 0, "kv_heads", found(c.kv_heads).allowed("a divisor of heads (", c.heads, ")"));
  m.expect(c.width % c.heads == 0 || m.has("head_width"), "width",
           found(c.width).allowed("a multiple of heads (", c.heads, "), or any width when head_width is given"));
  c.head_width = m.integer("head_width", std::max<int64_t>(1, c.width / c.heads), {1, 65536}, "width of one head");
  c.ffn = m.integer("ffn", 4 * c.width, {1, 1 << 20}, "inner width of the feed-forward layers");
  c.norm = m.choice("norm", kNorms, NormKind::kLayerNorm, "normalisation before each sub-layer");
  c.norm_eps = m.number("norm_eps", 1e-5, {0, 1, true}, "added to the variance");
  c.activation = m.choice("activation", kActivations, Activation::kGelu, "of the feed-forward layers");
  c.gated = m.flag("gated", false, "multiply the activation by a second projection (GLU)");
  c.bias = m.flag("bias", true, "linear layers have biases");
  c.tied_embeddings = m.flag("tied_embeddings", true, "output weights are the input embeddings");
  c.windows = read_windows(m, c.layers);
  c.begin_token = m.flag("begin_token", false, "every sequence starts with a token of its own");
  // 0.1 at width 64: with GPT-2's 0.02 so narrow a model stays on the needle's plateau for hundreds of steps.
  const double init_std = std::round(0.8 / std::sqrt(double(c.width)) * 1e6) / 1e6;
  c.init_std = m.number("init_std", init_std, {0, 10, true}, "standard deviation of initial weights");
  return c;
}

}  // namespace lw
