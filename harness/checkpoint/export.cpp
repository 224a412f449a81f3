#include "harness/checkpoint/export.h"

#include <algorithm>
#include <map>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/formats/safetensors.h"

namespace lw {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& found, const std::string& allowed) {
  throw Error(ErrorKind::kUnsupported, "export: " + key + ": found " + found + "; allowed: " + allowed);
}

void need(bool ok, const std::string& key, const std::string& found, const std::string& allowed) {
  if (!ok) refuse(key, found, allowed);
}

std::string scheme_of(const Tree& position) {
  const Tree* scheme = position.find("scheme");
  return scheme == nullptr ? "" : scheme->text;
}

std::string activation_name(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu_new";
    case Activation::kRelu:
      return "relu";
    case Activation::kSilu:
      return "silu";
  }
  LW_CHECK(false, "an activation without a name");
  return {};
}

/// A number of a resolved config, as JSON; lists element by element.
Json json_of(const Tree& tree) {
  if (tree.kind == Tree::Kind::kList) {
    Json list = Json::array();
    for (const auto& item : tree.items) list.push_back(json_of(item));
    return list;
  }
  if (tree.quoted) return tree.text;
  try {
    return Json::parse(tree.text);  // numbers, true and false
  } catch (const nlohmann::json::exception&) {
    return tree.text;
  }
}

Json rope_parameters(const Tree& position) {
  Json out = {{"rope_type", "default"}};
  if (const Tree* scaling = position.find("scaling")) {
    for (const auto& entry : scaling->entries)
      if (entry.value.kind != Tree::Kind::kNull) out[entry.key] = json_of(entry.value);
    static const std::vector<std::string> kTypes = {"default", "linear", "dynamic", "yarn", "longrope", "llama3"};
    const auto type = out["rope_type"].get<std::string>();
    need(std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end(), "position.scaling.rope_type", type,
         join(kTypes));
  }
  const auto number = [&](const char* key, double fallback) {
    const Tree* value = position.find(key);
    out[key] = value == nullptr ? Json(fallback) : json_of(*value);
  };
  if (!out.contains("rope_theta")) number("rope_theta", 10000);
  if (!out.contains("partial_rotary_factor")) number("partial_rotary_factor", 1);
  const Tree* layout = position.find("layout");
  need(layout == nullptr || layout->text == "half", "position.layout", layout ? layout->text : "", "half");
  for (const char* key : {"layer_types", "no_rope_layer_interval", "rope_local_base_freq"}) {
    const Tree* value = position.find(key);
    const bool empty = value == nullptr || value->kind == Tree::Kind::kNull ||
                       (value->kind == Tree::Kind::kList && value->items.empty());
    need(empty, std::string("position.") + key, "layers that differ", "the same rotation in every layer");
  }
  return out;
}

class Exporter {
 public:
  Exporter(const Transformer& model, const Tree& position, int64_t train_length)
      : c_(model.config()), position_(position), train_length_(train_length), family_(export_family(c_, position)) {
    for (const auto& item : model.named_parameters())
      ours_[item.key()] = item.value().detach().to(at::kCPU, at::kFloat);
  }

  void write(const std::filesystem::path& folder) {
    if (family_ == "gpt2")
      gpt2();
    else if (family_ == "gpt_neox")
      gpt_neox();
    else
      llama();
    std::vector<at::Tensor> held;
    std::vector<SafetensorsEntry> entries;
    for (const auto& [name, tensor] : theirs_) {
      held.push_back(tensor.contiguous());
      const auto& t = held.back();
      entries.push_back({name, "F32", t.sizes().vec(), {static_cast<const std::byte*>(t.data_ptr()), t.nbytes()}});
    }
    write_safetensors(folder / "model.safetensors", std::move(entries), {{"format", "pt"}});
    write_file(folder / "config.json", config_.dump(2) + "\n");
  }

