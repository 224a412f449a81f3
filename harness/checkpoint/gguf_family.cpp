// Keys and names after llama.cpp (gguf-py's constants and conversion scripts, 2026-08); what its loader fills in
// for keys that its converter does not write is filled in here alike.
#include "harness/checkpoint/gguf_family.h"

#include <algorithm>

#include "harness/checkpoint/gguf_rope.h"

namespace lw {
namespace {

/// Metadata of one architecture, and the config.json that they stand for.
class GgufConfig {
 public:
  GgufConfig(const Json& metadata, const std::string& place, const TensorSource& source)
      : architecture_(json_get<std::string>(metadata, "general.architecture", place)),
        keys_(below(metadata, architecture_), architecture_, place + ": " + architecture_, "metadata"),
        source_(source) {
    const auto type = metadata.find("general.type");
    keys_.require(type == metadata.end() || *type == "model", "general.type",
                  "found " + (type == metadata.end() ? "" : type->dump()) + "; allowed: model");
  }

  const std::string& architecture() const { return architecture_; }
  const FamilyConfig& keys() const { return keys_; }

  /// With `model_type`.
  Json convert() {
    require_known();
    read_shape();
    if (architecture_ == "llama") llama();
    if (architecture_ == "qwen2") out_["model_type"] = "qwen2";
    if (architecture_ == "qwen3") qwen3();
    if (architecture_ == "smollm3") smollm3();
    if (architecture_ == "gpt2") out_["model_type"] = "gpt2";
    if (architecture_ == "gptneox") gpt_neox();
    if (architecture_ == "bloom") out_["model_type"] = "bloom";
    if (architecture_ == "mpt") mpt();
    if (architecture_ == "phi2") out_["model_type"] = "phi";
    if (architecture_ == "phi3") phi3();
    if (architecture_.rfind("gemma", 0) == 0) gemma();
    LW_CHECK(out_.contains("model_type"), "an architecture without a family");
    rename_for_family();
    keys_.ignore({"vocab_size", "rope.scaling.finetuned", "attention.causal", "tensor_data_layout",
                  "attention.key_length_swa", "attention.value_length_swa"});
    keys_.finish();
    return out_;
  }

 private:
  void require_known() const {
    std::vector<std::string> known;
    bool in_folders = false;  // a family that is read, but not from GGUF
    for (const auto* family : families()) {
      if (!family->architecture.empty()) known.emplace_back(family->architecture);
      in_folders = in_folders || (family->architecture.empty() && family->name == architecture_);
    }
    if (std::find(known.begin(), known.end(), architecture_) != known.end()) return;
    throw Error(ErrorKind::kUnsupported, keys_.place() + ": general.architecture: found '" + architecture_ + "'" +
                                             (in_folders ? ", which is read from Hugging Face folders alone" : "") +
                                             "; allowed: " + join(known) +
                                             (in_folders ? "" : did_you_mean(architecture_, known)));
  }

  /// Keys under "llama.", without it; single values in lists of equal ones are taken out.
  static Json below(const Json& metadata, const std::string& architecture) {
    Json out = Json::object();
    for (const auto& [key, value] : metadata.items()) {
      if (key.rfind(architecture + ".", 0) != 0) continue;
      const bool alike = value.is_array() && !value.empty() &&
                         std::all_of(value.begin(), value.end(), [&](const Json& v) { return v == value[0]; });
      out[key.substr(architecture.size() + 1)] = alike ? value[0] : value;
    }
    return out;
  }

  bool has_rope() const { return architecture_ != "gpt2" && architecture_ != "bloom" && architecture_ != "mpt"; }
  bool has_rms_norm() const { return has_rope() && architecture_ != "gptneox" && architecture_ != "phi2"; }

