#include "encodings/rope_scaling/scaling_block.h"

#include <algorithm>

#include "encodings/rope_scaling/rope_scaling.h"

namespace lw {

extern const RopeScalingInfo composed_rope_scaling;

bool scaling_changes_frequencies(const Tree& block) {
  const std::string type = block.text_of("rope_type");
  return !type.empty() && type != no_rope_scaling().name;
}

bool has_block_per_layer_type(const Tree& scaling) {
  return scaling.is_map() && scaling.find("rope_type") == nullptr &&
         std::any_of(scaling.entries.begin(), scaling.entries.end(),
                     [](const Tree::Entry& entry) { return entry.value.is_map(); });
}

Tree composed_scaling_block(const Tree& first, const Tree& then) {
  Tree out = Tree::map();
  out.set("rope_type", Tree::scalar(std::string(composed_rope_scaling.name), true));
  out.set("first", first);
  out.set("then", then);
  return out;
}

}  // namespace lw
