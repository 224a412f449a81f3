#include "harness/measure/variant_card.h"

#include <algorithm>

#include "harness/measure/position_card.h"

namespace lw {

PositionCard position_card_of(const Variant& v, int64_t length) {
  const PositionCardOptions options{length, length > 0 ? length : deployed_length(v), true};
  PositionCard card =
      position_card(v.scheme(), v.shape(), options, [&] { return build_encoding(v.position, v.shape(), true); });
  const auto sampler = build_sampler(v.position);
  card.position_numbering = sampler ? sampler->numbering() : "0, 1, 2, ...";
  return card;
}

int64_t deployed_length(const Variant& v) {
  int64_t longest = v.train_length;
  for (const auto& suite : v.suites)
    for (const int64_t length : suite.lengths) longest = std::max(longest, length);
  return longest;
}

}  // namespace lw
