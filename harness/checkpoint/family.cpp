#include "harness/checkpoint/family.h"

#include <algorithm>
#include <array>

#include "encodings/tensor.h"
#include "harness/base/registry.h"

// One line per family, in alphabetical order. Each is defined in harness/checkpoint/families/<name>.cpp.
#define LW_FAMILIES(X) \
  X(bert)              \
  X(bloom)             \
  X(gemma)             \
  X(gemma2)            \
  X(gemma3_text)       \
  X(gpt2)              \
  X(gpt_neox)          \
  X(llama)             \
  X(mistral)           \
  X(mpt)               \
  X(phi)               \
  X(phi3)              \
  X(qwen2)             \
  X(qwen3)             \
  X(smollm3)           \
  X(t5)

namespace lw {

#define LW_DECLARE(name) extern const Family name##_family;
LW_FAMILIES(LW_DECLARE)
#undef LW_DECLARE

std::span<const Family* const> families() {
#define LW_ENTRY(name) &name##_family,
  static const std::array kAll = {LW_FAMILIES(LW_ENTRY)};
#undef LW_ENTRY
  return kAll;
}

const Family& family_named(const std::string& model_type, const std::string& place) {
  if (const Family* family = find_named(families(), model_type)) return *family;
  throw Error(ErrorKind::kInput, place + ": model_type: " + unknown_name(families(), model_type));
}

void read_shape(FamilyConfig& config, ModelConfig& m, const ShapeDefaults& d) {
  // Bounds far above any existing model, so that products cannot overflow; whether the weights fit is checked later.
  constexpr int64_t kMostLayers = 4096, kMostHeads = 1 << 16, kMostWidth = 1 << 24, kMostTokens = 1 << 28;
  m.width = config.whole({"hidden_size", "n_embd", "d_model", "n_embed"}, d.width, 1, kMostWidth);
  m.layers = config.whole({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, d.layers, 1, kMostLayers);
  m.heads = config.whole({"num_attention_heads", "n_head", "n_heads", "num_heads"}, d.heads, 1, kMostHeads);
  m.kv_heads = config.whole({"num_key_value_heads"}, d.kv_heads ? d.kv_heads : m.heads, 1, kMostHeads);
  config.require(m.heads % m.kv_heads == 0, "num_key_value_heads",
                 found(m.kv_heads).allowed("a divisor of num_attention_heads (", m.heads, ")"));
  const auto head_width = config.optional_whole({"head_dim", "d_kv"}, 1, kMostWidth);
  config.require(head_width || d.head_width || m.width % m.heads == 0, "hidden_size",
                 found(m.width, ", which is not a multiple of num_attention_heads (", m.heads, ")")
                     .allowed("a multiple, or head_dim"));
  m.head_width = head_width.value_or(d.head_width.value_or(m.width / m.heads));
  if (!head_width)
    config.note("head_dim", std::to_string(m.head_width),
                d.head_width ? "default of " + config.family() : "hidden_size / num_attention_heads");
  if (d.ffn)
    m.ffn = config.whole({"intermediate_size", "n_inner", "d_ff"}, *d.ffn > 0 ? *d.ffn : 4 * m.width, 1, kMostWidth);
  m.vocabulary = config.whole({"vocab_size"}, d.vocabulary, 1, kMostTokens);
}

Activation read_activation(FamilyConfig& config, const KeyNames& keys, const std::string& fallback) {
  static const std::vector<std::pair<std::string, Activation>> kKnown = {{"gelu", Activation::kGelu},
                                                                         {"gelu_new", Activation::kGeluTanh},
                                                                         {"gelu_pytorch_tanh", Activation::kGeluTanh},
                                                                         {"gelu_fast", Activation::kGeluTanh},
                                                                         {"relu", Activation::kRelu},
                                                                         {"silu", Activation::kSilu},
                                                                         {"swish", Activation::kSilu}};
  const std::string name = config.text(keys, fallback);
  std::vector<std::string> names;
  for (const auto& [known, activation] : kKnown) {
    if (known == name) return activation;
    names.push_back(known);
  }
  config.fail(*keys.begin(), found(name).allowed(join(names)) + did_you_mean(name, names));
}

std::string activation_name(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu_new";
    case Activation::kRelu:
      return "relu";
    case Activation::kSilu:
      return "silu";
  }
  LW_CHECK(false, "an activation without a name");
  return {};
}

int64_t read_context(FamilyConfig& config, std::optional<int64_t> fallback) {
  return config.whole({"max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length"}, fallback);
}

void read_llama_layers(FamilyConfig& config, ModelConfig& m, double norm_eps) {
  m.norm = NormKind::kRmsNorm;
  m.norm_eps = config.number({"rms_norm_eps"}, norm_eps);
  m.activation = read_activation(config, {"hidden_act"}, "silu");
  m.gated = true;
  m.bias = false;
}

void read_rotary_position(FamilyConfig& config, FamilyModel& model, int64_t context, const RopeDefaults& defaults) {
  RopeSettings rope = read_rope(config, read_context(config, context), defaults);
  model.position = std::move(rope.position);
  model.train_length = rope.train_length;
}

void read_learned_position(FamilyConfig& config, FamilyModel& model, int64_t context) {
  model.train_length = read_context(config, context);
  model.position = Tree::map();
  model.position.set("scheme", word("learned"));
  model.position.set("positions", Tree::scalar(std::to_string(model.train_length)));
}

std::vector<int64_t> read_layer_windows(FamilyConfig& config, int64_t layers, std::optional<int64_t> window,
                                        bool (*slides)(int64_t layer, int64_t from), int64_t from) {
  std::vector<int64_t> out(static_cast<size_t>(layers), 0);
  const auto types = config.optional_words("layer_types");
  config.require(
      !types || types->size() == static_cast<size_t>(layers), "layer_types",
      found_what(plural(types ? std::ssize(*types) : 0, "word"), " for ", plural(layers, "layer")).allowed("one each"));
  for (int64_t l = 0; l < layers; ++l) {
    const auto i = static_cast<size_t>(l);
    if (types)
      config.require((*types)[i] == "full_attention" || (*types)[i] == "sliding_attention", "layer_types",
                     found((*types)[i]).allowed("full_attention, sliding_attention"));
    const bool slide = types ? (*types)[i] == "sliding_attention" : window.has_value() && slides(l, from);
    config.require(!slide || window.has_value(), "sliding_window",
                   found_what("nothing, and layers that slide").allowed("a number of tokens"));
    if (slide) out[i] = *window;
  }
  if (std::all_of(out.begin(), out.end(), [](int64_t w) { return w == 0; })) out.clear();
  return out;
}

bool read_tying(FamilyConfig& config, const TensorSource& source, const std::string& head, const std::string& embedding,
                bool fallback) {
  const bool tied = config.flag({"tie_word_embeddings"}, fallback);
  const bool own = source.has(head);
  config.require(tied || own || source.has("output.weight"), "tie_word_embeddings",
                 found_what("false (", config.values().back().origin, "), and no ", head, " in ", source.place())
                     .allowed("output weights of its own, or true"));
  if (!tied || !own) return tied;
  const auto output = source.read(head);
  for (const auto& tensor : source.tensors())
    if (tensor.name.ends_with(embedding) && source.read(tensor.name).equal(output)) return true;
  config.note("tie_word_embeddings", "false", "the file: " + head + " is there and differs from the embeddings");
  return false;
}

WeightMap map_of(const DecoderNames& names, const FamilyModel& model) {
  WeightMap map(names.prefix);
  add_decoder(map, names, model.model);
  return map;
}

DecoderNames llama_names() {
  DecoderNames n;
  n.prefix = "model.";
  n.embedding = "embed_tokens";
  n.layer = "layers.{}.";
  n.attention_norm = "input_layernorm";
  n.q = "self_attn.q_proj";
  n.k = "self_attn.k_proj";
  n.v = "self_attn.v_proj";
  n.o = "self_attn.o_proj";
  n.q_norm = "self_attn.q_norm";
  n.k_norm = "self_attn.k_norm";
  n.ffn_norm = "post_attention_layernorm";
  n.gate = "mlp.gate_proj";
  n.up = "mlp.up_proj";
  n.down = "mlp.down_proj";
  n.norm = "norm";
  n.head = "lm_head";
  n.ignored = {"*.rotary_emb.inv_freq"};
  return n;
}

}  // namespace lw
