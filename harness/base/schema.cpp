#include "harness/base/schema.h"

#include <nlohmann/json.hpp>

#include "harness/base/numbers.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;
using Type = SchemaNode::Type;

Json object_schema(const SchemaNode& node, bool partial);

Json bounded(const SchemaNode& node, const char* type) {
  Json out{{"type", type}};
  if (node.min) out[node.above_min ? "exclusiveMinimum" : "minimum"] = *node.min;
  if (node.max) out["maximum"] = *node.max;
  return out;
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

/// One sweep entry: an axis over one path, or a named override holding any part of the config.
Json sweep_schema() {
  const Json scalar{{"type", Json::array({"string", "number", "boolean"})}};
  const Json axis{{"type", "object"},
                  {"properties", {{"axis", {{"type", "string"}}}, {"values", list_of(scalar)}}},
                  {"required", {"axis", "values"}},
                  {"additionalProperties", false}};
  const Json named{
      {"allOf", Json::array({Json{{"$ref", "#/$defs/override"}}, Json{{"required", Json::array({"name"})}}})}};
  return list_of(Json{{"anyOf", Json::array({axis, named})}});
}

Json key_schema(const SchemaNode& node, bool partial) {
  Json out;
  switch (node.type) {
    case Type::kText:
      out = {{"type", Json::array({"string", "number", "boolean"})}};
      break;
    case Type::kWhole:
      out = bounded(node, "integer");
      break;
    case Type::kNumber:
      out = bounded(node, "number");
      break;
    case Type::kFlag:
      out = {{"type", "boolean"}};
      break;
    case Type::kChoice:
      out = {{"enum", node.choices}};
      break;
    case Type::kWholes:
      out = list_of(bounded(node, "integer"));
      break;
    case Type::kNumbers:
      out = list_of(bounded(node, "number"));
      break;
    case Type::kWords:
      out = list_of({{"type", Json::array({"string", "number", "boolean"})}});
      break;
    case Type::kMap:
      out = object_schema(node, partial);
      break;
    case Type::kMaps:
      out = list_of(object_schema(node, partial));
      break;
    case Type::kNamedMaps:
      out = {{"type", "object"}, {"additionalProperties", object_schema(node, partial)}};
      break;
    case Type::kSweep:
      out = sweep_schema();
      break;
  }
  std::string text = node.doc;
  for (size_t i = 0; i < node.choice_docs.size(); ++i)
    if (!node.choice_docs[i].empty()) text += "\n- " + node.choices[i] + ": " + node.choice_docs[i];
  if (!text.empty()) out["description"] = text;
  if (node.fallback) {
    const auto number = parse_number(*node.fallback);
    const bool numeric = node.type == Type::kWhole || node.type == Type::kNumber;
    if (numeric && number)
      out["default"] = *number;
    else if (node.type == Type::kFlag)
      out["default"] = *node.fallback == "true";
    else
      out["default"] = *node.fallback;
  }
  return out;
}

/// Which keys go with which variant: "if scheme is rope, then only these names".
Json variant_rules(const SchemaNode& node) {
  std::set<std::string> of_some_variant;
  for (const auto& [choice, keys] : node.only_with) of_some_variant.insert(keys.begin(), keys.end());
  Json rules = Json::array();
  for (const auto& [choice, keys] : node.only_with) {
    Json names = Json::array();
    for (const auto& key : node.keys)
      if (of_some_variant.count(key.name) == 0 || keys.count(key.name) != 0) names.push_back(key.name);
    const Json condition{{"properties", {{node.variant_key, {{"const", choice}}}}}, {"required", {node.variant_key}}};
    rules.push_back(Json{{"if", condition}, {"then", {{"propertyNames", {{"enum", names}}}}}});
  }
  return rules;
}

Json object_schema(const SchemaNode& node, bool partial) {
  Json properties = Json::object();
  Json required = Json::array();
  std::set<std::string> of_some_variant;
  for (const auto& [choice, keys] : node.only_with) of_some_variant.insert(keys.begin(), keys.end());
  for (const auto& key : node.keys) {
    properties[key.name] = key_schema(key.node, partial);
    if (key.node.required && !partial && of_some_variant.count(key.name) == 0) required.push_back(key.name);
  }
  Json out{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) out["required"] = required;
  if (!node.only_with.empty()) out["allOf"] = variant_rules(node);
  return out;
}

}  // namespace

SchemaNode* SchemaNode::find(const std::string& name) {
  for (auto& key : keys)
    if (key.name == name) return &key.node;
  return nullptr;
}

SchemaNode& SchemaNode::add(const std::string& name) {
  if (SchemaNode* found = find(name)) return *found;
  keys.push_back({name, {}});
  return keys.back().node;
}

std::string json_schema(const SchemaNode& root, const std::string& title) {
  Json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  out.update(object_schema(root, true));  // a file may leave anything to the file it extends
  out["$defs"]["override"] = object_schema(root, true);
  return out.dump(2) + "\n";
}

}  // namespace lw
