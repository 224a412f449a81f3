// BLOOM. BigScience 2022, arXiv:2211.05100: ALiBi, and a norm right after the embedding.
#include "harness/base/text.h"
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace bloom {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {64, 2, 8, {}, {}, {}, 250880});
  m.ffn = config.whole({"intermediate_size", "n_inner"}, 4 * m.width);
  config.require(m.ffn == 4 * m.width, "n_inner", found(m.ffn).allowed("4 * hidden_size"));
  m.norm_eps = config.number({"layer_norm_epsilon"}, 1e-5);
  m.activation = Activation::kGeluTanh;
  m.embedding_norm = true;
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "word_embeddings.weight", true);
  config.only("apply_residual_connection_post_layernorm", false, "the residual here is what the norm is given");
  config.ignore({"masked_softmax_fusion", "bias_dropout_fusion", "attention_softmax_in_fp32", "skip_bias_add",
                 "skip_bias_add_qkv", "unk_token_id", "offset_alibi", "seq_length", "n_positions"});
  out.train_length = config.optional_whole({"seq_length", "n_positions"}).value_or(0);  // absent in many files
  out.position = Tree::map();
  out.position.set("scheme", word("alibi"));
  return out;
}

WeightMap names(const FamilyModel& model) {
  DecoderNames n;
  n.prefix = "transformer.";
  n.embedding = "word_embeddings";
  n.embedding_norm = "word_embeddings_layernorm";
  n.layer = "h.{}.";
  n.attention_norm = "input_layernorm";
  n.qkv = "self_attention.query_key_value";
  n.fused = FusedQkv::kPerHead;
  n.o = "self_attention.dense";
  n.ffn_norm = "post_attention_layernorm";
  n.up = "mlp.dense_h_to_4h";
  n.down = "mlp.dense_4h_to_h";
  n.norm = "ln_f";
  n.head = "lm_head";
  return map_of(n, model);
}

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "BloomForCausalLM");
  config.set("hidden_size", model.model.width);
  config.set("n_layer", model.model.layers);
  config.set("n_head", model.model.heads);
  config.set("layer_norm_epsilon", model.model.norm_eps);
  if (model.train_length > 0) config.set("seq_length", model.train_length);
}

void from_gguf(GgufConfig& gguf) {
  gguf.layer_norm("layer_norm_epsilon");
  gguf.config().rename("max_position_embeddings", "seq_length");
}

}  // namespace bloom

extern const Family bloom_family{
    .name = "bloom",
    .summary = "BLOOM: ALiBi",
    .read = bloom::read,
    .names = bloom::names,
    .export_as = bloom::export_as,
    .architecture = "bloom",
    .from_gguf = bloom::from_gguf,
};

}  // namespace lw