  void read_shape() {
    const int64_t width = keys_.whole({"embedding_length"}, std::nullopt);
    heads_ = keys_.whole({"attention.head_count"}, std::nullopt);
    layers_ = keys_.whole({"block_count"}, std::nullopt);
    out_["hidden_size"] = width;
    out_["num_hidden_layers"] = layers_;
    out_["num_attention_heads"] = heads_;
    out_["num_key_value_heads"] = keys_.optional_whole({"attention.head_count_kv"}).value_or(heads_);
    out_["intermediate_size"] = keys_.whole({"feed_forward_length"}, std::nullopt);
    context_ = keys_.whole({"context_length"}, std::nullopt);
    out_["max_position_embeddings"] = context_;
    head_width_ = keys_.optional_whole({"attention.key_length"}).value_or(width / heads_);
    const int64_t value_width = keys_.optional_whole({"attention.value_length"}).value_or(head_width_);
    keys_.require(value_width == head_width_, "attention.value_length",
                  "found " + std::to_string(value_width) + "; allowed: that of keys, " + std::to_string(head_width_));
    out_["head_dim"] = head_width_;
    out_["norm_eps"] = has_rms_norm() ? keys_.number({"attention.layer_norm_rms_epsilon"}, std::nullopt)
                                      : keys_.number({"attention.layer_norm_epsilon"}, std::nullopt);
    const auto* embedding = source_.find("token_embd.weight");
    keys_.require(embedding != nullptr && embedding->shape.size() == 2, "token_embd.weight",
                  "found no such matrix; allowed: one, whose rows are the vocabulary");
    out_["vocab_size"] = embedding->shape[0];
    out_["tie_word_embeddings"] = !source_.has("output.weight");
    const bool part = architecture_ == "gptneox" || architecture_ == "phi2";
    if (has_rope()) read_gguf_rope(keys_, source_, {context_, head_width_, part}, out_);
  }

  void llama() {
    const auto window = keys_.optional_whole({"attention.sliding_window"});
    out_["model_type"] = window ? "mistral" : "llama";
    if (window) out_["sliding_window"] = *window;
    keys_.require(!keys_.has("expert_count"), "expert_count", "found a mixture of experts; allowed: one feed-forward");
    if (window) return;
    out_["attention_bias"] = source_.has("blk.0.attn_q.bias");
    out_["mlp_bias"] = source_.has("blk.0.ffn_up.bias");
  }

  void qwen3() {
    out_["model_type"] = "qwen3";
    out_["attention_bias"] = source_.has("blk.0.attn_q.bias");
  }

  void smollm3() {
    out_["model_type"] = "smollm3";
    out_["no_rope_layer_interval"] = 4;  // llama.cpp's loader has it from nowhere else
    out_["attention_bias"] = source_.has("blk.0.attn_q.bias");
  }

  void gpt_neox() {
    out_["model_type"] = "gpt_neox";
    out_["use_parallel_residual"] = keys_.flag({"use_parallel_residual"}, true);
  }

  void mpt() {
    out_["model_type"] = "mpt";
    out_["attn_config"] = {{"alibi", true}};
    const double most = keys_.optional_number({"attention.max_alibi_bias"}).value_or(0);
    keys_.require(most > 0, "attention.max_alibi_bias", "found 0, learned positions; allowed: above 0, ALiBi");
    out_["attn_config"]["alibi_bias_max"] = most;
    const double clamp = keys_.optional_number({"attention.clamp_kqv"}).value_or(0);
    if (clamp > 0) out_["attn_config"]["clip_qkv"] = clamp;
  }

  void phi3() {
    out_["model_type"] = "phi3";
    const auto window = keys_.optional_whole({"attention.sliding_window"}, 0).value_or(0);
    if (window > 0 && window < context_) out_["sliding_window"] = window;
  }

  void gemma() {
    if (architecture_ == "gemma") {
      out_["model_type"] = "gemma";
      return;
    }
    const bool third = architecture_ == "gemma3";
    out_["model_type"] = third ? "gemma3_text" : "gemma2";
    out_["sliding_window"] = keys_.whole({"attention.sliding_window"}, std::nullopt);
    // The largest of each generation scales by width over heads; its number of layers is what tells it.
    const bool largest = layers_ == (third ? 62 : 46);
    const double scalar = largest ? out_["hidden_size"].get<double>() / double(heads_) : double(head_width_);
    out_["query_pre_attn_scalar"] = scalar;
    const auto cap = [&](const char* ours, const char* theirs) {
      const double value = keys_.optional_number({theirs}).value_or(0);
      out_[ours] = value > 0 ? Json(value) : Json(nullptr);
    };
    cap("attn_logit_softcapping", "attn_logit_softcapping");
    cap("final_logit_softcapping", "final_logit_softcapping");
    if (!third) return;
    out_["sliding_window_pattern"] = keys_.whole({"attention.sliding_window_pattern"}, 6);
    out_["rope_local_base_freq"] = keys_.number({"rope.freq_base_swa"}, 10000.0);
  }

