// The JSON Schema of a config. A value is described where its variant is chosen: under "if scheme is rope", since two
// variants may have one key with two defaults. Nothing is required, since a file may leave anything to the file that
// it extends; what must stand somewhere says so in its description.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/numbers.h"
#include "harness/base/schema.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;
using Type = SchemaNode::Type;
using Names = std::set<std::string>;

/// Whole numbers print as such: 1, not 1.0.
Json number_json(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<int64_t>(value);
  return value;
}

Json bounded(const SchemaNode& node, const char* type) {
  Json out{{"type", type}};
  if (node.min) out[node.above_min ? "exclusiveMinimum" : "minimum"] = number_json(*node.min);
  if (node.max) out["maximum"] = number_json(*node.max);
  return out;
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json scalar() { return {{"type", Json::array({"string", "number", "boolean"})}}; }

/// One sweep entry: an axis over one path, or a named override holding any part of the config.
Json sweep_schema() {
  const Json axis{{"type", "object"},
                  {"properties", {{"axis", {{"type", "string"}}}, {"values", list_of(scalar())}}},
                  {"required", {"axis", "values"}},
                  {"additionalProperties", false}};
  const Json named{
      {"allOf", Json::array({Json{{"$ref", "#/$defs/override"}}, Json{{"required", Json::array({"name"})}}})}};
  return list_of(Json{{"anyOf", Json::array({axis, named})}});
}

/// Editors read `true` without quotes as a flag.
Json words_as_yaml_has_them(const std::vector<std::string>& words) {
  Json out = words;
  for (const bool flag : {true, false})
    if (std::find(words.begin(), words.end(), flag ? "true" : "false") != words.end()) out.push_back(flag);
  return out;
}

std::string description_of(const SchemaNode& node) {
  std::string text = node.doc;
  if (node.required) text += text.empty() ? "required" : " (required)";
  for (size_t i = 0; i < node.choice_docs.size(); ++i)
    if (!node.choice_docs[i].empty()) text += "\n- " + node.choices[i] + ": " + node.choice_docs[i];
  return text;
}

Json default_of(const SchemaNode& node) {
  const auto number = parse_number(*node.fallback);
  if ((node.type == Type::kWhole || node.type == Type::kNumber) && number) return number_json(*number);
  if (node.type == Type::kFlag) return *node.fallback == "true";
  return *node.fallback;
}

/// "the chooser says `choice`", under its name or an old one.
Json chosen(const SchemaNode::Variant& variant, const std::string& choice) {
  const auto says = [&](const std::string& key) {
    return Json{{"properties", {{key, {{"const", choice}}}}}, {"required", Json::array({key})}};
  };
  if (variant.old_names.empty()) return says(variant.key);
  Json any = Json::array({says(variant.key)});
  for (const auto& name : variant.old_names) any.push_back(says(name));
  return {{"anyOf", any}};
}

class Writer {
 public:
  Json object(const SchemaNode& node) {
    Json properties = Json::object();
    for (const auto& key : node.keys) properties[key.name] = described(key.name, key.node);
    std::vector<Loose> loose;
    for (const auto& variant : node.variants)
      for (const auto& branch : variant.branches) collect_loose(branch.node, loose);
    for (const auto& [name, any] : loose)
      if (!properties.contains(name)) properties[name] = any.size() == 1 ? any.front() : Json{{"anyOf", any}};
    Json out{{"type", "object"}, {"properties", properties}};
    if (!node.ignored_prefix.empty()) out["patternProperties"]["^" + node.ignored_prefix] = Json::object();
    out["additionalProperties"] = false;
    if (!node.variants.empty()) out["allOf"] = rules(node, node.every_name());
    return out;
  }

  Json take_defs() { return std::move(defs_); }

 private:
  struct Loose {  // what a key may hold where nothing chooses its variant
    std::string name;
    Json any;
  };

  void collect_loose(const SchemaNode& node, std::vector<Loose>& out) {
    for (const auto& key : node.keys) {
      Json value = key.node.type == Type::kMap || key.node.type == Type::kNamedMaps ? Json{{"type", "object"}}
                                                                                    : plain(key.name, key.node);
      auto at = std::find_if(out.begin(), out.end(), [&](const Loose& l) { return l.name == key.name; });
      if (at == out.end()) at = out.insert(out.end(), {key.name, Json::array()});
      if (std::find(at->any.begin(), at->any.end(), value) == at->any.end()) at->any.push_back(std::move(value));
    }
    for (const auto& variant : node.variants)
      for (const auto& branch : variant.branches) collect_loose(branch.node, out);
  }

  /// @param allowed every name that may stand in the mapping, as far as is known outside.
  Json rules(const SchemaNode& node, const Names& allowed) {
    Json out = Json::array();
    for (const auto& variant : node.variants) {
      Names others = allowed;
      for (const auto& branch : variant.branches)
        for (const auto& name : branch.node.every_name())
          if (node.find(name) == nullptr) others.erase(name);
      for (const auto& branch : variant.branches) {
        Names names = others;
        for (const auto& name : branch.node.every_name()) names.insert(name);
        out.push_back(Json{{"if", chosen(variant, branch.choice)}, {"then", consequence(branch.node, names)}});
      }
    }
    return out;
  }

  Json consequence(const SchemaNode& branch, const Names& names) {
    Json out = Json::object();
    for (const auto& key : branch.keys) out["properties"][key.name] = described(key.name, key.node);
    out["propertyNames"] = {{"enum", names}};
    if (!branch.variants.empty()) out["allOf"] = rules(branch, names);
    return out;
  }

  /// What the value may be, without words about it.
  Json plain(const std::string& name, const SchemaNode& node) {
    switch (node.type) {
      case Type::kText:
        return scalar();
      case Type::kWhole:
        return bounded(node, "integer");
      case Type::kNumber:
        return bounded(node, "number");
      case Type::kFlag:
        return {{"type", "boolean"}};
      case Type::kChoice:
        return {{"enum", words_as_yaml_has_them(node.choices)}};
      case Type::kWholes:
        return list_of(bounded(node, "integer"));
      case Type::kNumbers:
        return list_of(bounded(node, "number"));
      case Type::kWords:
        return list_of(scalar());
      case Type::kMap:
        return shared(name, object(node));
      case Type::kNamedMaps:
        return named_maps(name, node);
      case Type::kSweep:
        return sweep_schema();
    }
    return Json::object();
  }

  Json described(const std::string& name, const SchemaNode& node) {
    Json out = plain(name, node);
    if (const std::string text = description_of(node); !text.empty()) out["description"] = text;
    if (node.fallback) out["default"] = default_of(node);
    return out;
  }

  Json named_maps(const std::string& name, const SchemaNode& node) {
    const SchemaNode& each = *node.find("*");
    const Json any = shared(name + "_entry", object(each));
    Json out{{"type", "object"}};
    for (const auto& variant : each.variants) {
      if (variant.key != node.chosen_by_name) continue;
      Names others = each.every_name();
      for (const auto& branch : variant.branches)
        for (const auto& own : branch.node.every_name())
          if (each.find(own) == nullptr) others.erase(own);
      for (const auto& branch : variant.branches) {
        Names names = others;
        for (const auto& own : branch.node.every_name()) names.insert(own);
        out["properties"][branch.choice] = {
            {"type", Json::array({"object", "null"})},
            {"anyOf", Json::array({Json{{"type", "null"}}, any})},
            {"if", {{"type", "object"}, {"not", {{"required", Json::array({variant.key})}}}}},
            {"then", consequence(branch.node, names)}};
      }
    }
    out["additionalProperties"] = {{"anyOf", Json::array({Json{{"type", "null"}}, any})}};
    return out;
  }

  /// Large schemas stand once, under $defs.
  Json shared(const std::string& name, Json schema) {
    constexpr size_t kLarge = 400;
    const std::string text = schema.dump();
    if (text.size() < kLarge) return schema;
    auto known = name_of_text_.find(text);
    if (known == name_of_text_.end()) {
      std::string unique = name;
      for (int i = 2; defs_.contains(unique); ++i) unique = name + std::to_string(i);
      defs_[unique] = std::move(schema);
      known = name_of_text_.emplace(text, unique).first;
    }
    return {{"$ref", "#/$defs/" + known->second}};
  }

  Json defs_ = Json::object();
  std::map<std::string, std::string> name_of_text_;
};

}  // namespace

std::string json_schema(const SchemaNode& root, const std::string& title) {
  Writer writer;
  const Json whole = writer.object(root);
  Json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  out.update(whole);
  out["$defs"] = writer.take_defs();
  out["$defs"]["override"] = whole;
  return out.dump(2) + "\n";
}

}  // namespace lw
