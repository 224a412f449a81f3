// Attention sinks and a sliding window: each query sees the first tokens and the latest ones, nothing between.
// Xiao et al. 2024, "Efficient Streaming Language Models with Attention Sinks", arXiv:2309.17453, section 3.2, and Han
// et al. 2024, "LM-Infinite: Zero-Shot Extreme Length Generalization for Large Language Models", arXiv:2308.16137,
// section 4. The window counts the query's own token: `sinks` + `window` keys are seen in all.
// `numbering` decides the distance to the sinks:
//   streaming_llm  tokens are numbered by their place among the kept ones, so that the query stands at
//                  sinks + window - 1 once tokens have been left out, and a sink at its own position;
//   lm_infinite    the distance is min(i - j, distance_limit) for every pair; the paper's window and limit both are
//                  the training length.
// Deviation: keys are masked, not evicted, so memory grows with length; the numbers are those of a cache that evicts.
// The window is the training length less the sinks unless given, so that no distance is new.
#include <algorithm>
#include <limits>
#include <string>

#include "encodings/parts/causal_only.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/piecewise_rope.h"
#include "harness/base/config.h"

namespace lw {
namespace {

/// Whether distances are capped.
const NamedValues<bool> kNumberings = {{false, "streaming_llm", "the place among the kept tokens"},
                                       {true, "lm_infinite", "the token's own, with capped distances"}};

struct Kept {
  int64_t sinks = 4, window = 512;
  bool capped = false;         // lm_infinite
  int64_t distance_limit = 0;  // only with lm_infinite

  int64_t tokens() const { return sinks + window; }
};

class Streaming final : public PiecewiseRope {
 public:
  Streaming(RopeRotation rotation, int64_t train_length, const Kept& kept)
      : PiecewiseRope(std::move(rotation), train_length), kept_(kept) {}

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) override {
    const auto out_BHQK = PiecewiseRope::adjust_logits(logits_BHQK, q_BHQE, k_BHKE, at);
    const auto hidden_BQK =
        region(at, kHidden, [&] { return far_pairs(at, kept_.window).logical_and(is_sink(at).logical_not()); });
    if (!hidden_BQK.defined()) return out_BHQK;
    return out_BHQK.masked_fill_(hidden_BQK.unsqueeze(1), -std::numeric_limits<float>::infinity());
  }

  /// Sinks stand at fixed positions.
  bool shift_invariant() const override { return kept_.sinks == 0; }

 protected:
  std::vector<RopePass> passes(const Site& at) const override {
    std::vector<RopePass> out = {{at.query_pos_BQ, at.key_pos_BK, {}}};
    const auto moved_BQK = region(at, kFarRegion, [&] {
      if (kept_.capped)
        return far_pairs(at, kept_.distance_limit)
            .logical_and(is_sink(at).logical_or(far_pairs(at, kept_.window).logical_not()));
      return is_sink(at).logical_and((at.query_pos_BQ >= kept_.tokens()).unsqueeze(-1));
    });
    if (!moved_BQK.defined()) return out;
    if (kept_.capped)
      out.push_back({everywhere(at, kQueryPos, kept_.distance_limit), everywhere(at, kKeyPos, 0), moved_BQK});
    else
      out.push_back({everywhere(at, kQueryPos, kept_.tokens() - 1), at.key_pos_BK, moved_BQK});
    return out;
  }

  double largest_distance(int64_t length) const override {
    const int64_t in_window = std::min(length, kept_.window) - 1, to_sink = kept_.sinks > 0 ? length - 1 : 0;
    if (kept_.capped) return double(std::min(std::max(in_window, to_sink), kept_.distance_limit));
    return double(std::max(in_window, std::min(to_sink, kept_.tokens() - 1)));
  }
  int64_t region_after() const override { return std::max(kept_.tokens(), kept_.distance_limit); }
  std::vector<CardFact> option_facts(int64_t length) const override {
    std::vector<CardFact> out = {number_fact("sinks", double(kept_.sinks)), number_fact("window", double(kept_.window)),
                                 text_fact("numbering", name_of(kNumberings, kept_.capped)),
                                 number_fact("keys_seen", double(std::min(length, kept_.tokens())))};
    if (kept_.capped) out.push_back(number_fact("distance_limit", double(kept_.distance_limit)));
    return out;
  }

 private:
  at::Tensor is_sink(const Site& at) const { return (at.key_pos_BK < kept_.sinks).unsqueeze(-2); }

  Kept kept_;
};

MakeEncoding read_streaming(ConfigNode& options, const ModelShape& shape) {
  require_causal(options, shape, "streaming");
  auto rotation = RopeRotation::read(options, shape);
  Kept kept;
  kept.sinks = options.integer("sinks", 4, {.min = 0, .max = int64_t{1} << 40}, "first tokens that stay visible");
  if (shape.train_length > 0) kept.window = std::max<int64_t>(1, shape.train_length - kept.sinks);
  kept.window = read_window(options, "window", kept.window, shape.train_length,
                            "latest tokens that a query sees, its own included");
  kept.capped = options.variant<bool>(
      "numbering", kNumberings, false, "how tokens are numbered once some are left out", [&](bool capped) {
        if (!capped) return;
        kept.distance_limit =
            read_window(options, "distance_limit", kept.window, shape.train_length, "the largest distance, in tokens");
      });
  return maker_of<Streaming>(std::move(rotation), shape.train_length, kept);
}

}  // namespace

extern const EncodingInfo streaming_encoding{
    .name = "streaming",
    .summary = "RoPE over the first tokens and a sliding window",
    .paper = "Xiao et al. 2024, arXiv:2309.17453",
    .golden = "a cache that evicts and renumbers its keys",
    .read = read_streaming,
    .trained_as = "rope",
};

}  // namespace lw
