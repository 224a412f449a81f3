#include "harness/inspect/scheme_options.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "harness/base/config.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/model/model_config.h"

namespace lw {
namespace {
using Type = SchemaNode::Type;

RopeBasis described_basis(const ModelShape& shape) {
  RopeBasis basis;
  basis.rotary_dim = basis.head_width = shape.head_width;
  return basis;
}

SchemaNode schema_of(const EncodingInfo& encoding, const ModelShape& shape) {
  ConfigNode node = ConfigNode::describing();
  encoding.read(node, shape);
  return node.schema();
}

SchemaNode schema_of(const RopeScalingInfo& scaling, const ModelShape& shape) {
  ConfigNode node = ConfigNode::describing();
  scaling.read(node, described_basis(shape), shape.train_length);
  return node.schema();
}

std::string range_words(const SchemaNode& node) {
  const auto whole = [](double bound) { return format_number(bound); };
  const bool low = node.min && *node.min > -1e15, high = node.max && *node.max < 1e15;
  if (low && high)
    return node.above_min ? "above " + whole(*node.min) + ", to " + whole(*node.max)
                          : whole(*node.min) + " to " + whole(*node.max);
  if (low) return node.above_min ? "above " + whole(*node.min) : whole(*node.min) + " or more";
  return high ? "up to " + whole(*node.max) : "";
}

std::string allowed_words(const SchemaNode& node) {
  const auto with_range = [&](const std::string& what) {
    const std::string range = range_words(node);
    return range.empty() ? what : what + ", " + range;
  };
  switch (node.type) {
    case Type::kWhole:
      return with_range("whole number");
    case Type::kNumber:
      return with_range("number");
    case Type::kFlag:
      return "true or false";
    case Type::kChoice:
      return "one of " + join(node.choices);
    case Type::kWholes:
      return with_range("list of whole numbers");
    case Type::kNumbers:
      return with_range("list of numbers");
    case Type::kWords:
      return "list of words";
    case Type::kMap:
      return "section";
    case Type::kNamedMaps:
      return "sections by name";
    default:
      return "text";
  }
}

/// "32", or what it comes from when it follows the training length. @param twice of a model trained twice as far.
std::string fallback_words(const SchemaNode& node, const SchemaNode* twice, int64_t train_length) {
  if (!node.fallback) return "";
  if (twice == nullptr || twice->fallback == node.fallback) return *node.fallback;
  const auto value = parse_number(*node.fallback);
  const auto doubled = parse_number(*twice->fallback);
  const bool proportional = value && doubled && *value > 0 && std::abs(*doubled / *value - 2) < 1e-12;
  if (!proportional) return "follows the training length";
  const double ratio = double(train_length) / *value;
  if (ratio == 1) return "the training length";
  return ratio == std::floor(ratio) ? "the training length / " + format_number(ratio)
                                    : format_number(1 / ratio) + " x the training length";
}

std::string doc_words(const SchemaNode& node) {
  std::string out = node.doc;
  for (size_t i = 0; i < node.choice_docs.size(); ++i)
    if (!node.choice_docs[i].empty()) out += "; " + node.choices[i] + ": " + node.choice_docs[i];
  return out;
}

bool is_registry(const SchemaNode& node) { return node.type == Type::kMap && !node.variants.empty(); }

void collect(const SchemaNode& node, const SchemaNode& twice, const std::string& prefix, int64_t train_length,
             std::vector<SchemeOption>& out);

void collect_key(const SchemaNode::Key& key, const SchemaNode* other, const std::string& prefix, int64_t train_length,
                 std::vector<SchemeOption>& out) {
  SchemeOption option{prefix + key.name, allowed_words(key.node), fallback_words(key.node, other, train_length),
                      key.node.required, doc_words(key.node)};
  if (is_registry(key.node)) option.allowed = "section with " + key.node.variants.front().key + " and its options";
  out.push_back(std::move(option));
  if (key.node.keys.empty() || is_registry(key.node)) return;
  if (key.node.type == Type::kMap) {
    collect(key.node, other == nullptr ? key.node : *other, prefix + key.name + ".", train_length, out);
    return;
  }
  const SchemaNode& each = *key.node.find("*");
  if (!each.variants.empty()) {
    out.back().allowed = "sections by name, each with " + each.variants.front().key + " and its options";
    return;
  }
  const SchemaNode* other_each = other == nullptr ? nullptr : other->find("*");
  collect(each, other_each == nullptr ? each : *other_each, prefix + key.name + ".*.", train_length, out);
}

/// Options that hang on another name the choices that have them. They are required with those alone.
void collect_branches(const SchemaNode& node, const SchemaNode& twice, const std::string& prefix, int64_t train_length,
                      std::vector<SchemeOption>& out) {
  for (const auto& variant : node.variants) {
    std::vector<std::pair<SchemeOption, std::vector<std::string>>> found;  // with the choices that have it
    for (const auto& branch : variant.branches) {
      const SchemaNode* other = twice.branch(branch.choice);
      std::vector<SchemeOption> own;
      collect(branch.node, other == nullptr ? branch.node : *other, prefix, train_length, own);
      for (auto& option : own) {
        const auto same = [&](const auto& seen) { return seen.first.name == option.name; };
        auto known = std::find_if(found.begin(), found.end(), same);
        if (known == found.end()) known = found.insert(found.end(), {std::move(option), {}});
        known->second.push_back(branch.choice);
      }
    }
    for (auto& [option, choices] : found) {
      const std::string with = "with " + variant.key + " " + join(choices);
      option.doc = with + (option.required ? ", required: " : ": ") + option.doc;
      option.required = false;
      out.push_back(std::move(option));
    }
  }
}

void collect(const SchemaNode& node, const SchemaNode& twice, const std::string& prefix, int64_t train_length,
             std::vector<SchemeOption>& out) {
  for (const auto& key : node.keys) collect_key(key, twice.find(key.name), prefix, train_length, out);
  collect_branches(node, twice, prefix, train_length, out);
}

template <class Info>
std::vector<SchemeOption> every_option(const Info& info) {
  const ModelShape shape = described_shape();
  ModelShape longer = shape;
  longer.train_length *= 2;
  std::vector<SchemeOption> out;
  collect(schema_of(info, shape), schema_of(info, longer), "", shape.train_length, out);
  return out;
}

/// One number for each pair, as a YAML list: from 1 on, by `step`.
Tree pair_list(int64_t pairs, double step) {
  Tree list = Tree::list();
  for (int64_t i = 0; i < pairs; ++i) list.items.push_back(Tree::scalar(format_number(1 + step * double(i))));
  return list;
}

void add_needed(std::string_view options, const std::string& of, Tree& section) {
  if (options.empty()) return;
  for (const auto& entry : parse_yaml(std::string(options), "options of " + of).entries)
    section.set(entry.key, entry.value);
}

PlainSetting setting_of(std::string name, const Tree& section, const ModelShape& shape) {
  PlainSetting out{std::move(name), {}, ""};
  try {
    out.position = PositionSetting::parse(section, shape);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kConfig) throw;
    out.missing = e.what();
  }
  return out;
}

}  // namespace

