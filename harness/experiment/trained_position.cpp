#include "harness/experiment/trained_position.h"

#include <algorithm>
#include <set>

#include "encodings/position_sampler.h"
#include "encodings/registry.h"
#include "harness/base/config.h"

namespace lw {
namespace {

std::string text_of(const Tree& map, std::string_view key) {
  const Tree* value = map.find(key);
  return value == nullptr ? "" : value->text;
}

const EncodingInfo* info_of(const std::string& scheme) {
  for (const auto* info : encodings())
    if (info->name == scheme) return info;
  return nullptr;
}

/// Reads everything that a position section may hold.
std::shared_ptr<PositionEncoding> read_section(ConfigNode& position, const ModelShape& shape) {
  auto encoding = make_encoding(position, shape);
  PositionSampler::read(position);
  return encoding;
}

/// The keys that go with a scheme, those of any scheme included.
std::set<std::string> keys_of(std::string_view scheme) {
  ConfigNode described = ConfigNode::describing();
  read_section(described, ModelShape{});
  std::set<std::string> keys;
  for (const auto& key : described.schema().keys) keys.insert(key.name);
  if (const SchemaNode* own = described.schema().branch(scheme)) keys.merge(own->every_name());
  return keys;
}

/// "linear x8", or "" where nothing is scaled.
std::string scaling_words(const Tree& scaling) {
  const std::string type = text_of(scaling, "rope_type");
  if (type.empty() || type == "default" || type == "proportional") return "";
  for (const char* key : {"factor", "alpha"})
    if (const Tree* value = scaling.find(key)) return type + " x" + value->text;
  return type;
}

void take_scaling(Tree& position, std::vector<std::string>& words) {
  Tree* scaling = position.find("scaling");
  if (scaling == nullptr || !scaling->is_map()) return;
  const bool nested = std::any_of(scaling->entries.begin(), scaling->entries.end(),
                                  [](const Tree::Entry& entry) { return entry.value.is_map(); });
  if (!nested) {
    if (text_of(*scaling, "rope_type") == "proportional") return;
    if (const auto said = scaling_words(*scaling); !said.empty()) words.push_back(said);
    position.erase("scaling");  // its base, where it holds one, was resolved to the level above
    return;
  }
  for (auto& [type, place, block] : scaling->entries) {
    if (!block.is_map() || text_of(block, "rope_type") == "proportional") continue;
    if (const auto said = scaling_words(block); !said.empty()) words.push_back(type + " " + said);
    Tree kept = Tree::map();
    for (const char* key : {"rope_theta", "partial_rotary_factor"})
      if (const Tree* value = block.find(key)) kept.set(key, *value);
    block = kept;
  }
}

void take_temperature(Tree& position, std::vector<std::string>& words) {
  const Tree* temperature = position.find("query_temperature");
  if (temperature == nullptr || text_of(*temperature, "kind") == "scalable_softmax") return;  // learned
  words.push_back(text_of(*temperature, "kind") + " temperature");
  position.erase("query_temperature");
}

void take_extension(Tree& position, std::vector<std::string>& words) {
  const std::string extension = text_of(position, "extension");
  if (text_of(position, "scheme") != "learned" || extension.empty()) return;
  if (extension != "none") words.push_back(extension + " to " + text_of(position, "extended_positions"));
  for (const char* key : {"extension", "extended_positions", "factor"}) position.erase(key);
}

void take_scheme(Tree& position, std::vector<std::string>& words) {
  const std::string scheme = text_of(position, "scheme");
  const EncodingInfo* info = info_of(scheme);
  if (info == nullptr || info->trained_as.empty()) return;
  words.push_back(scheme + " on " + std::string(info->trained_as));
  const auto known = keys_of(info->trained_as);
  auto& entries = position.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&](const Tree::Entry& entry) { return known.count(entry.key) == 0; }),
                entries.end());
  position.set("scheme", Tree::scalar(std::string(info->trained_as), true));
}

/// Takes away what is put on after training, and says what it was.
std::vector<std::string> take_additions(Tree& position) {
  std::vector<std::string> words;
  take_scheme(position, words);
  take_scaling(position, words);
  take_temperature(position, words);
  take_extension(position, words);
  if (Tree* randomized = position.find("randomized"); randomized != nullptr && randomized->is_map()) {
    if (text_of(*randomized, "evaluation") == "plain") words.emplace_back("plain positions");
    randomized->erase("evaluation");
  }
  if (Tree* kinds = position.find("kinds"); kinds != nullptr && text_of(position, "scheme") == "layered") {
    std::sort(kinds->entries.begin(), kinds->entries.end(),  // what a file has first shapes nothing
              [](const Tree::Entry& a, const Tree::Entry& b) { return a.key < b.key; });
    for (auto& kind : kinds->entries)
      for (const auto& said : take_additions(kind.value)) words.push_back(kind.key + " " + said);
  }
  return words;
}

}  // namespace

Tree trained_position(const Tree& position, const ModelShape& shape) {
  Tree trained = position;
  take_additions(trained);
  ConfigNode node(trained);  // read again: defaults filled in, keys in one order
  read_section(node, shape);
  node.finish();
  return node.resolved();
}

std::vector<std::string> put_on_after_training(const Tree& position) {
  Tree copy = position;
  return take_additions(copy);
}

std::shared_ptr<PositionEncoding> build_whole_encoding(const Tree& position, const ModelShape& shape) {
  ConfigNode node(position);
  auto encoding = read_section(node, shape);
  node.finish();
  return encoding;
}

}  // namespace lw
