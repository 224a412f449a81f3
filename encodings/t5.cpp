// T5's relative bias: one learned number per head and distance bucket, added to the logits.
// Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
// arXiv:1910.10683, section 2.1. Near distances have buckets of their own, farther ones share logarithmic
// buckets, and everything from the last bucket on shares one. One table serves all layers, as in T5.
// Deviation: T5 leaves out the 1/sqrt(E) scale of the logits; here the model keeps it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "encodings/parts/distance_bias.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/parameters.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr double kT5InitStd = 0.02;

struct T5Buckets {
  int64_t num_buckets = 32;
  int64_t max_distance = 128;
  bool bidirectional = false;

  int64_t per_side() const { return bidirectional ? num_buckets / 2 : num_buckets; }
  /// Distances below this have a bucket each.
  int64_t exact() const { return per_side() / 2; }

  /// @param ahead key position - query position.
  int64_t bucket(int64_t ahead) const {
    const int64_t start = bidirectional && ahead > 0 ? per_side() : 0;
    const int64_t distance = bidirectional ? std::abs(ahead) : std::max<int64_t>(-ahead, 0);
    if (distance < exact()) return start + distance;
    const double share =
        std::log(double(distance) / double(exact())) / std::log(double(max_distance) / double(exact()));
    return start + std::min(per_side() - 1, exact() + int64_t(share * double(per_side() - exact())));
  }

  /// Every distance from here on falls in the last bucket.
  int64_t last_bucket_from() const {
    int64_t distance = max_distance;
    while (distance > 0 && bucket(-(distance - 1)) == bucket(-max_distance)) --distance;
    return distance;
  }
};

class T5Bias final : public PositionEncoding {
 public:
  T5Bias(const T5Buckets& buckets, int64_t heads) : buckets_(buckets) {
    std::vector<int64_t> bucket_of_ahead;
    for (int64_t ahead = -buckets.max_distance; ahead <= buckets.max_distance; ++ahead)
      bucket_of_ahead.push_back(buckets.bucket(ahead));
    bucket_A_ = at::tensor(bucket_of_ahead, at::kLong);
    bias_NH_ = register_parameter("relative_attention_bias", at::zeros({buckets.num_buckets, heads}));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor&, const at::Tensor&,
                           const Site& at) override {
    return add_distance_bias(*this, logits_BHQK, at);
  }

  at::Tensor bias_by_distance(const at::Tensor& ahead_N) const override {
    // Distances beyond max_distance share its bucket, so they are clipped and looked up: no logarithm per pair.
    const int64_t far = buckets_.max_distance;
    const auto bucket_N = bucket_A_.to(ahead_N.device()).index_select(0, ahead_N.clamp(-far, far) + far);
    return bias_NH_.to(wide_type(bias_NH_)).index_select(0, bucket_N).t();
  }

  bool shift_invariant() const override { return true; }

  std::vector<CardFact> facts(int64_t) const override {
    return {number_fact("num_buckets", double(buckets_.num_buckets)),
            number_fact("max_distance", double(buckets_.max_distance)),
            flag_fact("bidirectional", buckets_.bidirectional),
            number_fact("last_bucket_from_distance", double(buckets_.last_bucket_from()))};
  }

  void reset_parameters(Rng& rng) override {
    Rng stream = rng.stream("relative_attention_bias");
    draw_normal(bias_NH_, kT5InitStd, stream);
  }

 private:
  T5Buckets buckets_;
  at::Tensor bucket_A_;  // of key - query = -max_distance .. max_distance
  at::Tensor bias_NH_;
};

MakeEncoding read_t5(ConfigNode& options, const ModelShape& shape) {
  T5Buckets buckets;
  buckets.bidirectional = !shape.causal;
  const int64_t least = buckets.bidirectional ? 4 : 2;
  buckets.num_buckets = options.integer("num_buckets", 32, {.min = least, .max = 1 << 20}, "distance classes, even");
  options.require(buckets.num_buckets % 2 == 0, "num_buckets", found(buckets.num_buckets).allowed("an even number"));
  buckets.max_distance =
      options.integer("max_distance", 128, {.min = 2, .max = 1 << 20}, "distance from which all share the last bucket");
  options.require(buckets.max_distance > buckets.exact(), "max_distance",
                  found(buckets.max_distance)
                      .allowed("above ", buckets.exact(), ", the distances that have a bucket of their own"));
  return maker_of<T5Bias>(buckets, shape.heads);
}

}  // namespace

extern const EncodingInfo t5_encoding{
    .name = "t5",
    .summary = "a learned bias per head and distance bucket",
    .paper = "Raffel et al. 2020, arXiv:1910.10683",
    .golden = "transformers: buckets of every distance to 300",
    .read = read_t5,
};

}  // namespace lw
