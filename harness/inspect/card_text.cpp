#include "harness/inspect/card_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "reports/text_table.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

constexpr size_t kCardWidth = 100;

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

std::string residual_text(const Json& value) {
  if (!value.is_number()) return "not finite";
  const auto number = value.get<double>();
  char text[40];
  std::snprintf(text, sizeof text, "%.1e", number);
  return number == 0 ? "0" : text;
}

bool is_property(const Json& value) { return value.is_object() && value.contains("declared"); }

std::string property_text(const Json& value, bool color) {
  const bool agrees = value["declared"] == value["measured"];
  std::string text = agrees ? "measured" : "DISAGREES: measured " + value_text(value["measured"]);
  if (value.contains("residual")) text += ", residual " + residual_text(value["residual"]);
  return value_text(value["declared"]) + "  " + painted(text, agrees ? Paint::kGood : Paint::kBad, color);
}

/// "0.258", "1.6e-11".
std::string claim_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, value == 0 || (std::abs(value) >= 1e-3 && std::abs(value) < 1e6) ? "%.3g" : "%.1e",
                value);
  return text;
}

/// A line a claim that was measured; the names of those about other schemes last.
std::string checks_text(const Json& checks, bool color) {
  std::string out;
  std::vector<std::string> others;
  for (const auto& check : checks) {
    if (check["holds"].is_null()) {
      std::string name = check["name"].get<std::string>();
      std::replace(name.begin(), name.end(), '_', ' ');
      const auto detail = check["detail"].get<std::string>();
      const bool untold = detail.starts_with("cannot be told") || detail.starts_with("not measured");
      others.push_back(untold ? name + " (" + detail + ")" : name);
      continue;
    }
    const bool holds = check["holds"].get<bool>();
    out += "    " + painted(holds ? "yes" : "no ", holds ? Paint::kGood : Paint::kWarn, color) + "  " +
           wrapped(check["claim"].get<std::string>(), kCardWidth, "", "         ") + "\n";
    std::string found = check["detail"].get<std::string>();
    if (check["value"].is_number()) found = claim_number(check["value"].get<double>()) + ": " + found;
    out += painted(wrapped(found, kCardWidth, "         ", "         "), Paint::kDim, color) + "\n";
  }
  if (!others.empty())
    out += painted(wrapped("about other schemes: " + join(others), kCardWidth, "    -    ", "         "), Paint::kDim,
                   color) +
           "\n";
  return "  " + painted("claims, measured", Paint::kBold, color) + "\n" + out;
}

/// Facts that are there for programs: the lists above say the same in fewer words.
bool is_for_programs(const std::string& key) {
  return key == "parameter_bytes" || key == "train_length" || key == "deployed_length" || key == "checks" ||
         key == "cost" || key == "checkpoint";  // the last has a section of its own
}

/// "24 to 31" instead of eight numbers; "none".
std::string pairs_text(const Json& pairs, int64_t length) {
  std::string out;
  for (size_t i = 0; i < pairs.size();) {
    size_t end = i;
    while (end + 1 < pairs.size() && pairs[end + 1].get<int64_t>() == pairs[end].get<int64_t>() + 1) ++end;
    out += (out.empty() ? "" : ", ") + std::to_string(pairs[i].get<int64_t>());
    if (end > i) out += (end == i + 1 ? ", " : " to ") + std::to_string(pairs[end].get<int64_t>());
    i = end + 1;
  }
  return (out.empty() ? "none" : out) + "  (never finish a turn in " + format_grouped(length) + " tokens)";
}

std::string entry_text(const Json& card, const std::string& key, const Json& value, bool color) {
  if (is_property(value)) return property_text(value, color);
  if (key == "parameters" && value != 0)
    return format_grouped(value.get<int64_t>()) + "  (" + format_grouped(card["parameter_bytes"].get<int64_t>()) +
           " bytes)";
  if (key == "max_positions" && value.is_null()) return "unbounded";
  if (key == "unfinished_pairs_in_training") return pairs_text(value, card["train_length"].get<int64_t>());
  if (key == "unfinished_pairs") return pairs_text(value, card["deployed_length"].get<int64_t>());
  return value_text(value);
}

}  // namespace

std::string card_text(const Json& card, bool color) {
  size_t width = 0;
  for (const auto& [key, value] : card.items())
    if (!is_for_programs(key)) width = std::max(width, key.size());
  std::string out;
  for (const auto& [key, value] : card.items()) {
    if (is_for_programs(key)) continue;
    std::string name = key;
    for (char& c : name) c = c == '_' ? ' ' : c;
    out += "  " + name + std::string(width - key.size() + 2, ' ') + entry_text(card, key, value, color) + "\n";
  }
  if (card.contains("checks")) out += checks_text(card["checks"], color);
  return out;
}

}  // namespace lw
