#include "harness/checkpoint/model_difference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "encodings/position_setting.h"
#include "harness/base/config.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/layer_position.h"

namespace lw {
namespace {

template <class T>
struct Field {
  const char* key;
  T ModelConfig::*member;
};

constexpr Field<bool> kSwitches[] = {{"gated", &ModelConfig::gated},
                                     {"parallel", &ModelConfig::parallel},
                                     {"shared_norm", &ModelConfig::shared_norm},
                                     {"qk_norm", &ModelConfig::qk_norm},
                                     {"norm_unit_offset", &ModelConfig::norm_unit_offset},
                                     {"embedding_norm", &ModelConfig::embedding_norm},
                                     {"token_type", &ModelConfig::token_type},
                                     {"attention_scale_by_layer", &ModelConfig::attention_scale_by_layer},
                                     {"cross_attention", &ModelConfig::cross_attention},
                                     {"head", &ModelConfig::head},
                                     {"head_transform", &ModelConfig::head_transform},
                                     {"head_bias", &ModelConfig::head_bias},
                                     {"tied_embeddings", &ModelConfig::tied_embeddings}};
constexpr Field<int64_t> kCounts[] = {{"kv_heads", &ModelConfig::kv_heads},     {"layers", &ModelConfig::layers},
                                      {"heads", &ModelConfig::heads},           {"width", &ModelConfig::width},
                                      {"head_width", &ModelConfig::head_width}, {"ffn", &ModelConfig::ffn},
                                      {"vocabulary", &ModelConfig::vocabulary}};
constexpr Field<double> kNumbers[] = {
    {"norm_eps", &ModelConfig::norm_eps},       {"attention_softcap", &ModelConfig::attention_softcap},
    {"clip_qkv", &ModelConfig::clip_qkv},       {"embedding_scale", &ModelConfig::embedding_scale},
    {"logit_scale", &ModelConfig::logit_scale}, {"logit_softcap", &ModelConfig::logit_softcap}};

bool same_number(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

std::string kind_text(const ModelConfig& m) { return m.causal() ? "decoder" : "encoder"; }

std::string norm_text(const ModelConfig& m) { return m.norm == NormKind::kRmsNorm ? "rmsnorm" : "layernorm"; }

std::string placement_text(const ModelConfig& m) {
  static constexpr std::array kNames = {"before each sub-layer", "after each sum", "around each sub-layer"};
  return kNames.at(static_cast<size_t>(m.norm_placement));
}

/// One word where all linear layers agree.
std::string bias_text(const ModelConfig& m) {
  const bool qkv = m.qkv_bias.value_or(m.bias), out = m.output_bias.value_or(m.bias), ffn = m.ffn_bias.value_or(m.bias);
  if (qkv == out && out == ffn) return text(qkv);
  return text("queries, keys and values ", qkv, ", attention's output ", out, ", feed-forward ", ffn);
}

std::string windows_text(const ModelConfig& m) {
  std::vector<std::string> words;
  for (int64_t l = 0; l < m.layers; ++l) {
    const int64_t window = m.window_of(l);
    words.push_back(window == 0 ? "none" : text(window));
  }
  const bool alike = std::all_of(words.begin(), words.end(), [&](const auto& word) { return word == words[0]; });
  return alike ? words[0] : join(words);
}

double scale_of(const ModelConfig& m) {
  return m.attention_scale.value_or(1.0 / std::sqrt(static_cast<double>(m.head_width)));
}

class Comparison {
 public:
  explicit Comparison(std::vector<ModelDifference>& out) : out_(out) {}

  void models(const ModelConfig& a, const ModelConfig& b, const std::string& prefix) {
    prefix_ = prefix;
    field("kind", kind_text(a), kind_text(b));
    field("norm", norm_text(a), norm_text(b));
    for (const auto& [key, member] : kSwitches) field(key, text(a.*member), text(b.*member));
    field("norm_placement", placement_text(a), placement_text(b));
    if (a.norm == NormKind::kLayerNorm && b.norm == NormKind::kLayerNorm)
      field("norm_bias", text(a.norm_bias), text(b.norm_bias));
    field("activation", activation_name(a.activation), activation_name(b.activation));
    field("bias", bias_text(a), bias_text(b));
    for (const auto& [key, member] : kCounts) field(key, text(a.*member), text(b.*member));
    if (a.layers == b.layers) field("sliding_window", windows_text(a), windows_text(b));
    for (const auto& [key, member] : kNumbers) numbers(key, a.*member, b.*member);
    if (a.head_width == b.head_width) numbers("attention_scale", scale_of(a), scale_of(b));
  }

  /// The first layer whose sections differ is enough.
  void positions(const FamilyModel& a, const FamilyModel& b) {
    const Tree ours = resolved_position(a), theirs = resolved_position(b);
    const size_t before = out_.size();
    for (int64_t l = 0; l < a.model.layers && out_.size() == before; ++l)
      trees("position", layer_position(ours, l), layer_position(theirs, l), l == 0 ? "" : text(" in layer ", l));
  }

  void words(const std::string& key, const std::string& a, const std::string& b) {
    if (a != b) out_.push_back({key, a, b});
  }

 private:
  void field(const char* key, const std::string& a, const std::string& b) { words(prefix_ + key, a, b); }

  void numbers(const char* key, double a, double b) {
    if (!same_number(a, b)) field(key, format_number(a), format_number(b));
  }

  static std::string shown(const Tree* tree) {
    if (tree == nullptr) return "nothing";
    if (tree->kind == Tree::Kind::kScalar) return tree->text;
    std::vector<std::string> items;
    for (const auto& item : tree->items) items.push_back(shown(&item));
    for (const auto& entry : tree->entries) items.push_back(entry.key + ": " + shown(&entry.value));
    return "[" + join(items) + "]";
  }

  static bool same_scalar(const Tree& a, const Tree& b) {
    if (a.text == b.text) return true;
    const auto x = parse_number(a.text), y = parse_number(b.text);
    return x && y && same_number(*x, *y);
  }

  static bool same_list(const Tree& a, const Tree& b) {
    return a.items.size() == b.items.size() &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(),
                      [](const Tree& x, const Tree& y) { return same_scalar(x, y); });
  }

  void trees(const std::string& path, const Tree& a, const Tree& b, const std::string& where) {
    if (a.text_of("scheme") != b.text_of("scheme")) {  // options of another scheme say nothing more
      out_.push_back({path + ".scheme", a.text_of("scheme") + where, b.text_of("scheme")});
      return;
    }
    for (const auto& entry : a.entries) values(path + "." + entry.key, &entry.value, b.find(entry.key), where);
    for (const auto& entry : b.entries)
      if (a.find(entry.key) == nullptr) values(path + "." + entry.key, nullptr, &entry.value, where);
  }

  void values(const std::string& path, const Tree* a, const Tree* b, const std::string& where) {
    if (a != nullptr && b != nullptr && a->kind == b->kind) {
      if (a->is_map()) return trees(path, *a, *b, where);
      if (a->kind == Tree::Kind::kList ? same_list(*a, *b) : same_scalar(*a, *b)) return;
    }
    out_.push_back({path, shown(a) + where, shown(b)});
  }

  std::vector<ModelDifference>& out_;
  std::string prefix_;
};

}  // namespace

Tree resolved_position(const FamilyModel& model) {
  return PositionSetting::parse(model.position, model.model.shape(model.train_length)).resolved();
}

std::vector<ModelDifference> differences(const FamilyModel& ours, const FamilyModel& theirs) {
  std::vector<ModelDifference> out;
  Comparison comparison(out);
  comparison.words("model.stacks", text(1 + ours.encoder.size()), text(1 + theirs.encoder.size()));
  comparison.models(ours.model, theirs.model, "model.");
  const bool same_shape = ours.model.layers == theirs.model.layers;
  if (same_shape) comparison.positions(ours, theirs);
  if (ours.encoder.size() != 1 || theirs.encoder.size() != 1) return out;
  comparison.models(ours.encoder[0].model, theirs.encoder[0].model, "model.encoder.");
  if (same_shape) comparison.positions(ours.encoder[0], theirs.encoder[0]);
  comparison.words("model.start_token", text(ours.start_token), text(theirs.start_token));
  return out;
}

}  // namespace lw