ModelShape described_shape(bool causal) {
  ModelConfig config;
  config.kind = causal ? ModelKind::kDecoder : ModelKind::kEncoder;
  return config.shape(32);
}

std::vector<SchemeOption> options_of(const EncodingInfo& encoding) { return every_option(encoding); }
std::vector<SchemeOption> options_of(const RopeScalingInfo& scaling) { return every_option(scaling); }

std::vector<SchemeOption> options_of_any_scheme() {
  const auto described_section = [](int64_t train_length) {
    ModelShape shape = described_shape();
    shape.train_length = train_length;
    ConfigNode node = ConfigNode::describing();
    PositionSetting::read(node, shape);
    return node.schema();
  };
  const int64_t length = described_shape().train_length;
  SchemaNode section = described_section(length), twice = described_section(2 * length);
  std::vector<SchemeOption> out;
  for (const auto& key : section.keys) {
    if (key.name == section.variants.front().key) continue;
    out.push_back({key.name, allowed_words(key.node), "", key.node.required, doc_words(key.node)});
    collect(key.node, *twice.find(key.name), key.name + ".", length, out);
  }
  return out;
}

Tree plain_section(const EncodingInfo& encoding) {
  Tree section = Tree::map();
  section.set("scheme", Tree::scalar(std::string(encoding.name), true));
  add_needed(encoding.needed_options, std::string(encoding.name), section);
  return section;
}

Tree plain_section(const RopeScalingInfo& scaling, const ModelShape& shape) {
  Tree block = Tree::map(), section = Tree::map();
  block.set("rope_type", Tree::scalar(std::string(scaling.name), true));
  add_needed(scaling.needed_options, std::string(scaling.name), block);
  std::istringstream lists{std::string(scaling.needed_lists)};
  double step = 0;  // each list differs from the one before, or a method would show no effect
  for (std::string key; lists >> key;) block.set(key, pair_list(shape.head_width / 2, step += 0.25));
  section.set("scheme", Tree::scalar(std::string(kScaledScheme), true));
  section.set("scaling", std::move(block));
  return section;
}

PlainSetting plain_setting(const EncodingInfo& encoding, const ModelShape& shape) {
  return setting_of(std::string(encoding.name), plain_section(encoding), shape);
}

PlainSetting plain_setting(const RopeScalingInfo& scaling, const ModelShape& shape) {
  return setting_of(text(kScaledScheme, " ", scaling.name), plain_section(scaling, shape), shape);
}

}  // namespace lw
