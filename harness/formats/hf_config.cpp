#include "harness/formats/hf_config.h"

#include <cmath>

namespace lw {
namespace {

constexpr Range<int64_t> kCount{1, int64_t{1} << 31};
constexpr Range<int64_t> kTokenId{-1, int64_t{1} << 31};  // -1: none
constexpr Range<double> kPositive{0.0, std::numeric_limits<double>::max(), true};

/// Keys that do not change what a trained model computes when it is evaluated.
void accept_without_effect(JsonCursor& keys) {
  keys.no_effect({"_name_or_path", "_commit_hash", "name_or_path", "transformers_version", "auto_map",
                  "tokenizer_class", "model_max_length", "language"},
                 "bookkeeping");
  keys.no_effect({"initializer_range", "initializer_factor", "attention_dropout", "attention_probs_dropout_prob",
                  "hidden_dropout", "hidden_dropout_prob", "resid_pdrop", "embd_pdrop", "attn_pdrop", "emb_pdrop",
                  "embedding_dropout", "resid_dropout", "classifier_dropout", "classifier_dropout_prob", "dropout",
                  "dropout_rate", "gradient_checkpointing"},
                 "for training only");
  keys.no_effect(
      {"use_cache", "output_attentions", "output_hidden_states", "output_scores", "return_dict",
       "return_dict_in_generate", "torchscript", "use_bfloat16", "_attn_implementation", "attn_implementation",
       "_attn_implementation_autoset", "chunk_size_feed_forward", "is_composition", "tf_legacy_loss"},
      "how transformers runs it");
  keys.no_effect(
      {"id2label", "label2id", "num_labels", "problem_type", "finetuning_task", "task_specific_params", "summary_type",
       "summary_use_proj", "summary_activation", "summary_proj_to_labels", "summary_first_dropout"},
      "for heads of other tasks");
  keys.no_effect({"do_sample",
                  "max_length",
                  "min_length",
                  "num_beams",
                  "num_beam_groups",
                  "diversity_penalty",
                  "temperature",
                  "top_k",
                  "top_p",
                  "typical_p",
                  "repetition_penalty",
                  "length_penalty",
                  "no_repeat_ngram_size",
                  "encoder_no_repeat_ngram_size",
                  "early_stopping",
                  "num_return_sequences",
                  "bad_words_ids",
                  "forced_bos_token_id",
                  "forced_eos_token_id",
                  "suppress_tokens",
                  "begin_suppress_tokens",
                  "remove_invalid_values",
                  "exponential_decay_length_penalty",
                  "sep_token_id",
                  "unk_token_id",
                  "cls_token_id",
                  "mask_token_id",
                  "prefix"},
                 "for generating text or for the tokenizer");
}

/// Keys that are understood only when they ask for nothing special.
void refuse_what_is_not_done(JsonCursor& keys) {
  if (const SortedJson* found = keys.peek("quantization_config"))
    keys.fail("quantization_config",
              "found " + json_shown(*found) + "; allowed: none, since quantised weights are read from GGUF files only");
  keys.only("pruned_heads", {SortedJson::object()}, "no heads taken out");
  keys.only("add_cross_attention", {false}, "no attention to another model");
  keys.only("tie_encoder_decoder", {false}, "encoder and decoder have their own weights");
  keys.optional_texts("cross_attention_hidden_size");
}

std::optional<int64_t> token_id(JsonCursor& keys, const std::string& key) {
  const auto id = keys.optional_integer(key, kTokenId);
  return id == -1 ? std::nullopt : id;
}

void read_tokens(HfConfig& c, JsonCursor& keys) {
  if (const auto bos = token_id(keys, "bos_token_id"); !c.bos_token_id) c.bos_token_id = bos;
  if (const auto pad = token_id(keys, "pad_token_id"); !c.pad_token_id) c.pad_token_id = pad;
  const auto eos = keys.optional_integers("eos_token_id", kTokenId);
  if (!eos || !c.eos_token_ids.empty()) return;
  for (const int64_t id : *eos)
    if (id != -1) c.eos_token_ids.push_back(id);
}

void read_sizes(HfConfig& c) {
  JsonCursor& k = c.keys;
  c.hidden_size = k.optional_integer({"hidden_size", "n_embd", "n_embed", "d_model", "dim"}, kCount);
  c.num_hidden_layers = k.optional_integer({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, kCount);
  c.num_attention_heads = k.optional_integer({"num_attention_heads", "n_head", "n_heads", "num_heads"}, kCount);
  c.num_key_value_heads = k.optional_integer({"num_key_value_heads", "n_kv_heads"}, kCount);
  if (k.has("attn_config")) {
    const auto nested = k.object("attn_config").optional_integer("kv_n_heads", kCount);
    if (nested && c.num_key_value_heads.value_or(*nested) != *nested)
      k.fail("attn_config.kv_n_heads", "found " + std::to_string(*nested) + ", where num_key_value_heads says " +
                                           std::to_string(*c.num_key_value_heads) + "; allowed: one value");
    if (nested) c.num_key_value_heads = nested;
  }
  c.head_dim = k.optional_integer({"head_dim", "d_kv"}, kCount);
  c.intermediate_size = k.optional_integer({"intermediate_size", "n_inner", "ffn_dim", "d_ff"}, kCount);
  c.max_position_embeddings =
      k.optional_integer({"max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length"}, kCount);
  c.vocab_size = k.optional_integer("vocab_size", kCount);
  if (c.num_attention_heads && c.num_key_value_heads && *c.num_attention_heads % *c.num_key_value_heads != 0)
    k.fail("num_key_value_heads", "found " + std::to_string(*c.num_key_value_heads) + "; allowed: a divisor of " +
                                      std::to_string(*c.num_attention_heads) + ", the number of attention heads");
}

/// In multimodal models the text model's own tie may stand around it, inside it, or both.
void read_tie(HfConfig& c, bool is_wrapped) {
  c.tie_word_embeddings = c.keys.optional_flag("tie_word_embeddings");
  if (!is_wrapped) return;
  const auto outer = c.root.optional_flag("tie_word_embeddings");
  if (outer && c.tie_word_embeddings.value_or(*outer) != *outer)
    c.root.fail("tie_word_embeddings", std::string("found ") + (*outer ? "true" : "false") +
                                           ", where text_config says otherwise; allowed: one value");
  if (outer) c.tie_word_embeddings = outer;
}

}  // namespace

HfConfig read_hf_config(const SortedJson& config, const std::string& place) {
  JsonCursor root(config, place, "config.json");
  const bool is_wrapped = root.has("text_config");
  HfConfig c(root, is_wrapped ? root.object("text_config") : root);
  const Keys dtype = {"dtype", "torch_dtype"};
  c.model_type = c.keys.text("model_type");
  c.architectures = root.optional_texts("architectures").value_or(std::vector<std::string>{});
  if (is_wrapped) {
    c.wrapper_type = root.text("model_type");
    c.keys.optional_texts("architectures");
    root.no_effect({"vision_config", "audio_config", "image_token_index", "image_token_id", "boi_token_index",
                    "eoi_token_index", "mm_tokens_per_image", "projector_hidden_act", "vision_feature_layer",
                    "spatial_merge_size", "multimodal_projector_bias"},
                   "not of the text model");
    root.optional_text(dtype);
  }
  read_sizes(c);
  c.norm_eps = c.keys.optional_number(
      {"norm_eps", "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"}, kPositive);
  c.activation = c.keys.optional_text({"activation", "hidden_act", "hidden_activation", "activation_function"});
  c.dtype = c.keys.optional_text(dtype);
  c.is_encoder_decoder = c.keys.optional_flag("is_encoder_decoder").value_or(false);
  read_tie(c, is_wrapped);
  read_tokens(c, c.keys);
  if (is_wrapped) read_tokens(c, root);
  for (JsonCursor* keys : {&c.root, &c.keys}) {
    refuse_what_is_not_done(*keys);
    accept_without_effect(*keys);
    if (!is_wrapped) break;
  }
  return c;
}

int64_t head_width(HfConfig& c) {
  if (c.head_dim) return *c.head_dim;
  if (!c.hidden_size || !c.num_attention_heads)
    c.keys.fail("head_dim", "found nothing, and not hidden_size and num_attention_heads; allowed: either");
  if (*c.hidden_size % *c.num_attention_heads != 0)
    c.keys.fail("hidden_size", "found " + std::to_string(*c.hidden_size) + ", which " +
                                   std::to_string(*c.num_attention_heads) +
                                   " heads do not divide; allowed: a multiple, or head_dim");
  return c.keys.fill(c.head_dim, "head_dim", *c.hidden_size / *c.num_attention_heads,
                     "hidden_size / num_attention_heads");
}

int64_t rotary_width(const HfConfig& c, int64_t head_width, double fraction) {
  const double exact = static_cast<double>(head_width) * fraction;
  const bool is_near = std::abs(exact - std::round(exact)) < 1e-6;
  const auto width = static_cast<int64_t>(is_near ? std::round(exact) : std::floor(exact));
  if (width < 2 || width % 2 != 0 || width > head_width)
    c.keys.fail("partial_rotary_factor", "found " + SortedJson(fraction).dump() + ", which turns " +
                                             std::to_string(width) + " of " + std::to_string(head_width) +
                                             " channels; allowed: an even number from 2 to " +
                                             std::to_string(head_width));
  return width;
}

}  // namespace lw
