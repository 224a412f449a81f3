#include "harness/measure/setting_card.h"

#include "encodings/position_sampler.h"
#include "harness/measure/position_card.h"

namespace lw {

PositionCard position_card_of(const PositionSetting& setting, int64_t length, int64_t deployed) {
  const PositionCardOptions options{length, length > 0 ? length : deployed, true};
  PositionCard card = position_card(setting.scheme(), setting.shape(), options, [&] { return setting.build(); });
  const auto sampler = setting.sampler();
  card.position_numbering = sampler ? sampler->numbering() : "0, 1, 2, ...";
  return card;
}

}  // namespace lw
