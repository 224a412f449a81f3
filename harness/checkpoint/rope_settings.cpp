#include "harness/checkpoint/rope_settings.h"

#include <algorithm>
#include <cmath>

#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr const char* kOriginal = "original_max_position_embeddings";
constexpr const char* kGgufFactors = "factors";  // a GGUF file's list of divisors; no folder has it

Json without(Json block, std::initializer_list<const char*> keys) {
  for (const char* key : keys) block.erase(key);
  return block;
}

/// A block without old names, for comparing two: `type` is the old name of `rope_type`, and "su" that of "longrope".
Json canonical(const Json& block) {
  Json out = without_nulls(block);
  if (!out.contains("rope_type")) out["rope_type"] = out.contains("type") ? out["type"] : Json("default");
  if (out["rope_type"] == "su") out["rope_type"] = "longrope";
  out.erase("type");
  return out;
}

/// The two forms of a setting must agree. A block of version 4 need not repeat what stands outside it.
void require_alike(const FamilyConfig& config, const Json& now, const Json& before) {
  const Json current = canonical(now), old = canonical(before);
  const auto refuse = [&](const std::string& key, const std::string& was, const std::string& is) {
    config.fail(
        "rope_scaling",
        found_what(key, " ", was, ", and ", is, " in rope_parameters").allowed("one form, or both saying the same"));
  };
  for (const auto& [key, value] : old.items()) {
    const auto found = current.find(key);
    if (found == current.end() || *found != value)
      refuse(key, json_shown(value), found == current.end() ? "none" : json_shown(*found));
  }
  for (const auto& [key, value] : current.items())
    if (!old.contains(key) && key != "rope_theta" && key != "partial_rotary_factor" && key != kOriginal)
      refuse(key, "none", json_shown(value));
}

struct Block {
  std::string name;  // its key in the file
  Json values = Json::object();
};

/// The block of either version; where both are present, they must agree.
Block block_of(FamilyConfig& config) {
  const auto now = config.optional_json("rope_parameters"), before = config.optional_json("rope_scaling");
  for (const auto& [key, block] : {std::pair{"rope_parameters", &now}, std::pair{"rope_scaling", &before}}) {
    config.require(!*block || (*block)->is_object(), key,
                   found_what(*block ? json_shown(**block) : "").allowed("an object or null"));
    if (!*block) continue;
    for (const auto& [inside, value] : (*block)->items())
      config.require(!value.is_object(), key + std::string(".") + inside,
                     found_what("settings of one kind of layer")
                         .allowed("one block, since layers of ", config.family(), " rotate alike"));
  }
  if (now && before) require_alike(config, *now, *before);
  if (now) return {"rope_parameters", without_nulls(*now)};
  return {"rope_scaling", before ? without_nulls(*before) : Json::object()};
}

/// A number that may stand in the block or above it.
double inside_or_above(FamilyConfig& config, const Json& block, const KeyNames& keys, double fallback) {
  const auto above = config.optional_number(keys);
  const auto stated = block.find(*keys.begin());
  if (stated == block.end()) {
    if (!above) config.note(*keys.begin(), format_number(fallback), "default of " + config.family());
    return above.value_or(fallback);
  }
  config.require(stated->is_number(), *keys.begin(), found_what(json_shown(*stated)).allowed("a number"));
  const double inside = stated->get<double>();
  config.require(!above || *above == inside, *keys.begin(),
                 found(above.value_or(0), ", and ", inside, " among the rope parameters").allowed("one value"));
  config.note(*keys.begin(), format_number(inside), "config.json, rope parameters");
  return inside;
}

std::string type_of(FamilyConfig& config, const Json& block, const std::string& key, const RopeDefaults& defaults) {
  static const std::vector<std::string> kTypes = [] {
    std::vector<std::string> names;
    for (const auto& type : rope_types_of_files()) names.push_back(type.name);
    return names;
  }();
  static const std::string kNames = join(kTypes);
  const auto named = [&](const char* name) -> std::string {
    const auto value = block.find(name);
    if (value == block.end() || value->is_null()) return "";
    config.require(value->is_string(), key + "." + name, found_what(json_shown(*value)).allowed(kNames));
    return *value == "su" ? "longrope" : value->get<std::string>();
  };
  const std::string now = named("rope_type"), before = named("type");
  config.require(now.empty() || before.empty() || now == before, key,
                 found_what("rope_type '", now, "' beside type '", before, "'").allowed("one name"));
  const std::string name = now.empty() ? before : now;
  if (name.empty()) {
    config.require(!block.contains("factor"), key + ".rope_type",
                   found_what("nothing beside a factor").allowed(kNames));
    return "default";
  }
  if (name == "yarn" && defaults.yarn_is_longrope) return "longrope";
  config.require(name != "mrope", key + ".rope_type",
                 found("mrope", ", whose positions are not those of a text").allowed(kNames));
  config.require(name == kGgufFactors || std::find(kTypes.begin(), kTypes.end(), name) != kTypes.end(),
                 key + (now.empty() ? ".type" : ".rope_type"),
                 found(name).allowed(kNames) + did_you_mean(name, kTypes));
  return name;
}

/// The length that the method starts from, as the file states it: in the block or above it. nullopt: nowhere.
std::optional<int64_t> stated_original(FamilyConfig& config, const Json& block, const std::string& key) {
  const auto above = config.optional_whole({kOriginal});
  FamilyConfig cursor(block, config.family(), config.place() + ": " + key);
  const auto inside = cursor.optional_whole({kOriginal});
  config.require(
      !above || !inside || *above == *inside, kOriginal,
      found(above.value_or(0), ", and ", inside.value_or(0), " among the rope parameters").allowed("one value"));
  return inside ? inside : above;
}

