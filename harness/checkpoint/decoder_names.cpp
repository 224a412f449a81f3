#include "harness/checkpoint/decoder_names.h"

#include "harness/base/text.h"

namespace lw {
namespace {

/// The rows of one of the three parts of a fused weight or bias.
WeightChange part_of_qkv(const ModelConfig& c, FusedQkv fused, int64_t part, const char* name) {
  const int64_t q = c.heads * c.head_width, kv = c.kv_heads * c.head_width;
  const std::string how = std::string(name) + " of the fused tensor";
  if (fused == FusedQkv::kPerHead) return part_of_each_head(c.heads, c.head_width, part, 3, how);
  const int64_t begin = part == 0 ? 0 : part == 1 ? q : q + kv;
  return rows_of(begin, part == 0 ? q : kv, q + 2 * kv, how);
}

class Rules {
 public:
  Rules(WeightMap& map, const DecoderNames& names, const ModelConfig& config, std::string ours)
      : map_(map), names_(names), c_(config), ours_(std::move(ours)) {}

  void add() {
    map_.add(ours_ + "embed_tokens", names_.embedding + ".weight");
    if (c_.embedding_norm) norm(ours_ + "embed_norm", names_.embedding_norm);
    for (int64_t l = 0; l < c_.layers; ++l) layer(l);
    if (c_.norm_placement != NormPlacement::kPost) norm(ours_ + "norm", names_.norm);
    if (c_.head) head();
    if (!names_.positions.empty()) map_.add(ours_ + "position.table", names_.positions + ".weight");
    for (const auto& pattern : names_.ignored) map_.ignore(pattern);
  }

 private:
  void layer(int64_t l) {
    const std::string ours = text(ours_, "layers_", l, "."), theirs = numbered(names_.layer, l);
    norm(ours + "input_layernorm", theirs + names_.attention_norm);
    attention(ours, theirs);
    if (c_.qk_norm) {
      norm(ours + "q_norm", theirs + names_.q_norm);
      norm(ours + "k_norm", theirs + names_.k_norm);
    }
    if (!c_.shared_norm) norm(ours + "post_attention_layernorm", theirs + names_.ffn_norm);
    feed_forward(ours, theirs);
    if (c_.norm_placement != NormPlacement::kSandwich) return;
    norm(ours + "attention_output_norm", theirs + names_.attention_output_norm);
    norm(ours + "ffn_output_norm", theirs + names_.ffn_output_norm);
  }

  void attention(const std::string& ours, const std::string& theirs) {
    const bool bias = c_.qkv_bias.value_or(c_.bias);
    if (names_.qkv.empty()) {
      linear(ours + "q_proj", theirs + names_.q, bias, rope_order(c_.heads));
      linear(ours + "k_proj", theirs + names_.k, bias, rope_order(c_.kv_heads));
      linear(ours + "v_proj", theirs + names_.v, bias);
    } else {
      const char* parts[] = {"q_proj", "k_proj", "v_proj"};
      for (int64_t part = 0; part < 3; ++part)
        linear(ours + parts[part], theirs + names_.qkv, bias, part_of_qkv(c_, names_.fused, part, parts[part]));
    }
    linear(ours + "o_proj", theirs + names_.o, c_.output_bias.value_or(c_.bias));
  }

  void feed_forward(const std::string& ours, const std::string& theirs) {
    const bool bias = c_.ffn_bias.value_or(c_.bias);
    const int64_t ffn = c_.ffn;
    if (!names_.gate_up.empty()) {
      const std::string name = theirs + names_.gate_up;
      linear(ours + "gate_proj", name, bias, rows_of(0, ffn, 2 * ffn, "the first half of the rows"));
      linear(ours + "up_proj", name, bias, rows_of(ffn, ffn, 2 * ffn, "the second half of the rows"));
    } else {
      if (c_.gated) linear(ours + "gate_proj", theirs + names_.gate, bias);
      linear(ours + "up_proj", theirs + names_.up, bias);
    }
    linear(ours + "down_proj", theirs + names_.down, bias);
  }

  void head() {
    if (c_.tied_embeddings)
      map_.tied(names_.head + ".weight", names_.embedding + ".weight");
    else
      map_.add_outside(ours_ + "lm_head.weight", names_.head + ".weight");
    if (c_.head_bias)
      map_.add_outside(ours_ + (c_.tied_embeddings ? "head_bias" : "lm_head.bias"), names_.head + ".bias");
  }

  void norm(const std::string& ours, const std::string& theirs) {
    map_.add(ours + ".weight", theirs + ".weight", names_.norm_plus_one ? plus(-1, "less 1") : WeightChange{});
    if (c_.norm == NormKind::kLayerNorm && c_.norm_bias) map_.add(ours + ".bias", theirs + ".bias");
  }

  void linear(const std::string& ours, const std::string& theirs, bool bias, const WeightChange& rows = {}) {
    map_.add(ours + ".weight", theirs + ".weight", names_.transposed ? transposed(rows) : rows);
    if (bias) map_.add(ours + ".bias", theirs + ".bias", rows);
  }

  WeightChange rope_order(int64_t heads) const {
    return names_.interleaved_rope ? halves_of_pairs(heads, c_.head_width) : WeightChange{};
  }

  WeightMap& map_;
  const DecoderNames& names_;
  const ModelConfig& c_;
  std::string ours_;
};

}  // namespace

std::string numbered(const std::string& pattern, int64_t number) {
  const size_t at = pattern.find("{}");
  return at == std::string::npos ? pattern : pattern.substr(0, at) + std::to_string(number) + pattern.substr(at + 2);
}

void add_decoder(WeightMap& map, const DecoderNames& names, const ModelConfig& config, const std::string& ours) {
  Rules(map, names, config, ours).add();
}

}  // namespace lw
