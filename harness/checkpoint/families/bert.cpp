// BERT. Devlin et al. 2019, arXiv:1810.04805: norms after each residual sum, learned positions, a vector per
// segment, of which the first is used here. Files with the masked-language head give logits, others hidden states.
#include "harness/checkpoint/family.h"

namespace lw {
namespace {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  m.kind = ModelKind::kEncoder;
  read_shape(config, m, {768, 12, 12, {}, 3072, {}, 30522});
  m.norm_eps = config.number({"layer_norm_eps"}, 1e-12);
  m.norm_placement = NormPlacement::kPost;
  m.activation = read_activation(config, {"hidden_act"}, "gelu");
  m.embedding_norm = true;
  m.token_type = true;
  m.head = source.has("cls.predictions.transform.dense.weight");
  m.head_transform = m.head_bias = m.head;
  if (m.head)
    m.tied_embeddings = read_tying(config, source, "cls.predictions.decoder.weight", "word_embeddings.weight", true);
  else
    config.ignore({"tie_word_embeddings"});
  config.whole({"type_vocab_size"}, 2);
  config.only("position_embedding_type", "absolute", "other positions have other weights");
  config.only("is_decoder", false, "the model looks both ways");
  config.ignore({"directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                 "pooler_size_per_head", "pooler_type"});
  read_learned_position(config, out, 512);
  return out;
}

WeightMap names(const FamilyModel& model, const TensorSource& source) {
  DecoderNames n;
  n.prefix = "bert.";
  n.embedding = "embeddings.word_embeddings";
  n.embedding_norm = "embeddings.LayerNorm";
  n.positions = "embeddings.position_embeddings";
  n.layer = "encoder.layer.{}.";
  n.q = "attention.self.query";
  n.k = "attention.self.key";
  n.v = "attention.self.value";
  n.o = "attention.output.dense";
  n.attention_norm = "attention.output.LayerNorm";
  n.up = "intermediate.dense";
  n.down = "output.dense";
  n.ffn_norm = "output.LayerNorm";
  n.head = "cls.predictions.decoder";
  n.ignored = {"*embeddings.position_ids", "*pooler.dense.*", "cls.seq_relationship.*"};
  FamilyModel headless = model;  // the head's names follow no decoder's
  headless.model.head = false;
  WeightMap map = map_of(n, headless);
  map.add(
      "token_type", "embeddings.token_type_embeddings.weight", [](const at::Tensor& x) { return x[0]; },
      "row 0, the first segment");
  if (!model.model.head) return map;
  map.add("head_transform.weight", "cls.predictions.transform.dense.weight");
  map.add("head_transform.bias", "cls.predictions.transform.dense.bias");
  map.add("head_norm.weight", "cls.predictions.transform.LayerNorm.weight");
  map.add("head_norm.bias", "cls.predictions.transform.LayerNorm.bias");
  // Output weights of its own have a bias of their own, where it is there; else the two are one.
  const std::string shared = "cls.predictions.bias", own = "cls.predictions.decoder.bias";
  const bool has_own = !model.model.tied_embeddings && source.has(own);
  map.add(model.model.tied_embeddings ? "head_bias" : "lm_head.bias", has_own ? own : shared);
  if (has_own)
    map.ignore(shared);
  else
    map.tied(own, shared);
  if (model.model.tied_embeddings)
    map.tied("cls.predictions.decoder.weight", "embeddings.word_embeddings.weight");
  else
    map.add("lm_head.weight", "cls.predictions.decoder.weight");
  return map;
}

}  // namespace

extern const Family bert_family{"bert", "BERT: an encoder with learned positions", "", read, names};

}  // namespace lw
