// Leaky ReRoPE: distances beyond a window grow, but `leak` times slower.
// Su 2023, "Rectified Rotary Position Embeddings", kexue.fm/archives/9708, and bojone/rerope. The distance of a query
// at i and a key at j is i - j below the window w, else w + (i - j - w) / k: far queries stand at (i + w (k - 1)) / k
// and far keys at j / k, which are not whole numbers.
// Deviations: no log-n factor on queries (here that is a separate query temperature), and a window of half the training
// length unless given, where the author's code uses 512 of 4096. k is 16 as there.
#include <algorithm>

#include "encodings/parts/causal_only.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/piecewise_rope.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class LeakyReRope final : public PiecewiseRope {
 public:
  LeakyReRope(RopeRotation rotation, int64_t train_length, int64_t window, double k)
      : PiecewiseRope(std::move(rotation), train_length), window_(window), k_(k) {}

  bool shift_invariant() const override { return true; }

 protected:
  std::vector<RopePass> passes(const Site& at) const override {
    std::vector<RopePass> out = {{at.query_pos_BQ, at.key_pos_BK, {}}};
    const auto far_BQK = region(at, kFarRegion, [&] { return far_pairs(at, window_); });
    if (!far_BQK.defined()) return out;
    const auto query_pos_BQ = moved(at, kQueryPos, at.query_pos_BQ, [&] {
      return (at.query_pos_BQ.to(at::kDouble) + double(window_) * (k_ - 1)) / k_;
    });
    const auto key_pos_BK = moved(at, kKeyPos, at.key_pos_BK, [&] { return at.key_pos_BK.to(at::kDouble) / k_; });
    out.push_back({query_pos_BQ, key_pos_BK, far_BQK});
    return out;
  }

  double largest_distance(int64_t length) const override {
    const int64_t farthest = length - 1;
    return farthest < window_ ? double(farthest) : double(window_) + double(farthest - window_) / k_;
  }
  int64_t region_after() const override { return window_; }
  std::vector<CardFact> option_facts(int64_t) const override {
    return {number_fact("window", double(window_)), number_fact("k", k_)};
  }

 private:
  int64_t window_;
  double k_;
};

}  // namespace

extern const EncodingInfo leaky_rerope_encoding{
    .name = "leaky_rerope",
    .summary = "RoPE with distances that grow slower beyond a window",
    .paper = "Su 2023, kexue.fm/archives/9708",
    .golden = "w + (i - j - w) / k, pair by pair",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      require_causal(options, shape, "leaky_rerope");
      auto rotation = RopeRotation::read(options, shape);
      const int64_t half = shape.train_length > 0 ? std::max<int64_t>(1, shape.train_length / 2) : 512;
      const int64_t window = read_window(options, "window", half, shape.train_length, "distances below it are kept");
      const double k =
          options.number("k", 16.0, {.min = 1.0}, "how many times slower distances grow beyond the window");
      return maker_of<LeakyReRope>(std::move(rotation), shape.train_length, window, k);
    },
    .trained_as = "rope",
};

}  // namespace lw
