// LongRoPE: frequencies divided by one list of factors in sequences of up to the original length, and by another in
// longer ones. Ding et al. 2024, "LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens", arXiv:2402.13753, as
// in Phi-3 and Hugging Face: the attention factor sqrt(1 + ln(factor) / ln(original length)) is the same on both sides.
// vLLM's short_mscale and long_mscale set it for each side.
// Deviations: the side is chosen per sequence, by its own length or by declared_length; Hugging Face drops the cache
// when the first sequence of a batch crosses, and vLLM decides once from the longest length it was started for.
// The authors' start tokens, the first positions of a sequence that keep plain frequencies, are not here.
#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

/// What holds on one side of the original length.
struct Side {
  std::vector<double> factors;
  double attention_factor = 1;
};

class LongRopeScaling final : public RopeScaling {
 public:
  LongRopeScaling(const Extension& reach, Side short_side, Side long_side)
      : reach_(reach), short_(std::move(short_side)), long_(std::move(long_side)) {}

  std::string_view name() const override { return "longrope"; }
  std::optional<int64_t> changes_after() const override { return reach_.original_length; }

  RopeTable table(const RopeBasis& basis, int64_t length) const override {
    const Side& side = is_long(length) ? long_ : short_;
    RopeTable out{basis.inv_freq(), side.attention_factor};
    for (size_t i = 0; i < out.inv_freq.size(); ++i) out.inv_freq[i] /= side.factors[i];
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis&, int64_t length) const override {
    auto out = reach_.numbers();
    out.push_back({"long_factor_in_use", is_long(length) ? 1.0 : 0.0});
    return out;
  }

 private:
  bool is_long(int64_t length) const { return length > reach_.original_length; }

  Extension reach_;
  Side short_, long_;
};

/// vLLM's attention factor of one side; an alternative to Hugging Face's key for both sides.
double read_side_mscale(ConfigNode& options, const char* key, const std::optional<double>& both, double derived) {
  const auto own =
      options.optional_number(key, {.min = 0.0, .above_min = true}, "the attention factor of that side alone (vLLM)");
  options.require(!(own && both), key, "found beside attention_factor; allowed: one of the two");
  return own.value_or(both.value_or(derived));
}

std::unique_ptr<RopeScaling> read_longrope(ConfigNode& options, const RopeBasis& basis, int64_t train_length) {
  Side short_side, long_side;
  short_side.factors =
      read_pair_factors(options, "short_factor", basis, "divide frequencies up to the original length");
  long_side.factors = read_pair_factors(options, "long_factor", basis, "divide frequencies of longer sequences");
  const auto reach = read_extension(options, train_length, "target length over original length");
  options.require(reach.original_length > 1, "original_max_position_embeddings",
                  "found 1; allowed: 2 or more, since the attention factor divides by its logarithm");
  const auto both = read_attention_factor(options, "derived from factor and the original length");
  const double derived = longrope_mscale(reach.factor, reach.original_length);
  short_side.attention_factor = read_side_mscale(options, "short_mscale", both, derived);
  long_side.attention_factor = read_side_mscale(options, "long_mscale", both, derived);
  return std::make_unique<LongRopeScaling>(reach, std::move(short_side), std::move(long_side));
}

}  // namespace

extern const RopeScalingInfo longrope_rope_scaling{
    .name = "longrope",
    .summary = "two lists of factors, for short and for long sequences",
    .paper = "Ding et al. 2024, arXiv:2402.13753",
    .golden = "transformers, 32 settings",
    .read = read_longrope,
    .size_option = "factor",
    .needed_options = "{factor: 8}",
    .needed_lists = "short_factor long_factor",
};

}  // namespace lw
