// Keys follow llama.cpp (gguf-py's constants and its loader, 2026-08).
#include "harness/checkpoint/gguf_rope.h"

#include <cmath>

#include "encodings/tensor.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"

namespace lw {
namespace {

class GgufRope {
 public:
  GgufRope(FamilyConfig& keys, const TensorSource& source, const GgufRopeShape& shape)
      : keys_(keys), source_(source), shape_(shape) {}

  /// Frequencies: base, rotated width, and one scaling.
  void read(ConfigWriter& config) {
    const double theta = keys_.number({"rope.freq_base"}, 10000.0);
    width_ = keys_.optional_whole({"rope.dimension_count"}).value_or(shape_.head_width);
    keys_.require(width_ <= shape_.head_width && width_ % 2 == 0, "rope.dimension_count",
                  found(width_).allowed("an even number up to ", shape_.head_width));
    config.set("rope_theta", theta);
    if (width_ != shape_.head_width || shape_.part)
      config.set("partial_rotary_factor", static_cast<double>(width_) / static_cast<double>(shape_.head_width));
    const Json block = scaling();
    if (!block.is_null()) config.set("rope_scaling", block);
  }

 private:
  Json scaling() {
    const std::string type = keys_.text({"rope.scaling.type"}, "linear");
    const double old = keys_.optional_number({"rope.scale_linear"}).value_or(0);
    double factor = keys_.optional_number({"rope.scaling.factor"}).value_or(0);
    if (factor == 0) factor = old == 0 ? 1 : old;  // 0 means absent
    const int64_t original = keys_.optional_whole({"rope.scaling.original_context_length"}).value_or(shape_.context);
    const double attention = keys_.optional_number({"rope.scaling.attn_factor"}).value_or(1);
    const bool lists = source_.has("rope_factors_long.weight") || source_.has("rope_factors_short.weight");
    const auto one = [&](bool ok, const std::string& what) {
      keys_.require(ok, "rope.scaling", found_what(what).allowed("one scaling"));
    };
    if (source_.has("rope_freqs.weight")) {
      // Llama 3's scaling is baked into these; the metadata do not mention it.
      one((type == "linear" || type == "none") && factor == 1 && !lists,
          "rope_freqs.weight beside a scaling of type " + type);
      return {{"rope_type", "factors"}, {"factors", divisors("rope_freqs.weight")}};
    }
    if (lists) {
      one(type == "longrope" || (type == "linear" && factor == 1), "lists of factors with type " + type);
      Json out = {{"rope_type", "longrope"},
                  {"long_factor", divisors("rope_factors_long.weight")},
                  {"short_factor", divisors("rope_factors_short.weight")},
                  {"original_max_position_embeddings", original}};
      if (attention != 1) out["attention_factor"] = attention;
      return out;
    }
    if (type == "yarn") return yarn(factor, original, attention);
    keys_.require(type == "linear" || type == "none", "rope.scaling.type",
                  found(type).allowed("none, linear, yarn, or longrope with its lists"));
    keys_.require(attention == 1, "rope.scaling.attn_factor",
                  found_what("a factor without yarn or longrope").allowed("1"));
    if (type == "none" || factor == 1) return nullptr;
    return {{"rope_type", "linear"}, {"factor", factor}};
  }

  Json yarn(double factor, int64_t original, double attention) {
    Json out = {{"rope_type", "yarn"}, {"factor", factor}, {"original_max_position_embeddings", original}};
    for (const char* beta : {"beta_fast", "beta_slow"}) {
      const std::string key = std::string("rope.scaling.yarn_") + beta;
      if (const auto value = keys_.optional_number({key.c_str()})) out[beta] = *value;
    }
    const double own = keys_.optional_number({"rope.scaling.yarn_attn_factor"}).value_or(1);
    keys_.require(keys_.optional_number({"rope.scaling.yarn_ext_factor"}).value_or(1) == 1,
                  "rope.scaling.yarn_ext_factor", found_what("another value").allowed("1"));
    // llama.cpp multiplies the derived factor by it; attention_factor replaces the derived one.
    if (attention * own != 1) out["attention_factor"] = attention * own * (0.1 * std::log(factor) + 1);
    return out;
  }

  std::vector<double> divisors(const std::string& name) const {
    keys_.require(source_.has(name), name, found_what("no such tensor").allowed("the long list with the short one"));
    const auto values = source_.read(name).flatten().to(at::kDouble);
    keys_.require(values.numel() == width_ / 2, name,
                  found(values.numel(), " numbers").allowed("one a pair, ", width_ / 2));
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
  }

  FamilyConfig& keys_;
  const TensorSource& source_;
  const GgufRopeShape& shape_;
  int64_t width_ = 0;
};

}  // namespace

void read_gguf_rope(FamilyConfig& keys, const TensorSource& source, const GgufRopeShape& shape, ConfigWriter& config) {
  GgufRope(keys, source, shape).read(config);
}

}  // namespace lw
