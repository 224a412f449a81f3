// Dual Chunk Attention: positions are counted within chunks, so that no distance exceeds those seen in training. An et
// al. 2024, "Training-Free Long-Context Scaling of Large Language Models", arXiv:2402.17463, section 3, and the
// authors' HKUNLP/ChunkLlama. A chunk has s = chunk_size - local_window tokens, and the key at j stands at j mod s. The
// query at i stands at i mod s for keys of its own chunk, at min(i mod s + s, cap) for those of the previous chunk, so
// that neighbours across a boundary keep their distance, and at one fixed place for all older chunks. `cap`: the paper
// (with c = chunk_size the training length) caps at c - 1, and older chunks see the query at c - 1; the authors' code
// caps at c itself, and older chunks see it at min(2s - 1, c). The defaults are the code's: chunk_size 3/4 and
// local_window 1/8 of the training length. `length_temperature: chunk_llama` multiplies logits by (0.05 ln(T / L) +
// 1)^2 at lengths T above the original length L, as ChunkLlama's tables do; earlier hidden states then change with T,
// and nothing can be cached. Deviation: one softmax over all keys, where the authors merge chunks by weights rounded to
// bfloat16.
#include <ATen/ops/div.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "encodings/parts/causal_only.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/piecewise_rope.h"
#include "encodings/parts/precision.h"
#include "encodings/parts/row_lengths.h"
#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr auto kCap = "cap";
/// Whether the cap is the paper's.
const NamedValues<bool> kCaps = {
    {false, "code", "positions up to chunk_size (ChunkLlama)"},
    {true, "paper", "positions up to chunk_size - 1, chunk_size being the training length"}};
/// Whether logits depend on the length.
const NamedValues<bool> kLengthTemperatures = {
    {false, "none", "logits as they are"},
    {true, "chunk_llama", "logits times (0.05 ln(T / L) + 1)^2 past the original length"}};

struct Chunks {
  int64_t chunk_size = 0, local_window = 0;
  bool paper_cap = false;
  int64_t original_length = 0;  // 0: no length temperature

  int64_t tokens() const { return chunk_size - local_window; }
  int64_t cap() const { return paper_cap ? chunk_size - 1 : chunk_size; }
  /// The position at which keys older than the previous chunk see every query.
  int64_t far_query() const { return paper_cap ? cap() : std::min(2 * tokens() - 1, cap()); }
  /// What logits are multiplied by at `length` tokens.
  double temperature(int64_t length) const {
    if (original_length == 0 || length <= original_length) return 1.0;
    const double each_side = 0.05 * std::log(double(length) / double(original_length)) + 1;
    return each_side * each_side;
  }
};

