// config.json of a Hugging Face model: what all families share, under one name each, as it stands in the file.
//
// Nothing is filled in here: defaults differ by family, and so do the remaining keys. A family reads those
// through the cursor, fills its defaults with JsonCursor::fill and calls finish(), which refuses the rest.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/formats/hf_rope.h"
#include "harness/formats/json_cursor.h"

namespace lw {

/// Absent members have no key in the file, or null. Several names of one value are given with |.
struct HfConfig {
  HfConfig(JsonCursor file, JsonCursor model) : root(std::move(file)), keys(std::move(model)) {}

  std::string model_type;                  // of the text model
  std::string wrapper_type;                // of the model around it (text_config), "" without
  std::vector<std::string> architectures;  // "LlamaForCausalLM"

  std::optional<int64_t> hidden_size;              // | n_embd | n_embed | d_model | dim
  std::optional<int64_t> num_hidden_layers;        // | n_layer | n_layers | num_layers
  std::optional<int64_t> num_attention_heads;      // | n_head | n_heads | num_heads
  std::optional<int64_t> num_key_value_heads;      // | n_kv_heads | attn_config.kv_n_heads
  std::optional<int64_t> head_dim;                 // | d_kv
  std::optional<int64_t> intermediate_size;        // | n_inner | ffn_dim | d_ff
  std::optional<int64_t> max_position_embeddings;  // | n_positions | n_ctx | max_seq_len | seq_length
  std::optional<int64_t> vocab_size;
  std::optional<double> norm_eps;           // rms_norm_eps | layer_norm_eps | layer_norm_epsilon | norm_epsilon
  std::optional<std::string> activation;    // hidden_act | hidden_activation | activation_function
  std::optional<bool> tie_word_embeddings;  // looked for around the text model too
  std::optional<std::string> dtype;         // | torch_dtype: of the weights as saved; informative
  std::optional<int64_t> bos_token_id, pad_token_id;  // -1 counts as absent
  std::vector<int64_t> eos_token_ids;                 // one or several
  bool is_encoder_decoder = false;

  JsonCursor root;  // the whole file
  JsonCursor keys;  // the text model's object: `root`, or text_config

  /// Refuses keys that nobody read. @throws Error(kInput) naming them.
  void finish() const { root.finish(); }
};

/// Reads what is common, and accepts keys that are known to change nothing when a trained model is evaluated
/// (dropout, generation settings, labels of other tasks).
/// @throws Error(kInput) for values that cannot be, names that disagree, quantised weights; without model_type.
HfConfig read_hf_config(const SortedJson& config, const std::string& place);

/// Width of one head: head_dim, else hidden_size / num_attention_heads, noted as a default.
/// @throws Error(kInput) when that is no whole number.
int64_t head_width(HfConfig& config);

/// Channels of a head that RoPE turns: the whole part of head_width * fraction, where a product within 1e-6 of a
/// whole number counts as that number. @throws Error(kInput) unless even, above 0 and within the head.
int64_t rotary_width(const HfConfig& config, int64_t head_width, double fraction);

}  // namespace lw