 private:
  const at::Tensor& at(const std::string& name) const { return ours_.at(name); }
  std::string layer(int64_t l) const { return "layers_" + std::to_string(l) + "."; }

  /// Weight, and bias where there is one.
  void copy(const std::string& theirs, const std::string& ours, bool transposed = false) {
    const auto& weight = at(ours + ".weight");
    theirs_[theirs + ".weight"] = transposed ? weight.t() : weight;
    if (ours_.count(ours + ".bias") > 0) theirs_[theirs + ".bias"] = at(ours + ".bias");
  }

  std::vector<at::Tensor> qkv(int64_t l, const std::string& ending) const {
    return {at(layer(l) + "q_proj" + ending), at(layer(l) + "k_proj" + ending), at(layer(l) + "v_proj" + ending)};
  }

  void common(const char* architecture, const char* model_type) {
    config_ = {{"architectures", {architecture}}, {"model_type", model_type},
               {"vocab_size", c_.vocabulary},     {"tie_word_embeddings", c_.tied_embeddings},
               {"torch_dtype", "float32"},        {"bos_token_id", nullptr},
               {"eos_token_id", nullptr},         {"pad_token_id", nullptr}};
  }

  void llama() {
    const bool slides = family_ == "mistral";
    common(slides ? "MistralForCausalLM" : "LlamaForCausalLM", family_.c_str());
    shape("rms_norm_eps");
    config_["num_key_value_heads"] = c_.kv_heads;
    config_["head_dim"] = c_.head_width;
    config_["rope_parameters"] = rope_parameters(position_);
    if (slides)
      config_["sliding_window"] = c_.windows[0];
    else
      config_["attention_bias"] = config_["mlp_bias"] = c_.bias;
    theirs_["model.embed_tokens.weight"] = at("embed_tokens");
    for (int64_t l = 0; l < c_.layers; ++l) {
      const std::string theirs = "model.layers." + std::to_string(l) + ".";
      for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) copy(theirs + norm, layer(l) + norm);
      for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
        copy(theirs + "self_attn." + name, layer(l) + name);
      for (const char* name : {"gate_proj", "up_proj", "down_proj"}) copy(theirs + "mlp." + name, layer(l) + name);
    }
    copy("model.norm", "norm");
    if (!c_.tied_embeddings) copy("lm_head", "lm_head");
  }

  void shape(const char* eps) {
    config_["hidden_size"] = c_.width;
    config_["num_hidden_layers"] = c_.layers;
    config_["num_attention_heads"] = c_.heads;
    config_["intermediate_size"] = c_.ffn;
    config_["hidden_act"] = activation_name(c_.activation);
    config_["max_position_embeddings"] = train_length_;
    config_[eps] = c_.norm_eps;
  }

  void gpt2() {
    common("GPT2LMHeadModel", "gpt2");
    config_.update(Json{{"n_embd", c_.width},
                        {"n_layer", c_.layers},
                        {"n_head", c_.heads},
                        {"n_inner", c_.ffn},
                        {"n_positions", at("position.table").size(0)},
                        {"layer_norm_epsilon", c_.norm_eps},
                        {"activation_function", activation_name(c_.activation)}});
    theirs_["transformer.wte.weight"] = at("embed_tokens");
    theirs_["transformer.wpe.weight"] = at("position.table");
    for (int64_t l = 0; l < c_.layers; ++l) {
      const std::string theirs = "transformer.h." + std::to_string(l) + ".";
      copy(theirs + "ln_1", layer(l) + "input_layernorm");
      copy(theirs + "ln_2", layer(l) + "post_attention_layernorm");
      theirs_[theirs + "attn.c_attn.weight"] = at::cat(qkv(l, ".weight")).t();
      theirs_[theirs + "attn.c_attn.bias"] = at::cat(qkv(l, ".bias"));
      copy(theirs + "attn.c_proj", layer(l) + "o_proj", true);
      copy(theirs + "mlp.c_fc", layer(l) + "up_proj", true);
      copy(theirs + "mlp.c_proj", layer(l) + "down_proj", true);
    }
    copy("transformer.ln_f", "norm");
    if (!c_.tied_embeddings) copy("lm_head", "lm_head");
  }

  void gpt_neox() {
    common("GPTNeoXForCausalLM", "gpt_neox");
    shape("layer_norm_eps");
    config_["use_parallel_residual"] = c_.parallel;
    config_["rope_parameters"] = rope_parameters(position_);
    theirs_["gpt_neox.embed_in.weight"] = at("embed_tokens");
    for (int64_t l = 0; l < c_.layers; ++l) {
      const std::string theirs = "gpt_neox.layers." + std::to_string(l) + ".";
      for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) copy(theirs + norm, layer(l) + norm);
      for (const char* ending : {".weight", ".bias"}) {
        std::vector<at::Tensor> parts;
        for (const auto& part : qkv(l, ending)) parts.push_back(part.unflatten(0, {c_.heads, c_.head_width}));
        theirs_[theirs + "attention.query_key_value" + ending] = at::stack(parts, 1).flatten(0, 2);
      }
      copy(theirs + "attention.dense", layer(l) + "o_proj");
      copy(theirs + "mlp.dense_h_to_4h", layer(l) + "up_proj");
      copy(theirs + "mlp.dense_4h_to_h", layer(l) + "down_proj");
    }
    copy("gpt_neox.final_layer_norm", "norm");
    if (!c_.tied_embeddings) copy("embed_out", "lm_head");
  }

  const ModelConfig& c_;
  const Tree& position_;
  int64_t train_length_;
  std::string family_;
  std::map<std::string, at::Tensor> ours_, theirs_;
  Json config_;
};

}  // namespace