/// Of a method with an original length: the one stated, the family's own, or the context.
int64_t filled_original(FamilyConfig& config, std::optional<int64_t> stated, const std::string& key, int64_t context,
                        const RopeDefaults& defaults) {
  if (stated) return *stated;
  const int64_t filled = defaults.original.value_or(context);
  config.note(key + "." + kOriginal, std::to_string(filled),
              defaults.original ? "default of " + config.family() : "default: max_position_embeddings");
  if (!defaults.original)
    config.remark(text(key, ".", kOriginal, ": not stated, so max_position_embeddings is taken: ", context));
  return filled;
}

/// The factor of a method that stretches the original length to max_position_embeddings.
void fill_factor(FamilyConfig& config, Json& block, const std::string& key, int64_t context,
                 std::optional<int64_t> stated, int64_t original) {
  const double ratio = static_cast<double>(context) / static_cast<double>(original);
  if (!block.contains("factor")) {
    block["factor"] = ratio;
    config.note(key + ".factor", block["factor"].dump(),
                "default: max_position_embeddings / original_max_position_embeddings");
  } else if (stated && block["factor"].is_number() && std::abs(block["factor"].get<double>() - ratio) > 1e-9 * ratio) {
    config.remark(text(key, ".factor: ", block["factor"].get<double>(),
                       " is what counts, although max_position_embeddings is ", context, " with ", kOriginal, " ",
                       original, ", a ratio of ", ratio));
  }
}

}  // namespace

const std::vector<RopeTypeOfFiles>& rope_types_of_files() {
  static const std::vector<RopeTypeOfFiles> kTypes = {
      {"default", {}},
      {"linear", {"factor"}},
      {"dynamic", {"factor"}},
      {"yarn",
       {"factor", kOriginal, "beta_fast", "beta_slow", "attention_factor", "mscale", "mscale_all_dim", "truncate"}},
      {"longrope", {"factor", kOriginal, "short_factor", "long_factor", "attention_factor"}},
      {"llama3", {"factor", kOriginal, "low_freq_factor", "high_freq_factor"}},
      {"proportional", {"factor"}}};
  return kTypes;
}

Json without_nulls(const Json& block) {
  Json out = Json::object();
  for (const auto& [key, value] : block.items())
    if (!value.is_null()) out[key] = value;
  return out;
}

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
  out.update(without(without_nulls(block), {"type", "rope_type", "finetuned"}));
  const auto stated = stated_original(config, block, key);
  const bool fixed = type == "yarn" || type == "longrope" || type == "llama3";
  out.erase(kOriginal);
  if (fixed) out[kOriginal] = filled_original(config, stated, key, context, defaults);
  if (type == "dynamic") {  // always scales from max_position_embeddings, as in transformers
    out[kOriginal] = context;
    if (stated && *stated != context)
      config.note(key + "." + kOriginal, std::to_string(context), "max_position_embeddings, as in transformers");
  }
  if (!fixed && stated && *stated != context && type != kGgufFactors && !defaults.original)
    config.remark(text(
        key, ".", kOriginal, ": ", *stated, " has no effect with rope_type ", type,
        type == "dynamic" ? ", which starts from max_position_embeddings: " + std::to_string(context) : std::string()));
  if (type == "llama3")  // our options have defaults; files must state them
    for (const char* name : {"low_freq_factor", "high_freq_factor"})
      config.require(out.contains(name), key + "." + name, "found nothing; allowed: a number above 0");
  if (type == "yarn" || type == "longrope")
    fill_factor(config, out, key, context, stated, out[kOriginal].get<int64_t>());
  Tree tree = Tree::map();
  for (const auto& [name, value] : out.items()) tree.set(name, number_tree(value));
  return tree;
}

RopeSettings read_rope(FamilyConfig& config, int64_t context, const RopeDefaults& defaults) {
  const auto [key, block] = block_of(config);
  RopeSettings out;
  out.train_length = context;
  out.position = Tree::map();
  out.position.set("scheme", word("rope"));
  const double theta = inside_or_above(config, block, defaults.theta_keys, defaults.theta);
  const double partial = inside_or_above(config, block, defaults.partial_keys, defaults.partial);
  out.position.set("rope_theta", Tree::scalar(format_number(theta)));
  if (partial != 1) out.position.set("partial_rotary_factor", Tree::scalar(format_number(partial)));
  const Json rest = without(block, {"rope_theta", "partial_rotary_factor"});
  Tree scaling = rope_scaling_block(config, rest, key, context, defaults);
  config.require(partial == 1 || defaults.parts || scaling.find("rope_type")->text == "proportional",
                 defaults.partial_keys[0],
                 found(partial).allowed("1, since ", config.family(), " rotates whole heads"));
  if (scaling.find("rope_type")->text == "default") {
    Json more = without(rest, {"rope_type", "type", kOriginal});
    if (more.contains("factor") && more["factor"] == 1) more.erase("factor");
    config.require(
        more.empty(), key,
        found_what(more.empty() ? "" : more.begin().key(), " with rope_type default").allowed("nothing else"));
    return out;
  }
  if (const Tree* original = scaling.find(kOriginal)) out.train_length = *parse_whole(original->text);
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