class DualChunk final : public PiecewiseRope {
 public:
  DualChunk(RopeRotation rotation, int64_t train_length, const Chunks& chunks)
      : PiecewiseRope(std::move(rotation), train_length), chunks_(chunks) {}

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) override {
    const auto out_BHQK = PiecewiseRope::adjust_logits(logits_BHQK, q_BHQE, k_BHKE, at);
    if (chunks_.original_length == 0) return out_BHQK;
    const auto wide = wide_type(out_BHQK);
    const auto factor_B111 =
        row_factors(at.key_pos_BK, wide, [&](int64_t length) { return chunks_.temperature(length); });
    return factor_B111.defined() ? out_BHQK.to(wide).mul_(factor_B111) : out_BHQK;
  }

  KeyCache key_cache() const override {
    return chunks_.original_length > 0 ? KeyCache::kNone : PiecewiseRope::key_cache();
  }
  /// Chunks begin at multiples of their size.
  bool shift_invariant() const override { return chunks_.tokens() == 1; }

 protected:
  std::vector<RopePass> passes(const Site& at) const override {
    const int64_t tokens = chunks_.tokens();
    const auto chunk = [&](const at::Tensor& pos_BT) { return at::div(pos_BT, tokens, "floor"); };
    const auto newest_key_chunk_BQ1 = [&](int64_t before) { return (chunk(at.query_pos_BQ) - before).unsqueeze(-1); };
    const auto query_pos_BQ = moved(at, kQueryPos, at.query_pos_BQ, [&] { return at.query_pos_BQ.remainder(tokens); });
    const auto key_pos_BK = moved(at, kKeyPos, at.key_pos_BK, [&] { return at.key_pos_BK.remainder(tokens); });
    std::vector<RopePass> out = {{query_pos_BQ, key_pos_BK, {}}};
    const auto before_BQK =
        region(at, kFarRegion, [&] { return chunk(at.key_pos_BK).unsqueeze(-2) == newest_key_chunk_BQ1(1); });
    if (before_BQK.defined())
      out.push_back(
          {moved(at, kFarQueryPos, at.query_pos_BQ, [&] { return (query_pos_BQ + tokens).clamp_max(chunks_.cap()); }),
           key_pos_BK, before_BQK});
    const auto older_BQK =
        region(at, kFartherRegion, [&] { return chunk(at.key_pos_BK).unsqueeze(-2) <= newest_key_chunk_BQ1(2); });
    if (older_BQK.defined())
      out.push_back({everywhere(at, kFartherQueryPos, chunks_.far_query()), key_pos_BK, older_BQK});
    return out;
  }

  double largest_distance(int64_t length) const override {
    const int64_t tokens = chunks_.tokens();
    int64_t largest = std::min(length, tokens) - 1;
    if (length > tokens) largest = std::max(largest, std::min({length - 1, 2 * tokens - 1, chunks_.cap()}));
    if (length > 2 * tokens) largest = std::max(largest, chunks_.far_query());
    return double(largest);
  }
  int64_t region_after() const override { return std::max(2 * chunks_.tokens(), chunks_.original_length); }
  std::vector<CardFact> option_facts(int64_t length) const override {
    return {number_fact("chunk_size", double(chunks_.chunk_size)),
            number_fact("local_window", double(chunks_.local_window)),
            number_fact("tokens_per_chunk", double(chunks_.tokens())),
            text_fact(kCap, name_of(kCaps, chunks_.paper_cap)),
            number_fact("largest_query_position", double(chunks_.cap())),
            number_fact("far_query_position", double(chunks_.far_query())),
            number_fact("length_temperature", chunks_.temperature(length))};
  }

 private:
  Chunks chunks_;
};

MakeEncoding read_dca(ConfigNode& options, const ModelShape& shape) {
  require_causal(options, shape, "dca");
  auto rotation = RopeRotation::read(options, shape);
  const int64_t known = shape.train_length > 0 ? shape.train_length : 4096;
  const Range<int64_t> allowed{.min = 1, .max = int64_t{1} << 40};
  Chunks chunks;
  chunks.chunk_size =
      options.integer("chunk_size", std::max<int64_t>(2, known * 3 / 4), allowed, "bounds positions, in tokens");
  chunks.local_window = options.integer("local_window", std::max<int64_t>(1, known / 8), allowed,
                                        "tokens before a boundary that keep their distance across it");
  options.require(
      chunks.local_window < chunks.chunk_size, "local_window",
      found(chunks.local_window).allowed("below chunk_size, ", chunks.chunk_size, ", since chunks are the difference"));
  chunks.paper_cap = options.choice(kCap, kCaps, false, "the largest position of a query");
  options.variant<bool>("length_temperature", kLengthTemperatures, false, "sharper attention in longer sequences",
                        [&](bool by_length) {
                          if (by_length) chunks.original_length = read_original_length(options, shape.train_length);
                        });
  return maker_of<DualChunk>(std::move(rotation), shape.train_length, chunks);
}

}  // namespace

extern const EncodingInfo dca_encoding{
    .name = "dca",
    .summary = "RoPE with positions inside chunks",
    .paper = "An et al. 2024, arXiv:2402.17463",
    .golden = "ChunkLlama: a matrix of distances; the paper's cap",
    .read = read_dca,
    .trained_as = "rope",
};

}  // namespace lw
