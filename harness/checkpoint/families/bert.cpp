// BERT. Devlin et al. 2019, arXiv:1810.04805: norms after each residual sum, learned positions, and one vector per
// segment; the first is used here. Files with the masked-language head give logits, others hidden states.
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"

namespace lw {
namespace bert {

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

WeightMap names(const FamilyModel& model) {
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
  FamilyModel headless = model;  // the head is named unlike any decoder's
  headless.model.head = false;
  WeightMap map = map_of(n, headless);
  map.add("token_type", "embeddings.token_type_embeddings.weight", first_row("row 0, the first segment"));
  if (!model.model.head) return map;
  const std::string head = "cls.predictions.";
  for (const char* ending : {".weight", ".bias"}) {
    map.add_outside(std::string("head_transform") + ending, head + "transform.dense" + ending);
    map.add_outside(std::string("head_norm") + ending, head + "transform.LayerNorm" + ending);
  }
  if (model.model.tied_embeddings) {
    map.tied(head + "decoder.weight", "embeddings.word_embeddings.weight");
    map.add_outside("head_bias", head + "bias");
    map.tied(head + "decoder.bias", head + "bias");
  } else {
    map.add_outside("lm_head.weight", head + "decoder.weight");
    map.add_outside("lm_head.bias", head + "decoder.bias");
    map.also_named(head + "decoder.bias", head + "bias");  // older files have only this name, newer ones both
  }
  return map;
}

void export_as(const FamilyModel& model, ConfigWriter& config) {
  const ModelConfig& m = model.model;
  export_class(config, m.head ? "BertForMaskedLM" : "BertModel");
  export_shape(m, config);
  config.set("hidden_act", activation_name(m.activation));
  config.set("layer_norm_eps", m.norm_eps);
  config.set("type_vocab_size", 1);  // the one segment that is kept
  export_positions(model, "max_position_embeddings", config);
}

}  // namespace bert

extern const Family bert_family{
    .name = "bert",
    .summary = "BERT: an encoder with learned positions",
    .read = bert::read,
    .names = bert::names,
    .export_as = bert::export_as,
};

}  // namespace lw
