// ReRoPE: distances are counted up to a window and stay there beyond it.
// Su 2023, "Rectified Rotary Position Embeddings", kexue.fm/archives/9708, and bojone/rerope. The distance of a query
// at i and a key at j is min(i - j, window).
// Deviation: the author's code also multiplies queries by max(1, ln(i + 1) / ln(training length)); here that is a
// separate query temperature, which every scheme may have. The author's window is 512 for a training length of 4096;
// here it is half the training length unless given.
#include <algorithm>

#include "encodings/parts/causal_only.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/piecewise_rope.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class ReRope final : public PiecewiseRope {
 public:
  ReRope(RopeRotation rotation, int64_t train_length, int64_t window)
      : PiecewiseRope(std::move(rotation), train_length), window_(window) {}

  bool shift_invariant() const override { return true; }

 protected:
  std::vector<RopePass> passes(const Site& at) const override {
    std::vector<RopePass> out = {{at.query_pos_BQ, at.key_pos_BK, {}}};
    const auto far_BQK = region(at, kFarRegion, [&] { return far_pairs(at, window_); });
    if (far_BQK.defined()) out.push_back({everywhere(at, kQueryPos, window_), everywhere(at, kKeyPos, 0), far_BQK});
    return out;
  }

  double largest_distance(int64_t length) const override { return double(std::min(length - 1, window_)); }
  int64_t region_after() const override { return window_; }
  std::vector<CardFact> option_facts(int64_t) const override { return {number_fact("window", double(window_))}; }

 private:
  int64_t window_;
};

}  // namespace

extern const EncodingInfo rerope_encoding{
    .name = "rerope",
    .summary = "RoPE with distances that stop growing at a window",
    .paper = "Su 2023, kexue.fm/archives/9708",
    .golden = "min(i - j, window), pair by pair",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      require_causal(options, shape, "rerope");
      auto rotation = RopeRotation::read(options, shape);
      const int64_t half = shape.train_length > 0 ? std::max<int64_t>(1, shape.train_length / 2) : 512;
      const int64_t window =
          read_window(options, "window", half, shape.train_length, "the largest distance, in tokens");
      return maker_of<ReRope>(std::move(rotation), shape.train_length, window);
    },
    .trained_as = "rope",
};

}  // namespace lw
