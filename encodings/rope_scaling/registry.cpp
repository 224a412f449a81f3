#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

using Methods = std::vector<const RopeScalingInfo*>;

/// Old names of methods in published files.
const std::vector<std::pair<std::string, std::string>> kOldNames = {{"su", "longrope"}};

struct ReadMethod {
  const RopeScalingInfo* info = nullptr;
  std::unique_ptr<RopeScaling> scaling;
};

/// What blocks of published files have besides, so that one can be pasted.
void read_extras(ConfigNode& scaling) {
  scaling.ignore_nulls();
  if (scaling.has("finetuned") &&
      scaling.flag("finetuned", false,
                   "says that a published model was trained with its scaling; changes nothing here"))
    scaling.warn("finetuned", "changes nothing here; train.with_scaling says whether a model is trained with scaling");
}

/// Names, old ones included, and the place in `known` of what each stands for.
std::pair<std::vector<Choice>, std::vector<size_t>> names_of_methods(const Methods& known) {
  std::vector<Choice> choices;
  std::vector<size_t> methods;
  for (size_t i = 0; i < known.size(); ++i) {
    choices.push_back({std::string(known[i]->name), std::string(known[i]->summary)});
    methods.push_back(i);
  }
  for (const auto& [old_name, name] : kOldNames)
    for (size_t i = 0; i < known.size(); ++i)
      if (known[i]->name == name) {
        choices.push_back({old_name, "the old name of " + name});
        methods.push_back(i);
      }
  return {choices, methods};
}

ReadMethod read_method(ConfigNode& scaling, const RopeBasis& basis, int64_t train_length, const Methods& known) {
  const auto names = names_of_methods(known);
  const auto& choices = names.first;
  scaling.describe([&] { scaling.note_old_name("type", "rope_type"); });
  read_extras(scaling);
  const bool both = scaling.has("rope_type") && scaling.has("type");  // also when describing
  const std::string old_key = both ? scaling.str("type", "", "the old name of rope_type") : "";
  const char* key = !both && scaling.has("type") ? "type" : "rope_type";
  ReadMethod out;
  scaling.variant(key, choices, default_rope_scaling.name, "how frequencies change", [&](size_t i) {
    const RopeScalingInfo* info = known[names.second[i]];
    const bool same = std::any_of(kOldNames.begin(), kOldNames.end(),
                                  [&](const auto& old) { return old.first == old_key && old.second == info->name; });
    scaling.require(!both || same || old_key == info->name || old_key == choices[i].name, "type",
                    "found '" + old_key + "' beside rope_type '" + choices[i].name + "'; allowed: one name");
    out = {info, info->read(scaling, basis, train_length)};
    if (!out.scaling->depends_on_length()) return;
    const auto declared = scaling.optional_integer("declared_length", {.min = 1},
                                                   "take every sequence to be this long, so that keys may be cached");
    if (declared) out.scaling = at_declared_length(std::move(out.scaling), *declared);
  });
  return out;
}

/// "linear x8"
std::string words_of(const RopeScalingInfo& info, const Tree& scaling) {
  const std::string size = scaling.text_of(info.size_option);
  return std::string(info.name) + (size.empty() ? "" : " x" + size);
}

}  // namespace

std::unique_ptr<RopeScaling> read_rope_scaling(ConfigNode& scaling, const RopeBasis& basis, int64_t train_length,
                                               const std::string& layer_type) {
  ReadMethod method;
  scaling.after_training([&]() -> std::optional<std::string> {
    method = read_method(scaling, basis, train_length, {rope_scalings().begin(), rope_scalings().end()});
    if (method.scaling->in_training() || method.info == &default_rope_scaling) return std::nullopt;
    return (layer_type.empty() ? "" : layer_type + " ") + words_of(*method.info, scaling.resolved());
  });
  return std::move(method.scaling);
}

std::unique_ptr<RopeScaling> read_single_rope_scaling(ConfigNode& scaling, const RopeBasis& basis,
                                                      int64_t train_length) {
  Methods known;
  for (const auto* info : rope_scalings())
    if (info != &composed_rope_scaling) known.push_back(info);
  return read_method(scaling, basis, train_length, known).scaling;
}

const RopeScalingInfo& no_rope_scaling() { return default_rope_scaling; }

}  // namespace lw