std::string export_family(const ModelConfig& c, const Tree& position) {
  const std::string scheme = scheme_of(position);
  need(c.causal(), "model.kind", "encoder", "decoder");
  need(scheme == "rope" || scheme == "learned", "position.scheme", scheme, "rope, learned");
  const bool rms = c.norm == NormKind::kRmsNorm;
  if (scheme == "rope" && rms) {
    need(c.gated, "model.gated", "false with rmsnorm", "true (LLaMA), or layernorm (GPT-NeoX)");
    bool slides = !c.windows.empty();
    for (const int64_t w : c.windows)
      need(w == c.windows[0], "model.full_attention_interval", "layers that differ", "the same window in every layer");
    need(!slides || !c.bias, "model.bias", "true with sliding_window", "false (Mistral)");
    const Json partial = rope_parameters(position)["partial_rotary_factor"];
    need(partial == 1, "position.partial_rotary_factor", partial.dump() + " with rmsnorm", "1 (LLaMA)");
    return slides ? "mistral" : "llama";
  }
  const std::string family = scheme == "learned" ? "GPT-2" : "GPT-NeoX";
  need(!rms, "model.norm", "rmsnorm", "layernorm (" + family + ")");
  need(!c.gated, "model.gated", "true", "false (" + family + ")");
  need(c.bias, "model.bias", "false", "true (" + family + ")");
  need(c.kv_heads == c.heads, "model.kv_heads", std::to_string(c.kv_heads), "as many as heads (" + family + ")");
  need(c.heads * c.head_width == c.width, "model.head_width", std::to_string(c.head_width),
       "width / heads (" + family + ")");
  need(c.windows.empty(), "model.sliding_window", "a window", "none (" + family + ")");
  if (scheme == "rope") rope_parameters(position);
  return scheme == "learned" ? "gpt2" : "gpt_neox";
}

void export_checkpoint(const Transformer& model, const Tree& position, int64_t train_length,
                       const std::filesystem::path& folder) {
  Exporter(model, position, train_length).write(folder);
}

}  // namespace lw
