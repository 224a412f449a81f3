#include "harness/checkpoint/rope_settings.h"

#include <algorithm>

#include "harness/base/numbers.h"

namespace lw {
namespace {

Json without(Json block, std::initializer_list<const char*> keys) {
  for (const char* key : keys) block.erase(key);
  return block;
}

/// null counts as absent.
Json without_nulls(const Json& block) {
  Json out = Json::object();
  for (const auto& [key, value] : block.items())
    if (!value.is_null()) out[key] = value;
  return out;
}

/// The block of either version; both must say the same where both are there.
Json block_of(FamilyConfig& config) {
  const auto now = config.optional_json("rope_parameters"), before = config.optional_json("rope_scaling");
  for (const auto& [key, block] : {std::pair{"rope_parameters", &now}, std::pair{"rope_scaling", &before}})
    config.require(!*block || (*block)->is_object(), key,
                   "found " + (*block ? (*block)->dump() : "") + "; allowed: an object or null");
  if (!now) return before ? without_nulls(*before) : Json::object();
  const Json current = without_nulls(*now);
  if (!before) return current;
  const Json old = without_nulls(*before);
  for (const auto& [key, value] : old.items()) {
    const char* known = key == "type" ? "rope_type" : key.c_str();
    const auto found = current.find(known);
    config.require(found != current.end() && *found == value, "rope_scaling",
                   "found " + key + " " + value.dump() + ", and " + (found == current.end() ? "none" : found->dump()) +
                       " in rope_parameters; allowed: one form, or both saying the same");
  }
  return current;
}

/// A number that may stand in the block or above it.
double inside_or_above(FamilyConfig& config, const Json& block, const KeyNames& keys, double fallback) {
  const auto above = config.optional_number(keys);
  const auto found = block.find(*keys.begin());
  if (found == block.end()) {
    if (!above) config.note(*keys.begin(), format_number(fallback), "default of " + config.family());
    return above.value_or(fallback);
  }
  config.require(found->is_number(), *keys.begin(), "found " + found->dump() + "; allowed: a number");
  const double inside = found->get<double>();
  config.require(!above || *above == inside, *keys.begin(),
                 "found " + format_number(above.value_or(0)) + ", and " + format_number(inside) +
                     " among the rope parameters; allowed: one value");
  config.note(*keys.begin(), format_number(inside), "config.json, rope parameters");
  return inside;
}

std::string type_of(FamilyConfig& config, const Json& block, const std::string& key, const RopeDefaults& defaults) {
  const auto text = [&](const char* name) -> std::string {
    const auto found = block.find(name);
    if (found == block.end()) return "";
    config.require(found->is_string(), key, std::string("found ") + name + " " + found->dump() + "; allowed: a name");
    return found->get<std::string>();
  };
  const std::string now = text("rope_type"), before = text("type");
  config.require(now.empty() || before.empty() || now == before, key,
                 "found rope_type '" + now + "' beside type '" + before + "'; allowed: one name");
  const std::string name = now.empty() ? before : now;
  if (name == "su" || (name == "yarn" && defaults.yarn_is_longrope)) return "longrope";
  config.require(name != "mrope", key, "found 'mrope', whose positions are not those of a text; allowed: others");
  return name.empty() ? "default" : name;
}

}  // namespace

Tree word(const std::string& text) { return Tree::scalar(text, true); }

Tree number_tree(const Json& value) {
  if (value.is_array()) {
    Tree list = Tree::list();
    for (const auto& item : value) list.items.push_back(number_tree(item));
    return list;
  }
  if (value.is_string()) return word(value.get<std::string>());
  if (value.is_number_float()) return Tree::scalar(format_number(value.get<double>()));
  return Tree::scalar(value.dump());
}

Tree rope_scaling_block(FamilyConfig& config, const Json& block, const std::string& key, int64_t context,
                        const RopeDefaults& defaults) {
  const std::string type = type_of(config, block, key, defaults);
  Json out = {{"rope_type", type}};
  for (const auto& [name, value] : block.items())
    if (!value.is_null() && name != "type" && name != "rope_type") out[name] = value;
  const bool fixed = type == "yarn" || type == "longrope" || type == "llama3";
  if (defaults.original_above) {
    const auto above = config.optional_whole({"original_max_position_embeddings"});
    if (above && fixed) out["original_max_position_embeddings"] = *above;
  }
  // Dynamic NTK counts from max_position_embeddings, whatever stands beside it (as in transformers).
  if (type == "dynamic" || (fixed && !out.contains("original_max_position_embeddings")))
    out["original_max_position_embeddings"] = context;
  if (!fixed && type != "dynamic") out.erase("original_max_position_embeddings");
  if ((type == "yarn" || type == "longrope") && !out.contains("factor")) {
    const auto& original = out["original_max_position_embeddings"];
    config.require(original.is_number() && original.get<double>() > 0, key,
                   "found original_max_position_embeddings " + original.dump() + "; allowed: above 0");
    out["factor"] = static_cast<double>(context) / original.get<double>();
    config.note(key + ".factor", out["factor"].dump(), "max_position_embeddings / original_max_position_embeddings");
  }
  Tree tree = Tree::map();
  for (const auto& [name, value] : out.items()) tree.set(name, number_tree(value));
  return tree;
}

RopeSettings read_rope(FamilyConfig& config, int64_t context, const RopeDefaults& defaults) {
  const Json block = block_of(config);
  RopeSettings out;
  out.train_length = context;
  out.position = Tree::map();
  out.position.set("scheme", word("rope"));
  const double theta = inside_or_above(config, block, defaults.theta_keys, defaults.theta);
  const double partial = inside_or_above(config, block, defaults.partial_keys, defaults.partial);
  out.position.set("rope_theta", Tree::scalar(format_number(theta)));
  if (partial != 1) out.position.set("partial_rotary_factor", Tree::scalar(format_number(partial)));
  const Json rest = without(block, {"rope_theta", "partial_rotary_factor"});
  Tree scaling = rope_scaling_block(config, rest, "rope_scaling", context, defaults);
  config.require(partial == 1 || defaults.parts || scaling.find("rope_type")->text == "proportional",
                 defaults.partial_keys[0],
                 "found " + format_number(partial) + "; allowed: 1, since " + config.family() + " turns whole heads");
  if (scaling.find("rope_type")->text == "default") {
    const Json known = without(rest, {"rope_type", "type", "factor", "original_max_position_embeddings"});
    config.require(
        known.empty(), "rope_scaling",
        "found " + (known.empty() ? "" : known.begin().key()) + " with rope_type default; allowed: nothing else");
    return out;
  }
  if (const Tree* original = scaling.find("original_max_position_embeddings"))
    out.train_length = std::stoll(original->text);
  out.position.set("scaling", std::move(scaling));
  return out;
}

Tree rope_in_some_layers(Tree rope, const std::vector<bool>& uses_rope) {
  if (std::all_of(uses_rope.begin(), uses_rope.end(), [](bool uses) { return uses; })) return rope;
  Tree none = Tree::map();
  none.set("scheme", word("none"));
  if (std::none_of(uses_rope.begin(), uses_rope.end(), [](bool uses) { return uses; })) return none;
  Tree layers = Tree::list(), kinds = Tree::map(), out = Tree::map();
  for (const bool uses : uses_rope) layers.items.push_back(word(uses ? "rope" : "none"));
  kinds.set("rope", std::move(rope));
  kinds.set("none", std::move(none));
  out.set("scheme", word("layered"));
  out.set("layers", std::move(layers));
  out.set("kinds", std::move(kinds));
  return out;
}

}  // namespace lw
