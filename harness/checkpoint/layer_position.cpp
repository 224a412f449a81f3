#include "harness/checkpoint/layer_position.h"

#include <algorithm>
#include <cmath>

#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/checkpoint/config_writer.h"
#include "harness/checkpoint/rope_settings.h"

namespace lw {
namespace {

constexpr const char* kOriginal = "original_max_position_embeddings";
constexpr const char* kLongest = "max_position_embeddings";
constexpr const char* kSliding = "sliding_attention";

bool is_empty(const Tree& tree) {
  return tree.kind == Tree::Kind::kNull || (tree.is_map() && tree.entries.empty()) ||
         (tree.kind == Tree::Kind::kList && tree.items.empty());
}

void drop_empty(Tree& tree) {
  for (auto& entry : tree.entries) drop_empty(entry.value);
  std::erase_if(tree.entries, [](const Tree::Entry& entry) { return is_empty(entry.value); });
}

/// The word for a layer in a repeated pattern; "" without a pattern.
std::string in_pattern(const Tree* pattern, int64_t layer) {
  if (pattern == nullptr || pattern->items.empty()) return "";
  return pattern->items[static_cast<size_t>(layer) % pattern->items.size()].text;
}

/// `max_position_embeddings` beside the original length is another way to state a factor.
void state_factor(Tree& scaling) {
  const auto longest = parse_number(scaling.text_of(kLongest)), original = parse_number(scaling.text_of(kOriginal));
  if (longest && original && scaling.text_of("factor").empty())
    scaling.set("factor", Tree::scalar(format_number(*longest / *original)));
  if (longest && scaling.find("ratio") == nullptr) scaling.erase(kLongest);
}

/// The section of a layer of the given type; "" where layers have no types.
Tree rope_of_type(Tree out, const std::string& type) {
  const std::string local = out.text_of("rope_local_base_freq");
  for (const char* key : {"layer_types", "no_rope_layer_interval", "rope_local_base_freq"}) out.erase(key);
  if (const Tree* scaling = out.find("scaling"); scaling != nullptr && !type.empty()) {
    const Tree* own = scaling->find(type);
    if (own != nullptr && own->is_map()) {
      out.set("scaling", Tree(*own));
    } else if (type == kSliding) {
      out.erase("scaling");
      if (!local.empty()) out.set("rope_theta", Tree::scalar(local));
    }
  }
  const Tree* found = out.find("scaling");
  if (found == nullptr) return out;
  Tree scaling = *found;  // a copy: setting a key of `out` may move what stands in it
  for (const char* key : {"rope_theta", "partial_rotary_factor"}) {
    if (const Tree* inside = scaling.find(key)) out.set(key, Tree(*inside));
    scaling.erase(key);
  }
  state_factor(scaling);
  const bool plain = scaling.text_of("rope_type") == "default" && scaling.entries.size() == 1;
  plain ? out.erase("scaling") : out.set("scaling", std::move(scaling));
  return out;
}

/// A scalar or list as JSON.
Json json_of(const Tree& tree) {
  if (tree.kind == Tree::Kind::kList) {
    Json list = Json::array();
    for (const auto& item : tree.items) list.push_back(json_of(item));
    return list;
  }
  if (tree.text == "true" || tree.text == "false") return tree.text == "true";
  if (const auto whole = parse_whole(tree.text)) return *whole;
  const auto number = parse_number(tree.text);
  return number ? Json(*number) : Json(tree.text);
}

const RopeTypeOfFiles& type_in_files(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& type : rope_types_of_files()) {
    if (type.name == name) return type;
    names.push_back(type.name);
  }
  throw Error(ErrorKind::kUnsupported, "position.scaling.rope_type: " + found(name).allowed(join(names)));
}

std::string type_of(const Tree* scaling) { return scaling == nullptr ? "default" : scaling->text_of("rope_type"); }

}  // namespace

Tree layer_position(const Tree& position, int64_t layer) {
  Tree out = position;
  drop_empty(out);
  if (out.text_of("scheme") == "layered") {
    const Tree* kinds = out.find("kinds");
    const Tree* own = kinds == nullptr ? nullptr : kinds->find(in_pattern(out.find("layers"), layer));
    return own == nullptr ? out : layer_position(Tree(*own), 0);
  }
  if (!is_rope(out)) return out;
  const auto interval = parse_whole(out.text_of("no_rope_layer_interval"));
  if (interval && (layer + 1) % *interval == 0) {
    Tree none = Tree::map();
    none.set("scheme", word("none"));
    return none;
  }
  return rope_of_type(out, in_pattern(out.find("layer_types"), layer));
}

bool is_rope(const Tree& layer_position) { return layer_position.text_of("scheme") == "rope"; }

void write_rope_parameters(const Tree& layer_position, ConfigWriter& parameters) {
  const Tree* scaling = is_rope(layer_position) ? layer_position.find("scaling") : nullptr;
  const auto& type = type_in_files(type_of(scaling));
  parameters.set("rope_type", type.name);
  for (const auto& key : type.keys)
    if (const Tree* value = scaling == nullptr ? nullptr : scaling->find(key))
      parameters.set(key.c_str(), json_of(*value));
  const auto number = [&](const char* key, double fallback) {
    const Tree* value = is_rope(layer_position) ? layer_position.find(key) : nullptr;
    parameters.set(key, value == nullptr ? Json(fallback) : json_of(*value));
  };
  number("rope_theta", 10000.0);
  number("partial_rotary_factor", 1.0);
}

int64_t original_context_of(const Tree& layer_position, int64_t train_length) {
  const Tree* scaling = is_rope(layer_position) ? layer_position.find("scaling") : nullptr;
  return scaling == nullptr ? train_length : parse_whole(scaling->text_of(kOriginal)).value_or(train_length);
}

int64_t context_of(const Tree& layer_position, int64_t train_length) {
  const int64_t original = original_context_of(layer_position, train_length);
  const Tree* scaling = is_rope(layer_position) ? layer_position.find("scaling") : nullptr;
  const std::string type = type_of(scaling);
  if (type != "yarn" && type != "longrope" && type != "llama3") return original;
  const auto factor = parse_number(scaling->text_of("factor"));
  return factor ? std::llround(*factor * static_cast<double>(original)) : original;
}

}  // namespace lw
