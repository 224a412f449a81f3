// What position schemes declare about themselves, measured here.
#include "harness/selfcheck/properties.h"

#include "harness/measure/position_card.h"
#include "harness/selfcheck/attention.h"
#include "harness/selfcheck/check.h"

namespace lw {
namespace {

Finding check_shift_invariance(std::span<const Subject> subjects) {
  Deviations found(kShiftBound, "setting");
  for (const auto& s : subjects) {
    if (!s.position.build()->shift_invariant()) {
      found.leave_out(s.name, "it declares that its logits depend on where the pair stands");
      continue;
    }
    const auto moved = moved_by_shift(s.position.shape(), s.encoding());
    if (moved)
      found.add(*moved, s.name);
    else
      found.leave_out(s.name, "its table of positions leaves no room to move");
  }
  return found.finding();
}

Finding check_declared(std::span<const Subject> subjects) {
  FaultCount found("declaration");
  for (const auto& s : subjects) add_properties(s.name, s.position.shape(), s.encoding(), found);
  return found.finding();
}

}  // namespace

void add_properties(const std::string& name, const ModelShape& shape, const MakeEncoding& make, FaultCount& found) {
  const PositionCard card = position_card(name, shape, {.claims = false}, make);
  each_property(card, [&](const char* property, const CardProperty& p) {
    if (p.measured)
      found.add(!p.disagrees(), name + ": " + property + " is declared " + (p.declared ? "true" : "false"));
    else
      found.leave_out(name + ": " + property,
                      "it shows only past position " + std::to_string(p.shows_after.value_or(0)));
  });
}

extern const SelfCheck shift_invariance_check{
    .name = "shift_invariance",
    .compares = "logits of relative schemes, and 1009 tokens on",
    .measures = "largest change of a logit, float64",
    .concerns = Concerns::kCard,
    .run = check_shift_invariance,
};

extern const SelfCheck declared_properties_check{
    .name = "declared_properties",
    .compares = "properties on cards, declared and measured",
    .measures = "properties that disagree",
    .concerns = Concerns::kCard,
    .run = check_declared,
};

}  // namespace lw
