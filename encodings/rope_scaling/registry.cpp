#include <array>

#include "encodings/rope_scaling/declared_length.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/base/config.h"

// One line per method, in alphabetical order. Each is defined in encodings/rope_scaling/<name>.cpp.
#define LW_ROPE_SCALINGS(X) \
  X(by_parts_index)         \
  X(by_parts_turns)         \
  X(composed)               \
  X(default)                \
  X(dynamic)                \
  X(dynamic_linear)         \
  X(dynamic_longrope)       \
  X(dynamic_part_ntk)       \
  X(dynamic_yarn)           \
  X(factors)                \
  X(linear)                 \
  X(llama3)                 \
  X(longrope)               \
  X(ntk)                    \
  X(ntk_kexue)              \
  X(part_ntk)               \
  X(proportional)           \
  X(yarn)

namespace lw {

#define LW_DECLARE(name) extern const RopeScalingInfo name##_rope_scaling;
LW_ROPE_SCALINGS(LW_DECLARE)
#undef LW_DECLARE

std::span<const RopeScalingInfo* const> rope_scalings() {
#define LW_ENTRY(name) &name##_rope_scaling,
  static const std::array kAll = {LW_ROPE_SCALINGS(LW_ENTRY)};
#undef LW_ENTRY
  return kAll;
}

namespace {

std::unique_ptr<RopeScaling> make(ConfigNode& scaling, const RopeBasis& basis, int64_t train_length,
                                  const std::vector<const RopeScalingInfo*>& known) {
  std::vector<Choice> choices;
  for (const auto* info : known) choices.push_back({std::string(info->name), std::string(info->summary)});

  scaling.describe([&] { scaling.note_old_name("type", "rope_type"); });
  const bool both = scaling.has("rope_type") && scaling.has("type");  // also when describing
  const std::string old_name = both ? scaling.str("type", "", "the old name of rope_type") : "";
  const char* key = !both && scaling.has("type") ? "type" : "rope_type";
  std::unique_ptr<RopeScaling> made;
  scaling.variant(key, choices, "default", "how frequencies change", [&](size_t i) {
    scaling.require(!both || old_name == choices[i].name, "type",
                    "found '" + old_name + "' beside rope_type '" + choices[i].name + "'; allowed: one name");
    made = known[i]->make(scaling, basis, train_length);
    if (!made->depends_on_length()) return;
    const auto declared = scaling.optional_integer("declared_length", {.min = 1},
                                                   "take every sequence to be this long, so that keys may be cached");
    if (declared) made = at_declared_length(std::move(made), *declared);
  });
  return made;
}

}  // namespace

std::unique_ptr<RopeScaling> make_rope_scaling(ConfigNode& scaling, const RopeBasis& basis, int64_t train_length) {
  return make(scaling, basis, train_length, {rope_scalings().begin(), rope_scalings().end()});
}

std::unique_ptr<RopeScaling> make_single_rope_scaling(ConfigNode& scaling, const RopeBasis& basis,
                                                      int64_t train_length) {
  std::vector<const RopeScalingInfo*> known;
  for (const auto* info : rope_scalings())
    if (info != &composed_rope_scaling) known.push_back(info);
  return make(scaling, basis, train_length, known);
}

}  // namespace lw
