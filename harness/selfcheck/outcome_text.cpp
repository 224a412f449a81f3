#include "harness/selfcheck/outcome_text.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "reports/text_table.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

constexpr size_t kWidth = 100;

/// "0", "1.2e-13", "4.02", "inf".
std::string short_number(double value) {
  if (std::isinf(value)) return "inf";
  if (value == std::floor(value) && std::abs(value) < 1e6) return text(int64_t(value));
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, value < 0.001 ? "%.1e" : "%.3g", value);
  return buffer;
}

std::string measured_text(const Finding& f) { return f.measured ? short_number(*f.measured) : "-"; }

Paint paint_of_verdict(const CheckedItem& item) {
  if (item.finding.holds()) return Paint::kGood;
  return item.finding.fails() ? Paint::kBad : Paint::kWarn;
}

std::string table_of(std::span<const CheckedItem> items, bool color) {
  TextTable table({{"check"}, {"what was compared", false, true}, {"measured"}, {"bound"}, {"", false, true}}, 1);
  for (const auto& item : items)
    table.add({{std::string(item.check->name)},
               {std::string(item.check->compares)},
               {measured_text(item.finding)},
               {short_number(item.finding.bound)},
               {std::string(verdict_of(item)), paint_of_verdict(item)}});
  return table.str(kWidth + 4, color);
}

/// "26 settings; 3 left out (encoders keep no keys: a, b, c)".
std::string compared_text(const Finding& f) {
  std::string out = f.fault.empty() ? plural(f.compared, f.unit) : "nothing, since it ended early";
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& left : f.left_out) by_reason[left.reason].push_back(left.name);
  for (const auto& [reason, names] : by_reason) {
    const size_t shown = std::min<size_t>(names.size(), 3);
    const std::vector<std::string> first(names.begin(), names.begin() + std::ptrdiff_t(shown));
    out += "; not " + join(first) + (shown < names.size() ? text(" and ", names.size() - shown, " more") : "") + ": " +
           reason;
  }
  return out;
}

std::string failure_text(const CheckedItem& item) {
  const Finding& f = item.finding;
  if (!f.fault.empty()) return "ended with: " + f.fault;
  return text(item.check->measures, ": ", measured_text(f), " where ", short_number(f.bound), " is allowed; ",
              f.bound == 0 ? "the first: " : "the worst: ", f.where);
}

std::string closing_text(std::span<const CheckedItem> items) {
  int64_t failed = 0, disagree = 0, open = 0;
  for (const auto& item : items) {
    const auto verdict = verdict_of(item);
    failed += verdict == "FAILED" ? 1 : 0;
    disagree += verdict == "disagrees" ? 1 : 0;
    open += verdict == "not compared" ? 1 : 0;
  }
  std::string out = plural(int64_t(items.size()), "check") + ": ";
  if (failed + disagree + open == 0) return out + "all hold.\n";
  std::vector<std::string> parts;
  if (failed > 0) parts.push_back(text(failed, " failed: do not trust numbers that are made here"));
  if (disagree > 0) parts.push_back(text(disagree, " disagreed with what a position scheme declares"));
  if (open > 0) parts.push_back(text(open, " had nothing to compare"));
  return out + join(parts, "; ") + (failed + disagree == 0 ? "; the others hold" : "") + ".\n";
}

}  // namespace

std::string outcome_text(std::span<const CheckedItem> items, const std::vector<std::string>& bounds, bool color) {
  std::string out = table_of(items, color) + "\n";
  for (const auto& item : items)
    out += wrapped(text(item.check->name, ": ", compared_text(item.finding), "."), kWidth, "  ", "    ") + "\n";
  for (const auto& bound : bounds) out += wrapped(bound, kWidth, "  ", "    ") + "\n";
  out += "\n";
  for (const auto& item : items)
    if (item.finding.fails())
      out += wrapped(text(item.check->name, " ", verdict_of(item), ": ", failure_text(item)), kWidth, "", "  ") + "\n";
  return terminal_text(out, color) + closing_text(items);
}

Json outcome_json(std::span<const CheckedItem> items, const std::vector<std::string>& bounds) {
  Json checks = Json::array();
  for (const auto& [check, finding] : items) {
    Json left_out = Json::array();
    for (const auto& left : finding.left_out) left_out.push_back({{"name", left.name}, {"reason", left.reason}});
    // JSON has no infinity: a measured value that is no number is null beside "where".
    const bool finite = finding.measured && std::isfinite(*finding.measured);
    checks.push_back({{"name", check->name},
                      {"compares", check->compares},
                      {"measures", check->measures},
                      {"measured", finite ? Json(*finding.measured) : Json()},
                      {"bound", finding.bound},
                      {"verdict", verdict_of({check, finding})},
                      {"where", finding.where},
                      {"compared", finding.compared},
                      {"unit", finding.unit},
                      {"left_out", left_out},
                      {"error", finding.fault.empty() ? Json() : Json(finding.fault)}});
  }
  return {{"exit_code", exit_code_of(items)}, {"bounds", bounds}, {"checks", checks}};
}

}  // namespace lw