  /// What all have, under the name that the family reads, and without what it has no key for.
  void rename_for_family() {
    const auto type = out_["model_type"].get<std::string>();
    const bool rms = has_rms_norm();
    const char* eps = rms                                   ? "rms_norm_eps"
                      : type == "gpt_neox" || type == "phi" ? "layer_norm_eps"
                                                            : "layer_norm_epsilon";
    out_[eps] = out_["norm_eps"];
    out_.erase("norm_eps");
    if (type == "mpt") {
      const auto width = out_["hidden_size"].get<int64_t>(), ffn = out_["intermediate_size"].get<int64_t>();
      keys_.require(ffn % width == 0, "feed_forward_length",
                    "found " + std::to_string(ffn) + "; allowed: a multiple of " + std::to_string(width));
      out_["expansion_ratio"] = ffn / width;
      out_.erase("intermediate_size");
    }
    if (type == "bloom") {
      out_["seq_length"] = out_["max_position_embeddings"];
      out_.erase("max_position_embeddings");
    }
  }

  std::string architecture_;
  FamilyConfig keys_;
  const TensorSource& source_;
  Json out_ = Json::object();
  int64_t heads_ = 0, layers_ = 0, context_ = 0, head_width_ = 0;
};

}  // namespace

DecoderNames gguf_names(const std::string& architecture, const TensorSource& source) {
  DecoderNames n;
  n.embedding = "token_embd";
  n.embedding_norm = "token_embd_norm";
  if (architecture == "gpt2") n.positions = source.has("pos_embd.weight") ? "pos_embd" : "position_embd";
  n.layer = "blk.{}.";
  n.attention_norm = "attn_norm";
  n.q = "attn_q";
  n.k = "attn_k";
  n.v = "attn_v";
  // Fused where the file has it so: the converter puts all of them in blocks of queries, keys and values.
  if (source.has("blk.0.attn_qkv.weight")) n.qkv = "attn_qkv";
  n.o = "attn_output";
  n.q_norm = "attn_q_norm";
  n.k_norm = "attn_k_norm";
  n.attention_output_norm = "post_attention_norm";
  n.ffn_norm = "ffn_norm";
  n.gate = "ffn_gate";
  n.up = "ffn_up";
  if (architecture == "phi3") n.gate_up = "ffn_up";
  n.down = "ffn_down";
  n.ffn_output_norm = "post_ffw_norm";
  n.norm = "output_norm";
  n.head = "output";
  n.interleaved_rope = architecture == "llama" || architecture == "smollm3";
  n.norm_plus_one = architecture.rfind("gemma", 0) == 0;
  // The first is read with the metadata; the second is what old converters left behind.
  n.ignored = {"rope_f*.weight", "blk.*.attn_rot_embd", "blk.*.attn_rot_embd.weight"};
  return n;
}

Checkpoint open_gguf_checkpoint(const Json& metadata, const std::string& place, std::unique_ptr<TensorSource> source) {
  GgufConfig gguf(metadata, place, *source);
  const Json config = gguf.convert();
  Checkpoint out;
  const auto type = config["model_type"].get<std::string>();
  out.family = &family_named(type, place);
  FamilyConfig cursor(config, type, place, "metadata of " + gguf.architecture());
  out.model = out.family->read(cursor, *source);
  cursor.finish();
  out.values = gguf.keys().values();
  for (const auto& value : cursor.values()) out.values.push_back(value);
  const DecoderNames names = gguf_names(gguf.architecture(), *source);
  out.map = map_of(names, out.model);
  out.source = std::move(source);
  return out;
}

}  // namespace lw
