// Keys and names follow llama.cpp (gguf-py's constants and conversion scripts, 2026-08), and so do the defaults for
// keys that its converter does not write.
#include "harness/checkpoint/gguf_family.h"

#include <algorithm>

#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "harness/checkpoint/gguf_rope.h"

namespace lw {
namespace {

/// Keys under "llama.", without that prefix. A list of equal values becomes one value.
Json below(const Json& metadata, const std::string& architecture) {
  Json out = Json::object();
  for (const auto& [key, value] : metadata.items()) {
    if (key.rfind(architecture + ".", 0) != 0) continue;
    const bool alike =
        value.is_array() && !value.empty() &&
        std::all_of(value.begin(), value.end(), [&, &value = value](const Json& v) { return v == value[0]; });
    out[key.substr(architecture.size() + 1)] = alike ? value[0] : value;
  }
  return out;
}

/// Of the families that share an architecture, the one that takes the file.
const Family& family_of(const std::string& architecture, const FamilyConfig& keys) {
  const Family* other = nullptr;  // for files that no family claims
  std::vector<std::string> known;
  for (const Family* family : families()) {
    if (family->architecture.empty()) continue;
    if (std::find(known.begin(), known.end(), family->architecture) == known.end())
      known.emplace_back(family->architecture);
    if (family->architecture != architecture) continue;
    if (family->takes_gguf == nullptr)
      other = family;
    else if (family->takes_gguf(keys))
      return *family;
  }
  if (other != nullptr) return *other;
  const bool in_folders = std::any_of(families().begin(), families().end(),
                                      [&](const Family* family) { return family->name == architecture; });
  throw Error(
      ErrorKind::kInput,
      keys.place() + ": general.architecture: " +
          found(architecture, in_folders ? ", which is read only from Hugging Face folders" : "").allowed(join(known)) +
          (in_folders ? "" : did_you_mean(architecture, known)));
}

DecoderNames names_of(const Family& family, const TensorSource& source) {
  DecoderNames n;
  n.embedding = "token_embd";
  n.embedding_norm = "token_embd_norm";
  n.layer = "blk.{}.";
  n.attention_norm = "attn_norm";
  n.q = "attn_q";
  n.k = "attn_k";
  n.v = "attn_v";
  // Fused where the file has the fused tensor, always as blocks of all queries, all keys and all values.
  if (source.has("blk.0.attn_qkv.weight")) n.qkv = "attn_qkv";
  n.o = "attn_output";
  n.q_norm = "attn_q_norm";
  n.k_norm = "attn_k_norm";
  n.attention_output_norm = "post_attention_norm";
  n.ffn_norm = "ffn_norm";
  n.gate = "ffn_gate";
  n.up = "ffn_up";
  n.down = "ffn_down";
  n.ffn_output_norm = "post_ffw_norm";
  n.norm = "output_norm";
  n.head = "output";
  // The first is read with the metadata; the others were left behind by old converters.
  n.ignored = {"rope_f*.weight", "blk.*.attn_rot_embd", "blk.*.attn_rot_embd.weight"};
  if (family.gguf_names != nullptr) family.gguf_names(n, source);
  return n;
}

}  // namespace

GgufConfig::GgufConfig(const Json& metadata, const std::string& place, const TensorSource& source)
    : architecture_(json_get<std::string>(metadata, "general.architecture", place)),
      keys_(below(metadata, architecture_), architecture_, place + ": " + architecture_, "metadata"),
      source_(source) {
  const auto type = metadata.find("general.type");
  if (type != metadata.end() && *type != "model") keys_.fail("general.type", found_what(type->dump()).allowed("model"));
  family_ = &family_of(architecture_, keys_);
}

const Json& GgufConfig::convert() {
  read_shape();
  config_.set("model_type", std::string(family_->name));
  family_->from_gguf(*this);
  keys_.ignore({"vocab_size", "rope.scaling.finetuned", "attention.causal", "tensor_data_layout",
                "attention.key_length_swa", "attention.value_length_swa"});
  keys_.finish();
  return config_.json();
}

void GgufConfig::read_shape() {
  width = keys_.whole({"embedding_length"}, std::nullopt);
  heads = keys_.whole({"attention.head_count"}, std::nullopt);
  layers = keys_.whole({"block_count"}, std::nullopt);
  const int64_t kv_heads = keys_.optional_whole({"attention.head_count_kv"}).value_or(heads);
  ffn = keys_.whole({"feed_forward_length"}, std::nullopt);
  context = keys_.whole({"context_length"}, std::nullopt);
  head_width = keys_.optional_whole({"attention.key_length"}).value_or(width / heads);
  const int64_t value_width = keys_.optional_whole({"attention.value_length"}).value_or(head_width);
  keys_.require(value_width == head_width, "attention.value_length",
                found(value_width).allowed("that of keys, ", head_width));
  const auto* embedding = source_.find("token_embd.weight");
  keys_.require(embedding != nullptr && embedding->shape.size() == 2, "token_embd.weight",
                found_what("no such matrix").allowed("one, whose rows are the vocabulary"));
  config_.set("hidden_size", width);
  config_.set("num_hidden_layers", layers);
  config_.set("num_attention_heads", heads);
  config_.set("num_key_value_heads", kv_heads);
  config_.set("intermediate_size", ffn);
  config_.set("max_position_embeddings", context);
  config_.set("head_dim", head_width);
  config_.set("vocab_size", embedding->shape[0]);
  config_.set("tie_word_embeddings", !source_.has("output.weight"));
}

void GgufConfig::rms_norm(const char* key) {
  config_.set(key, keys_.number({"attention.layer_norm_rms_epsilon"}, std::nullopt));
}

void GgufConfig::layer_norm(const char* key) {
  config_.set(key, keys_.number({"attention.layer_norm_epsilon"}, std::nullopt));
}

void GgufConfig::rope(bool part) { read_gguf_rope(keys_, source_, {context, head_width, part}, config_); }

void GgufConfig::attention_bias() { config_.set("attention_bias", has_tensor("blk.0.attn_q.bias")); }

Checkpoint open_gguf_checkpoint(const Json& metadata, const std::string& place, std::unique_ptr<TensorSource> source) {
  GgufConfig gguf(metadata, place, *source);
  const Json& config = gguf.convert();
  Checkpoint out;
  out.family = &gguf.family();
  FamilyConfig cursor(config, std::string(out.family->name), place, "metadata of " + gguf.architecture());
  out.model = out.family->read(cursor, *source);
  cursor.finish();
  out.values = gguf.values().values();
  for (const auto& value : cursor.values()) out.values.push_back(value);
  out.map = map_of(names_of(*out.family, *source), out.model);
  out.source = std::move(source);
  return out;
}

}  // namespace lw
