// How far a model's representation of a sentence moves when its words change places, and how far without positions.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lw {

class Transformer;

/// Two sentences of the same words in two orders; as ids, of the same tokens.
using OrderPair = std::pair<std::string, std::string>;
using OrderIds = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

/// English pairs of common words. All begin with "the", so that a first word without a blank before it is the same
/// token in both.
const std::vector<OrderPair>& order_pairs();

struct OrderDistance {
  double mean = 0;       // 1 - cosine of the two orders' states, averaged over their tokens; mean over pairs
  double largest = 0;    // of the pairs
  double per_token = 0;  // |h - h'| of a token in the two orders, relative to their mean norm; mean over tokens
  double unrelated = 0;  // as `mean`, but of different pairs' first sentences: what other words make
};

/// Final hidden states as the model gives them, float64 arithmetic on them. Tokens that occur twice are matched in
/// the order of their occurrence.
/// @param pairs at least 2; both sides the same tokens. @throws Error(kUnsupported) past the position scheme's end.
OrderDistance order_distance(Transformer& model, const std::vector<OrderIds>& pairs);

}  // namespace lw
