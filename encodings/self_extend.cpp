// Self-Extend: exact distances near, distances between groups of tokens far away.
// Jin et al. 2024, "LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning", arXiv:2401.01325, section 3.
// The distance of a query at i and a key at j is i - j below the window w, else floor(i / G) + w - w / G - floor(j / G)
// with groups of G tokens, so that the two meet at the window.
// `window_shift`: the authors' code (datamllab/LongLM) takes w / G as a fraction, so that positions are fractional
// where G does not divide w; its older form, as in the paper's listing, truncates it.
// Deviations: no log-n factor on queries (here that is a separate query temperature), and a window of at most half the
// training length unless given, where the authors' code has 1024.
#include <ATen/ops/div.h>

#include <algorithm>
#include <string>

#include "encodings/parts/causal_only.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/piecewise_rope.h"
#include "harness/base/config.h"

namespace lw {
namespace {

/// Whether the shift is truncated to a whole number.
const NamedValues<bool> kWindowShifts = {{false, "fractional", "window / group_size as it is (LongLM)"},
                                         {true, "whole", "window / group_size cut to a whole number (older LongLM)"}};

struct Groups {
  int64_t group_size = 8, window = 1024;
  bool whole_shift = false;

  /// What far queries are moved by.
  double shift() const {
    const double less = whole_shift ? double(window / group_size) : double(window) / double(group_size);
    return double(window) - less;
  }
};

class SelfExtend final : public PiecewiseRope {
 public:
  SelfExtend(RopeRotation rotation, int64_t train_length, const Groups& groups)
      : PiecewiseRope(std::move(rotation), train_length), groups_(groups) {}

  /// Groups begin at multiples of their size, not at the query.
  bool shift_invariant() const override { return groups_.group_size == 1; }

 protected:
  std::vector<RopePass> passes(const Site& at) const override {
    std::vector<RopePass> out = {{at.query_pos_BQ, at.key_pos_BK, {}}};
    const auto far_BQK = region(at, kFarRegion, [&] { return far_pairs(at, groups_.window); });
    if (!far_BQK.defined()) return out;
    const auto group = [&](const at::Tensor& pos_BT) { return at::div(pos_BT, groups_.group_size, "floor"); };
    out.push_back({moved(at, kQueryPos, at.query_pos_BQ,
                         [&] { return group(at.query_pos_BQ).to(at::kDouble) + groups_.shift(); }),
                   moved(at, kKeyPos, at.key_pos_BK, [&] { return group(at.key_pos_BK); }), far_BQK});
    return out;
  }

  double largest_distance(int64_t length) const override {
    const int64_t farthest = length - 1;
    if (farthest < groups_.window) return double(farthest);
    return std::max(double(groups_.window - 1), double(farthest / groups_.group_size) + groups_.shift());
  }
  int64_t region_after() const override { return groups_.window + groups_.group_size; }
  std::vector<CardFact> option_facts(int64_t) const override {
    return {number_fact("group_size", double(groups_.group_size)), number_fact("window", double(groups_.window)),
            text_fact("window_shift", name_of(kWindowShifts, groups_.whole_shift)),
            number_fact("far_query_shift", groups_.shift())};
  }

 private:
  Groups groups_;
};

MakeEncoding read_self_extend(ConfigNode& options, const ModelShape& shape) {
  require_causal(options, shape, "self_extend");
  auto rotation = RopeRotation::read(options, shape);
  Groups groups;
  groups.group_size =
      options.integer("group_size", 8, {.min = 1, .max = int64_t{1} << 40}, "tokens that far away share a position");
  if (shape.train_length > 0) groups.window = std::clamp<int64_t>(shape.train_length / 2, 1, groups.window);
  groups.window =
      read_window(options, "window", groups.window, shape.train_length, "distances below it are between tokens");
  groups.whole_shift =
      options.choice("window_shift", kWindowShifts, false, "how far queries are moved to meet the window");
  return maker_of<SelfExtend>(std::move(rotation), shape.train_length, groups);
}

}  // namespace

extern const EncodingInfo self_extend_encoding{
    .name = "self_extend",
    .summary = "RoPE with distances between groups of tokens beyond a window",
    .paper = "Jin et al. 2024, arXiv:2401.01325",
    .golden = "LongLM: two matrices of distances",
    .read = read_self_extend,
    .trained_as = "rope",
};

}  // namespace lw
