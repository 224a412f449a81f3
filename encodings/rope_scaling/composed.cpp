// Two scalings in sequence: the second is applied to the frequencies that the first gives, as when a model whose
// frequencies were scaled in training is extended again. Attention and query factors multiply.
// A method that looks at wavelengths (llama3, by_parts_turns) sees the scaled ones. A ramp over the pair index (yarn,
// by_parts_index, part_ntk) stays where the base alone puts it, and a method that changes the base multiplies by the
// ratio it gives plain frequencies: llama.cpp (ggml, rope_yarn) divides angles by rope_freqs first and takes YaRN's
// ramp from the base.
#include <algorithm>
#include <string>

#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class ComposedScaling final : public RopeScaling {
 public:
  ComposedScaling(std::unique_ptr<RopeScaling> first, std::unique_ptr<RopeScaling> then)
      : first_(std::move(first)),
        then_(std::move(then)),
        name_("composed: " + std::string(first_->name()) + ", then " + std::string(then_->name())) {}

  std::string_view name() const override { return name_; }
  std::optional<int64_t> changes_after() const override {
    return std::max(first_->changes_after(), then_->changes_after());  // nullopt is less than any length
  }
  bool spans_head() const override { return first_->spans_head() || then_->spans_head(); }

  RopeTable table(const RopeBasis& basis, int64_t length) const override {
    const RopeTable before = first_->table(basis, length);
    RopeTable out = then_->table(after(basis, before), length);
    out.attention_factor *= before.attention_factor;
    out.query_factor *= before.query_factor;
    out.still_pairs = std::max(out.still_pairs, before.still_pairs);
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t length) const override {
    std::vector<DerivedNumber> out;
    for (auto& number : first_->derived(basis, length)) out.push_back({"first." + number.name, number.value});
    for (auto& number : then_->derived(after(basis, first_->table(basis, length)), length))
      out.push_back({"then." + number.name, number.value});
    return out;
  }

 private:
  static RopeBasis after(const RopeBasis& basis, const RopeTable& before) {
    RopeBasis out = basis;
    out.scaled_inv_freq = before.inv_freq;
    out.rotary_dim = 2 * int64_t(before.inv_freq.size());
    return out;
  }

  std::unique_ptr<RopeScaling> first_, then_;
  std::string name_;
};

std::unique_ptr<RopeScaling> read_composed(ConfigNode& options, const RopeBasis& basis, int64_t train_length) {
  ConfigNode first_options = options.map("first", "the scaling of plain frequencies; default when absent");
  ConfigNode then_options = options.map("then", "the scaling of what `first` gives; default when absent");
  auto first = read_single_rope_scaling(first_options, basis, train_length);
  RopeBasis next = basis;
  if (first->spans_head()) next.rotary_dim = next.head_width;
  auto then = read_single_rope_scaling(then_options, next, train_length);
  options.require(!then->spans_head() || next.rotary_dim == next.head_width, "then",
                  "found a method that pairs the whole head after one that pairs " + std::to_string(next.rotary_dim) +
                      " of its " + std::to_string(next.head_width) + " channels; allowed: the two the other way round");
  return std::make_unique<ComposedScaling>(std::move(first), std::move(then));
}

}  // namespace

extern const RopeScalingInfo composed_rope_scaling{
    .name = "composed",
    .summary = "two scalings, the second on what the first gives",
    .paper = "ggml-org/llama.cpp, rope_freqs with YaRN",
    .golden = "its reductions, and a pair of methods written out",
    .read = read_composed,
};

}  // namespace lw
