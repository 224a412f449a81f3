// What the tests of RoPE and its scalings share: building from a golden key, and which options a method has.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/encodings/support.h"

namespace lw::encoding_test {

/// One head of `head_width` channels.
inline ModelShape rope_shape(int64_t head_width, int64_t train_length = 2048) {
  ModelShape shape = small_shape();
  shape.width = shape.head_width = head_width;
  shape.heads = 1;
  shape.train_length = train_length;
  return shape;
}

/// RoPE with `scaling` inside its mapping and `more` lines before it.
inline std::string rope_yaml(const std::string& scaling, const std::string& more = "") {
  return "scheme: rope\n" + more + "scaling: {" + scaling + "}\n";
}

inline std::shared_ptr<PositionEncoding> rope_with(const std::string& scaling, int64_t head_width = 64,
                                                   int64_t train_length = 2048, const std::string& more = "") {
  return build(rope_yaml(scaling, more), rope_shape(head_width, train_length));
}

inline std::vector<double> frequencies(const std::string& scaling, int64_t head_width = 64,
                                       const std::string& theta = "10000", int64_t length = 1,
                                       int64_t train_length = 2048) {
  return fact_numbers(*rope_with(scaling, head_width, train_length, "rope_theta: " + theta + "\n"), "inv_freq", length);
}

/// One golden setting, ready to be asked.
struct GoldenRope {
  std::shared_ptr<PositionEncoding> encoding;
  int64_t length = 1;

  std::vector<double> inv_freq() const { return fact_numbers(*encoding, "inv_freq", length); }
  double attention_factor() const { return fact_number(*encoding, "attention_factor", length); }
};

/// From a key such as "yarn|d=64|b=10000|p=0.5|f=4|o=4096", with another rope_type than the key's where `as` is
/// given. LongRoPE's lists and factor are those that the golden file was made with.
inline GoldenRope golden_rope(const std::string& key, const std::string& as = "") {
  static const std::map<std::string, std::string> names = {
      {"dyn_yarn", "dynamic_yarn"}, {"dyn_part_ntk", "dynamic_part_ntk"}, {"ntk_fixed", "ntk_kexue"}};
  auto fields = golden_fields(key);
  const auto renamed = names.find(fields[""]);
  const std::string type = !as.empty() ? as : renamed == names.end() ? fields[""] : renamed->second;
  const int64_t head_width = std::stoll(fields["d"]);
  const double share = fields.count("p") ? std::stod(fields["p"]) : 1.0;
  std::string scaling = "rope_type: " + type;
  if (fields.count("f")) scaling += ", factor: " + fields["f"];
  if (fields.count("alpha")) scaling += ", alpha: " + fields["alpha"];
  if (fields.count("o")) scaling += ", original_max_position_embeddings: " + fields["o"];
  if (type == "longrope") {
    const auto pairs = int64_t(share * double(head_width)) / 2;
    scaling += ", factor: 4, original_max_position_embeddings: 4096, short_factor: " + factor_list(pairs, 0.01) +
               ", long_factor: " + factor_list(pairs, 0.5);
  }
  GoldenRope out;
  out.encoding = rope_with(scaling, head_width, 2048,
                           "rope_theta: " + fields["b"] + "\npartial_rotary_factor: " + format_number(share) + "\n");
  if (fields.count("r")) out.length = std::stoll(fields["r"]) * (fields.count("o") ? std::stoll(fields["o"]) : 2048);
  if (fields.count("which")) out.length = fields["which"] == "long" ? 4097 : 4096;
  return out;
}

/// The options of `rope_type: type`, as the reading code declares them.
inline std::set<std::string> scaling_options(std::string_view type) {
  ConfigNode node = ConfigNode::describing();
  read_encoding(node, ModelShape{});
  for (const auto& key : node.schema().keys)
    if (key.name == "scaling") return key.node.only_with.at(std::string(type));
  return {};
}

/// Every rope_type that has `option`, "" for every one.
inline std::vector<std::string> types_with(const std::string& option = "") {
  std::vector<std::string> out;
  for (const auto* info : rope_scalings())
    if (option.empty() || scaling_options(info->name).count(option) != 0) out.emplace_back(info->name);
  return out;
}

/// scaling_block(type) without `option`, for giving another value or none.
inline std::string block_without(const std::string& type, const std::string& option, int64_t pairs = 4) {
  std::string block = scaling_block(type, pairs);
  const size_t begin = block.find(", " + option + ": ");
  if (begin == std::string::npos) return block;
  const size_t value = begin + option.size() + 4;
  const size_t end = block[value] == '[' ? block.find(']', value) + 1 : block.find(',', value);
  return block.substr(0, begin) + (end >= block.size() ? "" : block.substr(end));
}

/// Where the value of `key` stands in `yaml`: "position.yaml:2:10".
inline std::string place_of(const std::string& yaml, const std::string& key) {
  const size_t at = yaml.find(key + ": ") + key.size() + 2;
  const auto line = std::count(yaml.begin(), yaml.begin() + int64_t(at), '\n') + 1;
  const size_t start = yaml.rfind('\n', at);
  return "position.yaml:" + std::to_string(line) + ":" +
         std::to_string(at - (start == std::string::npos ? 0 : start + 1) + 1);
}

/// `scaling` must be refused at the value of `key`, saying `what`.
inline void check_refused(const std::string& scaling, const std::string& key, const std::string& what) {
  const std::string yaml = rope_yaml(scaling), error = config_error(yaml);
  INFO(scaling);
  CHECK_THAT(error,
             Catch::Matchers::ContainsSubstring(place_of(yaml, ", " + key) + ": scaling." + key + ": found " + what));
  CHECK(error.find('\n') == std::string::npos);
}

}  // namespace lw::encoding_test
