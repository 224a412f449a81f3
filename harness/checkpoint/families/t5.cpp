// T5 and its version 1.1 (gated). Raffel et al. 2020, arXiv:1910.10683: an encoder and a decoder with a relative bias
// per bucket, one table per stack; no scale of the logits, RMSNorm, no biases.
#include <cmath>

#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"

namespace lw {
namespace t5 {

Activation read_feed_forward(FamilyConfig& config, bool& gated) {
  const std::string stated = config.text({"feed_forward_proj"}, "relu");
  gated = stated.rfind("gated-", 0) == 0;
  if (stated == "relu" || stated == "gated-relu") return Activation::kRelu;
  if (stated == "gelu") return Activation::kGelu;
  if (stated == "gated-gelu" || stated == "gelu_new" || stated == "gated-gelu_new") return Activation::kGeluTanh;
  if (stated == "silu" || stated == "gated-silu") return Activation::kSilu;
  config.fail("feed_forward_proj", found(stated).allowed("relu, gelu, gelu_new, silu, or gated- before one (gated-gelu "
                                                         "is the tanh form)"));
}

Tree read_bias(FamilyConfig& config) {
  Tree out = Tree::map();
  out.set("scheme", word("t5"));
  out.set("num_buckets", Tree::scalar(std::to_string(config.whole({"relative_attention_num_buckets"}, 32, 2))));
  out.set("max_distance", Tree::scalar(std::to_string(config.whole({"relative_attention_max_distance"}, 128, 2))));
  return out;
}

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {512, 6, 8, {}, 2048, 64, 32128});
  m.norm = NormKind::kRmsNorm;
  m.norm_eps = config.number({"layer_norm_epsilon"}, 1e-6);
  m.activation = read_feed_forward(config, m.gated);
  m.bias = false;
  m.attention_scale = 1.0;
  const bool stated_tying = config.flag({"tie_word_embeddings"}, true);
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "shared.weight", true);
  // T5 1.1 does not scale its output. Transformers 4 derives that from tie_word_embeddings; version 5 writes a key for
  // it.
  if (config.flag({"scale_decoder_outputs"}, stated_tying))
    m.logit_scale = 1.0 / std::sqrt(static_cast<double>(m.width));
  config.ignore({"is_gated_act", "dense_act_fn"});
  out.train_length = config.optional_whole({"n_positions"}).value_or(0);  // version 1.1 states none
  config.only("is_decoder", false, "the two stacks are one model");
  out.position = read_bias(config);
  FamilyModel encoder = out;
  encoder.model.kind = ModelKind::kEncoder;
  encoder.model.head = false;
  m.cross_attention = true;
  m.layers = config.whole({"num_decoder_layers"}, m.layers, 1, 4096);
  out.start_token = config.whole({"decoder_start_token_id"}, 0, 0);
  out.encoder.push_back(std::move(encoder));
  return out;
}

void add_stack(WeightMap& map, const std::string& ours, const std::string& theirs, const ModelConfig& m) {
  map.add(ours + "embed_tokens", "shared.weight");
  map.ignore(theirs + "embed_tokens.weight");  // the same weights under another name
  const auto attention = [&](const std::string& to, const std::string& from) {
    for (const char* part : {"q", "k", "v", "o"}) map.add(to + part + "_proj.weight", from + part + ".weight");
  };
  const std::string ffn_layer = m.cross_attention ? "layer.2." : "layer.1.";
  for (int64_t l = 0; l < m.layers; ++l) {
    const std::string to = text(ours, "layers_", l, "."), from = text(theirs, "block.", l, ".");
    map.add(to + "input_layernorm.weight", from + "layer.0.layer_norm.weight");
    attention(to, from + "layer.0.SelfAttention.");
    if (m.cross_attention) {
      map.add(to + "cross_layernorm.weight", from + "layer.1.layer_norm.weight");
      attention(to + "cross_", from + "layer.1.EncDecAttention.");
    }
    map.add(to + "post_attention_layernorm.weight", from + ffn_layer + "layer_norm.weight");
    const std::string ffn = from + ffn_layer + "DenseReluDense.";
    if (m.gated) map.add(to + "gate_proj.weight", ffn + "wi_0.weight");
    map.add(to + "up_proj.weight", ffn + (m.gated ? "wi_1.weight" : "wi.weight"));
    map.add(to + "down_proj.weight", ffn + "wo.weight");
  }
  map.add(ours + "norm.weight", theirs + "final_layer_norm.weight");
  map.add(ours + "position.relative_attention_bias",
          theirs + "block.0.layer.0.SelfAttention.relative_attention_bias.weight");
}

WeightMap names(const FamilyModel& model) {
  WeightMap map;
  add_stack(map, "encoder.", "encoder.", model.encoder.at(0).model);
  add_stack(map, "decoder.", "decoder.", model.model);
  if (model.model.tied_embeddings)
    map.tied("lm_head.weight", "shared.weight");
  else
    map.add_outside("decoder.lm_head.weight", "lm_head.weight");
  // Files of the first release hold a table that nothing reads.
  map.ignore("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
  return map;
}

void export_as(const FamilyModel& model, ConfigWriter& config) {
  const ModelConfig& m = model.model;
  if (model.encoder.empty())
    throw Error(ErrorKind::kUnsupported, "model.stacks: " + found(1).allowed("an encoder and a decoder"));
  export_class(config, "T5ForConditionalGeneration");
  config.set("is_encoder_decoder", true);
  config.set("d_model", m.width);
  config.set("d_kv", m.head_width);
  config.set("d_ff", m.ffn);
  config.set("num_heads", m.heads);
  config.set("num_layers", model.encoder[0].model.layers);
  config.set("num_decoder_layers", m.layers);
  config.set("layer_norm_epsilon", m.norm_eps);
  config.set("feed_forward_proj", (m.gated ? "gated-" : "") + activation_name(m.activation));
  config.set("scale_decoder_outputs", m.logit_scale != 1.0);
  config.set("decoder_start_token_id", model.start_token);
  const auto number = [&](const char* key, const char* ours) {
    if (const auto value = parse_whole(model.position.text_of(ours))) config.set(key, *value);
  };
  number("relative_attention_num_buckets", "num_buckets");
  number("relative_attention_max_distance", "max_distance");
  if (model.train_length > 0) config.set("n_positions", model.train_length);
}

}  // namespace t5

extern const Family t5_family{
    .name = "t5",
    .summary = "T5: an encoder and a decoder with a relative bias",
    .read = t5::read,
    .names = t5::names,
    .export_as = t5::export_as,
};

}  // namespace lw
