// The tensor names of one family, as a table. The table and the model's switches together give every rule of a
// WeightMap.
#pragma once
#include <string>
#include <vector>

#include "harness/checkpoint/weight_map.h"
#include "harness/model/model_config.h"

namespace lw {

/// How rows of a fused query_key_value weight are ordered.
enum class FusedQkv {
  kBlocks,   // all queries, all keys, all values
  kPerHead,  // for each head its query, key and value (GPT-NeoX, BLOOM)
};

/// Names without ".weight" and ".bias". Empty: the family has no such tensor. A layer's names follow `layer`, in which
/// "{}" is the layer's number.
struct DecoderNames {
  std::string prefix;  // of everything but the head; files of the bare body lack it
  std::string embedding, embedding_norm;
  std::string layer;
  std::string attention_norm;
  std::string q, k, v;  // or
  std::string qkv;
  std::string o, q_norm, k_norm, attention_output_norm;
  std::string ffn_norm;
  std::string gate, up;  // or
  std::string gate_up;   // rows of gate, then of up
  std::string down, ffn_output_norm;
  std::string norm, head;
  std::string positions;             // a learned table
  std::vector<std::string> ignored;  // see WeightMap::ignore

  FusedQkv fused = FusedQkv::kBlocks;
  bool transposed = false;        // linear weights are [in, out] (GPT-2's Conv1D)
  bool interleaved_rope = false;  // rows of q and k are in the order of rotated pairs (LLaMA in GGUF)
  bool norm_plus_one = false;     // norms hold the whole factor, our parameter holds it less 1 (Gemma in GGUF)
};

/// Rules for every parameter of a decoder of this shape. @param ours before our names: "" or "decoder.".
void add_decoder(WeightMap& map, const DecoderNames& names, const ModelConfig& config, const std::string& ours = "");

/// `pattern` with "{}" replaced.
std::string numbered(const std::string& pattern, int64_t number);

}  // namespace lw
