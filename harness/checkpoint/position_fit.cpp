#include "harness/checkpoint/position_fit.h"

#include <vector>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {

bool keeps_position_tensors(const FamilyModel& own, const PositionSetting& position) {
  return own.position.text_of("scheme") == position.scheme();
}

std::string position_misfit(const Checkpoint& checkpoint, const PositionSetting& position,
                            const PositionEncoding& encoding) {
  if (keeps_position_tensors(checkpoint.model, position)) return "";
  std::vector<std::string> names;
  for (const auto& item : encoding.named_parameters()) names.push_back(item.key());
  if (names.empty()) return "";
  return found_what(position.scheme(), ", whose learned parameters (", join(names), ") ", checkpoint.source->place(),
                    " does not hold")
      .allowed("the checkpoint's own scheme, or one that learns nothing");
}

}  // namespace lw
