#include "reports/tables/card_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/words.h"

namespace lw {
namespace {

constexpr size_t kMostNumbers = 8;  // of a list; summary.json and --json have them all

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string fact_words(const SchemeFact& fact) {
  if (fact.numbers.empty()) return fact.text;
  const auto words = [](double number) { return std::isfinite(number) ? short_number(number) : "none"; };
  std::vector<std::string> shown;
  for (size_t i = 0; i < fact.numbers.size() && i < kMostNumbers; ++i) shown.push_back(words(fact.numbers[i]));
  if (fact.numbers.size() <= kMostNumbers) return join(shown);
  return join(shown) + " … " + words(fact.numbers.back()) + " (" + std::to_string(fact.numbers.size()) + " in all)";
}

/// "24 to 31" instead of eight numbers; "none".
std::string pair_words(const std::vector<int64_t>& pairs) {
  std::vector<std::string> words;
  for (size_t i = 0; i < pairs.size();) {
    size_t end = i;
    while (end + 1 < pairs.size() && pairs[end + 1] == pairs[end] + 1) ++end;
    words.push_back(end == i ? text(pairs[i]) : text(pairs[i], end == i + 1 ? ", " : " to ", pairs[end]));
    i = end + 1;
  }
  return words.empty() ? "none" : join(words);
}

std::string unfinished_words(const UnfinishedPairs& pairs) {
  const std::string trained = pair_words(pairs.in_training) + " in " + format_grouped(pairs.train_length) + " tokens";
  if (pairs.deployed_length == pairs.train_length) return trained;
  return trained + " (trained), " + pair_words(pairs.deployed) + " in " + format_grouped(pairs.deployed_length) +
         " (deployed)";
}

}  // namespace

std::string key_words(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

TableCell property_cell(const CardProperty& property) {
  TableCell cell{yes_no(property.declared)};
  if (!property.measured) {
    cell.note = property.shows_after ? "not reached: shows after " + format_grouped(*property.shows_after) + " tokens"
                                     : "not measured";
    return cell;
  }
  cell.note = property.disagrees() ? "disagrees: measured " + yes_no(*property.measured) : "measured";
  cell.note_state = property.disagrees() ? CellState::kBad : CellState::kGood;
  if (property.residual)
    cell.note +=
        ", residual " + (std::isfinite(*property.residual) ? measured_number(*property.residual) : "not finite");
  return cell;
}

std::string measured_number(double value) {
  std::array<char, 40> text{};
  const bool plain = value == 0 || (std::abs(value) >= 1e-3 && std::abs(value) < 1e6);
  std::snprintf(text.data(), text.size(), plain ? "%.3g" : "%.1e", value);
  return text.data();
}

Table card_table(const PositionCard& card) {
  Table table;
  table.title = "Position card";
  table.columns = {{.name = "property", .align = Align::kLeft},
                   {.name = "value", .align = Align::kLeft, .wraps = true}};
  const auto add = [&](const std::string& key, TableCell cell) { table.add({{key_words(key)}, std::move(cell)}); };
  add("scheme", {card.scheme});
  add("applies to", {card.applies_to.empty() ? "nowhere" : join(card.applies_to)});
  add("learned", {yes_no(card.learned)});
  TableCell parameters{format_grouped(card.parameters)};
  if (card.parameters > 0) parameters.note = format_grouped(card.parameter_bytes) + " bytes";
  add("parameters", parameters);
  add("max positions", {card.max_positions ? format_grouped(*card.max_positions) : "unbounded"});
  add("cache", {card.cache});
  each_property(card, [&](const char* name, const CardProperty& property) { add(name, property_cell(property)); });
  for (const auto& fact : card.facts) add(fact.name, {fact_words(fact)});
  if (card.unfinished) add("pairs that never complete a rotation", {unfinished_words(*card.unfinished)});
  if (!card.position_numbering.empty()) add("position numbering", {card.position_numbering});
  return table;
}

Table claims_table(const PositionCard& card) {
  Table table;
  table.title = "Claims, measured";
  table.columns = {{.name = "holds", .align = Align::kLeft},
                   {.name = "claim", .align = Align::kLeft, .wraps = true},
                   {.name = "measured", .align = Align::kLeft, .wraps = true}};
  for (const auto& claim : card.claims) {
    if (!claim.holds) continue;
    const std::string value = claim.value ? measured_number(*claim.value) + ": " : "";
    table.add({{yes_no(*claim.holds), *claim.holds ? CellState::kGood : CellState::kWarn},
               {claim.claim},
               {value + claim.detail, CellState::kDim}});
  }
  return table;
}

std::vector<std::string> other_claims(const PositionCard& card) {
  std::vector<std::string> names;
  for (const auto& claim : card.claims) {
    if (claim.holds) continue;
    names.push_back(key_words(claim.name) + (claim.unmeasured() ? " (" + claim.detail + ")" : ""));
  }
  return names;
}

}  // namespace lw
