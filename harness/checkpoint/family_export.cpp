#include "harness/checkpoint/family_export.h"

#include <algorithm>
#include <cmath>

#include "harness/base/numbers.h"
#include "harness/checkpoint/layer_position.h"

namespace lw {

void export_class(ConfigWriter& config, const char* name) {
  config.set("architectures", std::vector<std::string>{name});
}

void export_shape(const ModelConfig& model, ConfigWriter& config) {
  config.set("hidden_size", model.width);
  config.set("num_hidden_layers", model.layers);
  config.set("num_attention_heads", model.heads);
  config.set("intermediate_size", model.ffn);
}

void export_llama_layers(const ModelConfig& model, ConfigWriter& config) {
  export_shape(model, config);
  config.set("num_key_value_heads", model.kv_heads);
  config.set("head_dim", model.head_width);
  config.set("rms_norm_eps", model.norm_eps);
  config.set("hidden_act", activation_name(model.activation));
}

void export_rope(const FamilyModel& model, ConfigWriter& config) {
  Tree rotated = layer_position(model.position, 0);
  for (int64_t l = 1; l < model.model.layers && !is_rope(rotated); ++l) rotated = layer_position(model.position, l);
  ConfigWriter parameters;
  write_rope_parameters(rotated, parameters);
  config.set("rope_parameters", parameters);
  if (model.train_length > 0) config.set("max_position_embeddings", context_of(rotated, model.train_length));
}

void export_positions(const FamilyModel& model, const char* key, ConfigWriter& config) {
  const auto rows = parse_whole(model.position.text_of("positions"));
  const int64_t length = rows.value_or(model.train_length);
  if (length > 0) config.set(key, length);
}

int64_t widest_window(const ModelConfig& model) {
  return model.windows.empty() ? 0 : *std::max_element(model.windows.begin(), model.windows.end());
}

std::vector<std::string> layer_types(const ModelConfig& model) {
  std::vector<std::string> out;
  for (int64_t l = 0; l < model.layers; ++l)
    out.emplace_back(model.window_of(l) > 0 ? "sliding_attention" : "full_attention");
  return out;
}

void export_layer_windows(const ModelConfig& model, ConfigWriter& config) {
  const int64_t window = widest_window(model);
  config.set("use_sliding_window", window > 0);
  if (window > 0)
    config.set("sliding_window", window);
  else
    config.set_null("sliding_window");
  config.set("layer_types", layer_types(model));
}

void export_whole_or_number(ConfigWriter& config, const char* key, double value) {
  const double whole = std::round(value);
  if (std::abs(value - whole) <= 1e-9 * std::max(1.0, std::abs(whole)))
    config.set(key, static_cast<int64_t>(whole));
  else
    config.set(key, value);
}

}  // namespace lw
