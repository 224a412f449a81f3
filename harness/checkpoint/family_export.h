// Steps of a family's export_as: keys of config.json that several families write in the same way.
#pragma once
#include "harness/checkpoint/config_writer.h"
#include "harness/checkpoint/family.h"

namespace lw {

/// The class that transformers loads the folder with: "LlamaForCausalLM".
void export_class(ConfigWriter& config, const char* name);
/// hidden_size, num_hidden_layers, num_attention_heads, intermediate_size.
void export_shape(const ModelConfig& model, ConfigWriter& config);
/// What read_shape() and read_llama_layers() read: the shape, heads of keys, RMSNorm, activation.
void export_llama_layers(const ModelConfig& model, ConfigWriter& config);
/// rope_parameters and max_position_embeddings, of the first layer with rotation.
void export_rope(const FamilyModel& model, ConfigWriter& config);
/// Rows of a learned table, under the given key; the training length where there is no table.
void export_positions(const FamilyModel& model, const char* key, ConfigWriter& config);
/// use_sliding_window, sliding_window and layer_types, as Qwen and SmolLM3 read them.
void export_layer_windows(const ModelConfig& model, ConfigWriter& config);
/// The widest window; 0 where every layer sees everything.
int64_t widest_window(const ModelConfig& model);
/// Per layer: sliding_attention for those with a window, full_attention for the others.
std::vector<std::string> layer_types(const ModelConfig& model);
/// A number without a fraction is written as a whole one, where transformers takes no other.
void export_whole_or_number(ConfigWriter& config, const char* key, double value);

}  // namespace lw
