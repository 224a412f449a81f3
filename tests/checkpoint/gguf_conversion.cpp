#include "tests/checkpoint/gguf_conversion.h"

#include "harness/checkpoint/decoder_names.h"

namespace lw::checkpoint_test {
namespace {

/// Rows of each head from halves to pairs, written from the converter's description.
at::Tensor paired_rows(const at::Tensor& x, int64_t heads) {
  const int64_t width = x.size(0) / heads;
  std::vector<at::Tensor> rows;
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t j = 0; j < width / 2; ++j)
      for (const int64_t row : {j, j + width / 2}) rows.push_back(x[h * width + row]);
  return at::stack(rows);
}

/// From (head, {q, k, v}, width) to all queries, all keys, all values.
at::Tensor blocks_of_heads(const at::Tensor& x, int64_t heads) {
  const int64_t width = x.size(0) / heads / 3;
  std::vector<at::Tensor> rows;
  for (int64_t part = 0; part < 3; ++part)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t j = 0; j < width; ++j) rows.push_back(x[(h * 3 + part) * width + j]);
  return at::stack(rows);
}

const Names kLlama = {{"model.embed_tokens", "token_embd"},
                      {"model.norm", "output_norm"},
                      {"lm_head", "output"},
                      {"model.layers.{}.input_layernorm", "blk.{}.attn_norm"},
                      {"model.layers.{}.self_attn.q_proj", "blk.{}.attn_q"},
                      {"model.layers.{}.self_attn.k_proj", "blk.{}.attn_k"},
                      {"model.layers.{}.self_attn.v_proj", "blk.{}.attn_v"},
                      {"model.layers.{}.self_attn.o_proj", "blk.{}.attn_output"},
                      {"model.layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"},
                      {"model.layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"},
                      {"model.layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
                      {"model.layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
                      {"model.layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
                      {"model.layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
                      // Phi and Phi-3
                      {"model.layers.{}.self_attn.dense", "blk.{}.attn_output"},
                      {"model.layers.{}.mlp.fc1", "blk.{}.ffn_up"},
                      {"model.layers.{}.mlp.fc2", "blk.{}.ffn_down"},
                      {"model.final_layernorm", "output_norm"},
                      {"model.layers.{}.self_attn.qkv_proj", "blk.{}.attn_qkv"},
                      {"model.layers.{}.mlp.gate_up_proj", "blk.{}.ffn_up"}};
const Names kGemma2 = {{"model.layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
                       {"model.layers.{}.pre_feedforward_layernorm", "blk.{}.ffn_norm"},
                       {"model.layers.{}.post_feedforward_layernorm", "blk.{}.post_ffw_norm"}};
const Names kGpt2 = {{"transformer.wte", "token_embd"},
                     {"transformer.wpe", "position_embd"},
                     {"transformer.ln_f", "output_norm"},
                     {"transformer.h.{}.ln_1", "blk.{}.attn_norm"},
                     {"transformer.h.{}.attn.c_attn", "blk.{}.attn_qkv"},
                     {"transformer.h.{}.attn.c_proj", "blk.{}.attn_output"},
                     {"transformer.h.{}.ln_2", "blk.{}.ffn_norm"},
                     {"transformer.h.{}.mlp.c_fc", "blk.{}.ffn_up"},
                     {"transformer.h.{}.mlp.c_proj", "blk.{}.ffn_down"}};
const Names kNeox = {{"gpt_neox.embed_in", "token_embd"},
                     {"gpt_neox.final_layer_norm", "output_norm"},
                     {"embed_out", "output"},
                     {"gpt_neox.layers.{}.input_layernorm", "blk.{}.attn_norm"},
                     {"gpt_neox.layers.{}.attention.query_key_value", "blk.{}.attn_qkv"},
                     {"gpt_neox.layers.{}.attention.dense", "blk.{}.attn_output"},
                     {"gpt_neox.layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
                     {"gpt_neox.layers.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up"},
                     {"gpt_neox.layers.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down"}};
const Names kBloom = {{"transformer.word_embeddings", "token_embd"},
                      {"transformer.word_embeddings_layernorm", "token_embd_norm"},
                      {"transformer.ln_f", "output_norm"},
                      {"transformer.h.{}.input_layernorm", "blk.{}.attn_norm"},
                      {"transformer.h.{}.self_attention.query_key_value", "blk.{}.attn_qkv"},
                      {"transformer.h.{}.self_attention.dense", "blk.{}.attn_output"},
                      {"transformer.h.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
                      {"transformer.h.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up"},
                      {"transformer.h.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down"}};
const Names kMpt = {{"transformer.wte", "token_embd"},
                    {"transformer.norm_f", "output_norm"},
                    {"transformer.blocks.{}.norm_1", "blk.{}.attn_norm"},
                    {"transformer.blocks.{}.attn.Wqkv", "blk.{}.attn_qkv"},
                    {"transformer.blocks.{}.attn.out_proj", "blk.{}.attn_output"},
                    {"transformer.blocks.{}.norm_2", "blk.{}.ffn_norm"},
                    {"transformer.blocks.{}.ffn.up_proj", "blk.{}.ffn_up"},
                    {"transformer.blocks.{}.ffn.down_proj", "blk.{}.ffn_down"}};

/// "model.layers.1.mlp.up_proj.weight" to "blk.1.ffn_up.weight".
std::string renamed(const std::string& name, const Conversion& c) {
  const size_t dot = name.rfind('.');
  const std::string stem = name.substr(0, dot), ending = name.substr(dot);
  for (auto list = c.names.rbegin(); list != c.names.rend(); ++list)  // later lists go before earlier ones
    for (const auto& [theirs, ours] : *list)
      for (int64_t layer = 0; layer < 2; ++layer)
        if (numbered(theirs, layer) == stem) return numbered(ours, layer) + ending;
  throw std::runtime_error("no GGUF name for " + name);
}

at::Tensor converted(const std::string& gguf, at::Tensor x, const Conversion& c, const ModelConfig& m) {
  const auto is = [&](const char* part) { return gguf.find(part) != std::string::npos; };
  const bool paired = c.architecture == "llama" || c.architecture == "smollm3";
  if (paired && is(".attn_q.")) return paired_rows(x, m.heads);
  if (paired && is(".attn_k.")) return paired_rows(x, m.kv_heads);
  if ((c.architecture == "gptneox" || c.architecture == "bloom") && is("attn_qkv")) return blocks_of_heads(x, m.heads);
  if (c.architecture == "gpt2" && x.dim() == 2 && is("blk.")) return x.t().contiguous();
  if (c.architecture.rfind("gemma", 0) == 0 && is("norm")) return x + 1;
  return x;
}

}  // namespace

Json metadata_of(const Conversion& c, const ModelConfig& m, int64_t context) {
  const std::string a = c.architecture + ".";
  Json out = {{"general.architecture", c.architecture},
              {a + "embedding_length", m.width},
              {a + "block_count", m.layers},
              {a + "feed_forward_length", m.ffn},
              {a + "attention.head_count", m.heads},
              {a + "context_length", context},
              {a + (m.norm == NormKind::kRmsNorm ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon"),
               m.norm_eps}};
  if (m.kv_heads != m.heads) out[a + "attention.head_count_kv"] = m.kv_heads;
  if (m.head_width * m.heads != m.width)
    out[a + "attention.key_length"] = out[a + "attention.value_length"] = m.head_width;
  for (const auto& [key, value] : c.metadata.items()) out[a + key] = value;
  return out;
}

at::Tensor logits_of(Transformer& model) {
  at::NoGradGuard no_grad;
  const auto tokens_1T = fixtures().tokens_T.unsqueeze(0);
  return model.logits(model.hidden(tokens_1T, at::arange(tokens_1T.size(1), at::kLong).unsqueeze(0)));
}

Checkpoint source_of(const Conversion& c) {
  FixtureCase changed = fixtures().named(c.fixture);
  changed.config.update(c.config);
  return open_case(changed);
}

Tensors tensors_of(const Conversion& c, const Checkpoint& hf) {
  Tensors out;
  for (const auto& tensor : hf.source->tensors()) {
    const std::string name = renamed(tensor.name, c);
    out[name] = converted(name, hf.source->read(tensor.name), c, hf.model.model);
  }
  return out;
}

std::vector<Conversion> all_conversions() {
  const Json theta = {{"rope.freq_base", 100.0}};
  const auto with = [](Json base, const Json& more) {
    base.update(more);
    return base;
  };
  const Json yarn = {{"rope.scaling.type", "yarn"},
                     {"rope.scaling.factor", 4.0},
                     {"rope.scaling.original_context_length", 16},
                     {"rope.scaling.yarn_beta_fast", 2.0},
                     {"rope.scaling.yarn_beta_slow", 0.25}};  // fmt: skip
  const Json linear = {{"rope.scaling.type", "linear"}, {"rope.scaling.factor", 4.0}};
  const Json parallel = {{"use_parallel_residual", true}, {"rope.dimension_count", 4}};
  const Json softcaps = {{"attention.sliding_window", 10},
                         {"attn_logit_softcapping", 2.0},
                         {"final_logit_softcapping", 3.0}};  // fmt: skip
  const Json scale = {{"query_pre_attn_scalar", 6}};
  return {{"llama", "llama", {kLlama}, theta},
          {"llama-linear", "llama", {kLlama}, with(theta, linear)},
          {"llama-linear", "llama", {kLlama}, with(theta, {{"rope.scale_linear", 4.0}})},
          {"llama-yarn", "llama", {kLlama}, with(theta, yarn)},
          {"mistral", "llama", {kLlama}, with(theta, {{"attention.sliding_window", 10}})},
          {"qwen2", "qwen2", {kLlama}, theta},
          {"qwen3", "qwen3", {kLlama}, theta},
          {"smollm3-all-rope", "smollm3", {kLlama}, theta},
          {"gpt2", "gpt2", {kGpt2}},
          {"gpt_neox", "gptneox", {kNeox}, with(theta, parallel)},
          {"bloom", "bloom", {kBloom}},
          {"mpt", "mpt", {kMpt}, {{"attention.max_alibi_bias", 8.0}}},
          {"mpt",
           "mpt",
           {kMpt},
           {{"attention.max_alibi_bias", 4.0}, {"attention.clamp_kqv", 0.4}},
           {{"attn_config", {{"alibi_bias_max", 4.0}, {"clip_qkv", 0.4}}}}},
          {"phi", "phi2", {kLlama}, with(theta, {{"rope.dimension_count", 4}})},
          {"phi3", "phi3", {kLlama}, theta},
          {"gemma", "gemma", {kLlama}, theta},
          {"gemma2", "gemma2", {kLlama, kGemma2}, with(theta, softcaps), scale},
          {"gemma3_text",
           "gemma3",
           {kLlama, kGemma2},
           {{"attention.sliding_window", 10},
            {"attention.sliding_window_pattern", 2},
            {"rope.freq_base", 1000.0},
            {"rope.freq_base_swa", 50.0}},
           scale}};  // fmt: skip
}

Conversion llama_conversion() { return {"llama", "llama", {kLlama}, {{"rope.freq_base", 100.0}}}; }

Conversion llama_without_scaling() { return {"llama-linear", "llama", {kLlama}, {{"rope.freq_base", 100.0}}}; }

Checkpoint open_made(const Json& metadata, Tensors tensors) {
  return open_gguf_checkpoint(metadata, "made.gguf", std::make_unique<MemorySource>(std::move(tensors), "made.gguf"));
}

}  // namespace lw::checkpoint_test
