#include "harness/checkpoint/position_fit.h"

#include <vector>

#include "harness/base/error.h"

namespace lw {

bool keeps_position_tensors(const FamilyModel& own, const Tree& position) {
  const Tree *x = own.position.find("scheme"), *y = position.find("scheme");
  return x != nullptr && y != nullptr && x->text == y->text;
}

std::string why_not_put_on(const Checkpoint& checkpoint, const Tree& position, const PositionEncoding& encoding) {
  if (keeps_position_tensors(checkpoint.model, position)) return "";
  std::vector<std::string> names;
  for (const auto& item : encoding.named_parameters()) names.push_back(item.key());
  if (names.empty()) return "";
  return "found " + position.find("scheme")->text + ", whose learned parameters (" + join(names) + ") " +
         checkpoint.source->place() +
         " does not hold; allowed: the checkpoint's own scheme, or one that learns nothing";
}

}  // namespace lw
