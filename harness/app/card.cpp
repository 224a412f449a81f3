#include "harness/app/card.h"

#include <algorithm>
#include <cstdio>

#include "harness/model/position_card.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

/// Six digits are enough to read; --json has them all.
std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return short_number(value.get<double>());
  if (!value.is_array()) return value.dump();
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t i = 0; i < value.size() && i < kShown; ++i) out += (i > 0 ? ", " : "") + value_text(value[i]);
  if (value.size() > kShown)
    out += " ... " + value_text(value.back()) + " (" + std::to_string(value.size()) + " in all; --json shows them)";
  return out.empty() ? "nowhere" : out;
}

std::string residual_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1e", value);
  return value == 0 ? "0" : text;
}

bool is_property(const Json& value) { return value.is_object() && value.contains("declared"); }

std::string property_text(const Json& value, bool color) {
  const bool agrees = value["declared"] == value["measured"];
  std::string text = value_text(value["declared"]) + "  ";
  if (color) text += agrees ? "\033[32m" : "\033[31;1m";
  text += agrees ? "measured" : "DISAGREES: measured " + value_text(value["measured"]);
  if (value.contains("residual")) text += ", residual " + residual_text(value["residual"].get<double>());
  return text + (color ? "\033[0m" : "");
}

}  // namespace

Json position_card_of(const Variant& v, int64_t length) {
  Json card = position_card(v.scheme(), v.shape(), length, [&] { return build_encoding(v.position, v.shape(), true); });
  const auto sampler = build_sampler(v.position);
  card["position_numbering"] = sampler ? sampler->numbering() : "0, 1, 2, ...";
  return card;
}

std::string card_text(const Json& card, bool color) {
  size_t width = 0;
  for (const auto& [key, value] : card.items()) width = std::max(width, key.size());
  std::string out;
  for (const auto& [key, value] : card.items()) {
    std::string name = key;
    for (char& c : name) c = c == '_' ? ' ' : c;
    out += "  " + name + std::string(width - key.size() + 2, ' ') +
           (is_property(value) ? property_text(value, color) : value_text(value)) + "\n";
  }
  return out;
}

}  // namespace lw
