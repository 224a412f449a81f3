// Llama 3.1's scaling: pairs of wavelengths below original length / high_freq_factor are kept, those above original
// length / low_freq_factor divided by the factor, and those between mixed, straight in original length / wavelength.
// Llama Team 2024, "The Llama 3 Herd of Models", arXiv:2407.21783; the formula is meta-llama/llama-models',
// llama3/model.py, and Hugging Face's and vLLM's alike.
#include <algorithm>
#include <cmath>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

struct Llama3Options {
  double factor = 1, low_freq_factor = 1, high_freq_factor = 4;
  int64_t original_length = 0;
};

class Llama3Scaling final : public RopeScaling {
 public:
  explicit Llama3Scaling(const Llama3Options& options) : options_(options) {}

  std::string_view name() const override { return "llama3"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    const auto& [factor, low, high, original_length] = options_;
    RopeTable out{basis.inv_freq(), 1.0};
    for (double& w : out.inv_freq) {
      const double rotations = double(original_length) * w / (2 * M_PI);
      const double keep = std::clamp((rotations - low) / (high - low), 0.0, 1.0);
      w = (1 - keep) * w / factor + keep * w;
    }
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    const auto& [factor, low, high, original_length] = options_;
    std::vector<DerivedNumber> out = {{"factor", factor},
                                      {"original_max_position_embeddings", double(original_length)},
                                      {"low_freq_factor", low},
                                      {"high_freq_factor", high}};
    if (!basis.scaled_inv_freq.empty()) return out;  // the pairs of these rotations are not those of the base
    out.push_back({"pair_of_low_freq", pair_of_rotations(basis, original_length, low)});
    out.push_back({"pair_of_high_freq", pair_of_rotations(basis, original_length, high)});
    return out;
  }

 private:
  Llama3Options options_;
};

std::unique_ptr<RopeScaling> read_llama3(ConfigNode& options, const RopeBasis&, int64_t train_length) {
  const Range<double> positive{.min = 0.0, .above_min = true};
  Llama3Options out;
  out.factor = read_factor(options, "slow pairs are divided by it");
  out.original_length = read_original_length(options, train_length);
  out.low_freq_factor = options.number("low_freq_factor", 1, positive,
                                       "pairs of fewer rotations than this over the original length are slow");
  out.high_freq_factor = options.number("high_freq_factor", 4, positive,
                                        "pairs of more rotations than this over the original length are kept");
  require_above(options, "high_freq_factor", out.high_freq_factor, "low_freq_factor", out.low_freq_factor);
  return std::make_unique<Llama3Scaling>(out);
}

}  // namespace

extern const RopeScalingInfo llama3_rope_scaling{
    .name = "llama3",
    .summary = "Llama 3.1: slow pairs divided, fast pairs kept, a mix between",
    .paper = "Llama Team 2024, arXiv:2407.21783",
    .golden = "transformers, 288 settings",
    .read = read_llama3,
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
