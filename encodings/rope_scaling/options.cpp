#include "encodings/rope_scaling/options.h"

#include <cmath>

#include "harness/base/config.h"

namespace lw {

double read_factor(ConfigNode& options, const std::string& doc) { return options.number("factor", {.min = 1.0}, doc); }

int64_t read_original_length(ConfigNode& options, int64_t train_length) {
  constexpr auto kKey = "original_max_position_embeddings";
  const std::string doc = "tokens the model was trained on before any scaling";
  const Range<int64_t> allowed{.min = 1};
  return train_length > 0 ? options.integer(kKey, train_length, allowed, doc) : options.integer(kKey, allowed, doc);
}

void require_two_pairs(const ConfigNode& options, const RopeBasis& basis) {
  options.require(basis.rotary_dim >= 4, "rope_type",
                  "found a method that changes the base with a rotary width of " + std::to_string(basis.rotary_dim) +
                      "; allowed: it needs a width of 4 or more");
}

RopeBasis with_stretched_base(const RopeBasis& basis, double stretch) {
  const auto d = double(basis.rotary_dim);
  RopeBasis out = basis;
  out.rope_theta *= std::pow(stretch, d / (d - 2));
  return out;
}

}  // namespace lw
