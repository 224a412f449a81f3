// What a family of checkpoints is: how its config becomes our model, and how its tensors are named.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/tree.h"
#include "harness/checkpoint/decoder_names.h"
#include "harness/checkpoint/family_config.h"
#include "harness/checkpoint/rope_settings.h"
#include "harness/model/model_config.h"

namespace lw {

class ConfigWriter;
class GgufConfig;

/// One stack of layers with its position scheme.
struct FamilyModel {
  ModelConfig model;
  Tree position;                     // as a config's `position:` section states it
  int64_t train_length = 0;          // tokens, before any scaling; 0: not stated
  std::vector<FamilyModel> encoder;  // the other stack of an encoder-decoder; at most one
  int64_t start_token = 0;           // what an encoder-decoder's decoder begins with
};

/// Everything the program knows about a family: one file in harness/checkpoint/families defines it, one line in
/// family.cpp lists it.
struct Family {
  std::string_view name;     // `model_type` in config.json
  std::string_view summary;  // one clause
  /// @param source for what only the tensors show, such as whether there is a head. @throws Error(kInput).
  FamilyModel (*read)(FamilyConfig& config, const TensorSource& source);
  /// Which tensor holds which parameter; applied backwards for exports.
  WeightMap (*names)(const FamilyModel& model);
  /// Writes the keys that `read` reads and transformers needs, beside model_type, vocab_size and tie_word_embeddings.
  /// What the family cannot express is left out; export.h compares what is read back.
  /// @param model with the defaults of its position section filled in. @throws Error(kUnsupported).
  void (*export_as)(const FamilyModel& model, ConfigWriter& config);

  std::string_view architecture = "";  // `general.architecture` in GGUF; "" where llama.cpp has none
  /// From metadata to the keys that `read` reads, beside those of the shape. Null without an architecture.
  void (*from_gguf)(GgufConfig& gguf) = nullptr;
  /// What differs from the names and arrangements that all architectures of llama.cpp share; null: nothing.
  void (*gguf_names)(DecoderNames& names, const TensorSource& source) = nullptr;
  /// Where several families share an architecture, whether the metadata belong to this one. Null: it takes the files
  /// that no other family takes.
  bool (*takes_gguf)(const FamilyConfig& metadata) = nullptr;
  bool needs_bos = false;  // always trained with BOS at the beginning; without it, losses are far too high
};

std::span<const Family* const> families();
/// By model_type. @throws Error(kInput) naming those that are known.
const Family& family_named(const std::string& model_type, const std::string& place);

/// Reads what all families have: the shape, under Hugging Face's keys and the aliases of GPT-2, BLOOM and MPT.
struct ShapeDefaults {
  std::optional<int64_t> width, layers, heads, kv_heads, ffn, head_width;  // kv_heads: heads when absent
  int64_t vocabulary = 0;
};
void read_shape(FamilyConfig& config, ModelConfig& model, const ShapeDefaults& defaults);
Activation read_activation(FamilyConfig& config, const KeyNames& keys, const std::string& fallback);
/// The name under which transformers computes the same: "gelu", "gelu_new", "relu", "silu".
std::string activation_name(Activation activation);
int64_t read_context(FamilyConfig& config, std::optional<int64_t> fallback);
/// What LLaMA brought and most later families kept: RMSNorm, a gated feed-forward, no biases.
void read_llama_layers(FamilyConfig& config, ModelConfig& model, double norm_eps);
/// Scheme and training length. @param context max_position_embeddings where the file has none.
void read_rotary_position(FamilyConfig& config, FamilyModel& model, int64_t context, const RopeDefaults& defaults = {});
void read_learned_position(FamilyConfig& config, FamilyModel& model, int64_t context);
/// The window of each layer. Which layers slide is read from `layer_types` where present, else from `slides(layer)`.
std::vector<int64_t> read_layer_windows(FamilyConfig& config, int64_t layers, std::optional<int64_t> window,
                                        bool (*slides)(int64_t layer, int64_t from), int64_t from);
/// Whether the output weights are the embeddings: `tie_word_embeddings`, and the file itself. Output weights in the
/// file that differ from the embeddings are used whatever the config says, as in transformers 5.
/// @param embedding how the name of the embeddings' tensor ends. @throws Error(kInput) where the config asks for
/// separate output weights and the file has none.
bool read_tying(FamilyConfig& config, const TensorSource& source, const std::string& head, const std::string& embedding,
                bool fallback);

/// A single decoder's map.
WeightMap map_of(const DecoderNames& names, const FamilyModel& model);

/// The names that LLaMA brought and most later families kept.
DecoderNames llama_names();

}  // namespace lw
