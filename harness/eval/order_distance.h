// Measures how far a model's representation of a sentence moves when its words are reordered.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lw {

class Transformer;

/// The same words in two orders; as ids, the same tokens.
using OrderPair = std::pair<std::string, std::string>;
using OrderIds = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

/// English pairs of common words. All begin with "the", so that the first word, which has no blank before it, is the
/// same token in both.
const std::vector<OrderPair>& order_pairs();

struct OrderDistance {
  double mean = 0;       // 1 - cosine between the two orders' states, averaged over their tokens; mean over pairs
  double largest = 0;    // over pairs
  double per_token = 0;  // |h - h'| of a token in the two orders, relative to their mean norm; mean over tokens
  double unrelated = 0;  // as `mean`, between the first sentences of different pairs: the effect of other words
};

/// From the final hidden states, in float64. Tokens that occur twice are matched in the order of their occurrence.
/// @param pairs at least 2; both sides hold the same tokens. @throws Error(kUnsupported) for positions that the scheme
/// does not define.
[[nodiscard]] OrderDistance order_distance(Transformer& model, const std::vector<OrderIds>& pairs);

}  // namespace lw
