// MPT. MosaicML 2023: ALiBi with a configurable largest slope exponent, norms without biases, fused projections that
// may be clamped. Deviation from transformers 5, which always computes with an exponent of 8: here the file's
// alibi_bias_max counts, as in the authors' code and llama.cpp. All known files say 8.
#include <algorithm>

#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace mpt {

/// The keys of `attn_config` that transformers computes with; the others must state what it does anyway.
Tree read_attention(FamilyConfig& config, ModelConfig& m) {
  FamilyConfig attention = config.below("attn_config");
  config.require(attention.flag({"alibi"}, true), "attn_config.alibi",
                 found(false).allowed("true, since transformers has no other positions for MPT"));
  const double bias_max = attention.number({"alibi_bias_max"}, 8.0);
  const auto clip = attention.optional_number({"clip_qkv"});
  config.require(clip.value_or(1) > 0, "attn_config.clip_qkv", found(clip.value_or(0)).allowed("above 0, or null"));
  m.clip_qkv = clip.value_or(0);
  if (const auto scale = attention.optional_number({"softmax_scale"})) m.attention_scale = *scale;
  attention.only("attn_type", "multihead_attention", "keys are not shared among heads");
  attention.only("qk_ln", false, "transformers has no norms of queries and keys for MPT");
  attention.only("prefix_lm", false, "every token sees only those before it");
  attention.only("attn_uses_sequence_id", false, "a sequence is one document");
  attention.ignore({"attn_impl", "attn_pdrop"});
  attention.finish();
  config.note_all("attn_config", attention);
  Tree position = Tree::map();
  position.set("scheme", word("alibi"));
  position.set("bias_max", Tree::scalar(format_number(bias_max)));
  return position;
}

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {2048, 24, 16, {}, {}, {}, 50368});
  m.ffn = m.width * config.whole({"expansion_ratio"}, 4, 1, 1 << 10);
  m.norm_eps = config.number({"layer_norm_epsilon"}, 1e-5);
  m.norm_bias = false;
  m.activation = Activation::kGelu;
  config.only("no_bias", true, "transformers has no biases for MPT");
  m.bias = false;
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "wte.weight", true);
  config.require(
      !config.has("logit_scale"), "logit_scale",
      found_what("a value, which transformers does not use and MPT's authors multiply logits by").allowed("null"));
  config.ignore({"learned_pos_emb", "embedding_fraction", "norm_type", "verbose", "fc_type", "logit_scale",
                 "embedding_dropout", "ffn_config", "use_pad_tok_in_ffn"});
  out.position = read_attention(config, m);
  out.train_length = read_context(config, 2048);
  return out;
}

WeightMap names(const FamilyModel& model) {
  DecoderNames n;
  n.prefix = "transformer.";
  n.embedding = "wte";
  n.layer = "blocks.{}.";
  n.attention_norm = "norm_1";
  n.qkv = "attn.Wqkv";
  n.o = "attn.out_proj";
  n.ffn_norm = "norm_2";
  n.up = "ffn.up_proj";
  n.down = "ffn.down_proj";
  n.norm = "norm_f";
  n.head = "lm_head";
  return map_of(n, model);
}

void export_as(const FamilyModel& model, ConfigWriter& config) {
  const ModelConfig& m = model.model;
  export_class(config, "MptForCausalLM");
  config.set("d_model", m.width);
  config.set("n_layers", m.layers);
  config.set("n_heads", m.heads);
  config.set("expansion_ratio", std::max<int64_t>(1, m.ffn / m.width));
  config.set("layer_norm_epsilon", m.norm_eps);
  config.set("no_bias", true);
  if (model.train_length > 0) config.set("max_seq_len", model.train_length);
  ConfigWriter attention;
  attention.set("alibi", true);
  attention.set("alibi_bias_max", 8);  // transformers computes with no other
  if (m.clip_qkv > 0) attention.set("clip_qkv", m.clip_qkv);
  if (m.attention_scale) attention.set("softmax_scale", *m.attention_scale);
  config.set("attn_config", attention);
}

void from_gguf(GgufConfig& gguf) {
  gguf.layer_norm("layer_norm_epsilon");
  ConfigWriter attention;
  attention.set("alibi", true);
  const double most = gguf.keys().optional_number({"attention.max_alibi_bias"}).value_or(0);
  gguf.keys().require(most > 0, "attention.max_alibi_bias",
                      found_what("0, learned positions").allowed("above 0, ALiBi"));
  attention.set("alibi_bias_max", most);
  const double clamp = gguf.keys().optional_number({"attention.clamp_kqv"}).value_or(0);
  if (clamp > 0) attention.set("clip_qkv", clamp);
  gguf.config().set("attn_config", attention);
  gguf.keys().require(gguf.ffn % gguf.width == 0, "feed_forward_length",
                      found(gguf.ffn).allowed("a multiple of ", gguf.width));
  gguf.config().set("expansion_ratio", gguf.ffn / gguf.width);
  gguf.config().erase("intermediate_size");
}

}  // namespace mpt

extern const Family mpt_family{
    .name = "mpt",
    .summary = "MPT: ALiBi, no biases",
    .read = mpt::read,
    .names = mpt::names,
    .export_as = mpt::export_as,
    .architecture = "mpt",
    .from_gguf = mpt::from_gguf,
};

}  // namespace lw
