// The section "order" of `lengthwise inspect PATH`: what a checkpoint makes of the same words in another order.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/eval/order_distance.h"

namespace lw {

class Tokenizer;

/// The built-in pairs as ids, with what the tokenizer puts around a text. Left out are those with a word that is
/// not one token, or is another in the other order.
std::vector<OrderIds> order_pair_ids(const Tokenizer& tokenizer);

/// {pairs, of, own: {mean, largest, per_token, unrelated}, none: {...}}: under the positions that the model has, and
/// under none, in as many pairs as a large model leaves time for; {pairs, of, reason} where fewer than 2 pairs are
/// left. The model is as before afterwards.
nlohmann::ordered_json measure_order(Transformer& model, const Tokenizer& tokenizer);

/// The same for people.
std::string order_text(const nlohmann::ordered_json& order, bool color);

}  // namespace lw
