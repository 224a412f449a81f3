// Sections about the settings themselves: training and position cards.
#include <algorithm>
#include <array>
#include <cstdio>

#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/words.h"

namespace lw {
namespace {

constexpr size_t kMostNumbers = 16;  // of a list in a card; the rest is in summary.json

std::string scalar_words(const Json& value) {
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) {
    const double number = value.get<double>();
    // Six digits are for reading; the card in summary.json has them all.
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", number);
    return text.data();
  }
  if (value.is_number_integer()) return format_grouped(value.get<int64_t>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string list_words(const Json& list) {
  std::vector<std::string> words;
  for (const auto& value : list) {
    if (words.size() == kMostNumbers) {
      words.push_back("... " + std::to_string(list.size()) + " in all");
      break;
    }
    words.push_back(scalar_words(value));
  }
  return words.empty() ? "nothing" : join(words);
}

std::string key_words(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

/// A property that was declared and measured, with what the measurement found beside.
std::string measured_html(const Json& value) {
  std::string out = escaped(scalar_words(value.at("declared")));
  const Json& measured = value.at("measured");
  std::string more;
  for (const auto& [key, item] : value.items())
    if (key != "declared" && key != "measured") more += ", " + key_words(key) + " " + scalar_words(item);
  if (measured.is_null()) return out + " <small>not measured" + escaped(more) + "</small>";
  if (measured == value.at("declared"))
    return out + "<span class=\"agrees\">\xE2\x9C\x93 measured" + escaped(more) + "</span>";
  return out + "<span class=\"disagrees\">\xE2\x9C\x95 disagrees: measured " + escaped(scalar_words(measured) + more) +
         "</span>";
}

/// The card's claims: measured, holding or not; those about other schemes are left out.
std::string claim_rows(const Json& checks) {
  std::string out;
  for (const auto& check : checks) {
    const Json& holds = check.at("holds");
    if (!holds.is_boolean()) continue;
    const Json& value = check.at("value");
    out += "<dt>" + escaped(key_words(check.at("name").get<std::string>())) + "</dt><dd>" +
           (holds.get<bool>() ? "yes: " : "no: ") + escaped(check.at("claim").get<std::string>()) + " <small>" +
           (value.is_null() ? "" : escaped(scalar_words(value)) + ", ") +
           escaped(check.at("detail").get<std::string>()) + "</small></dd>\n";
  }
  return out;
}

/// Key and value of any JSON, nested keys joined by a dot.
void card_rows(const Json& object, const std::string& prefix, std::string& out) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key_words(key);
    if (key == "checks" && value.is_array()) {
      out += claim_rows(value);
    } else if (value.is_object() && value.contains("declared") && value.contains("measured")) {
      out += "<dt>" + escaped(name) + "</dt><dd>" + measured_html(value) + "</dd>\n";
    } else if (value.is_object()) {
      card_rows(value, name + ": ", out);
    } else {
      out += "<dt>" + escaped(name) + "</dt><dd>" +
             escaped(value.is_array() ? list_words(value) : scalar_words(value)) + "</dd>\n";
    }
  }
}

bool disagrees(const Json& value) {
  if (!value.is_object()) return false;
  if (value.contains("declared") && value.contains("measured") && !value.at("measured").is_null() &&
      value.at("declared") != value.at("measured"))
    return true;
  return std::any_of(value.begin(), value.end(), [](const Json& inner) { return disagrees(inner); });
}

/// Properties of the trained models themselves, one value a seed: whether a bound holds, not whether it should.
std::string check_rows(const PageSource& source, const std::string& variant) {
  std::string out;
  for (const Check& check : source.view.setting(variant).checks) {
    std::string values;
    for (const SettingInfo* s : source.view.settings(variant))
      for (const Check& one : s->checks)
        if (one.name == check.name)
          values += (values.empty() ? "" : ", ") + scalar_words(Json(one.value)) +
                    (one.holds() ? " (holds)" : " (does not hold)");
    out += "<dt>" + escaped(check.name) + "</dt><dd>" + escaped(values) + " <small>" + escaped(check.text) +
           "; at most " + escaped(scalar_words(Json(check.bar))) + "</small></dd>\n";
  }
  return out;
}

std::string card_html(const PageSource& source, const std::string& variant) {
  const SettingInfo& s = source.view.setting(variant);
  Json card = Json::object();
  if (!s.card.empty()) card = parse_json(s.card, "position card of " + s.id);
  std::string rows;
  if (card.is_object()) card_rows(card, "", rows);
  rows += check_rows(source, variant);
  std::string summary = variant_html(source, variant) + " <small>" + escaped(s.scheme);
  if (s.scaling != "none" && !s.scaling.empty()) summary += " \xC2\xB7 " + escaped(s.scaling);
  summary += s.scaled ? " \xC2\xB7 put on after training</small>" : "</small>";
  const bool open = disagrees(card);
  if (open) summary += "<span class=\"disagrees\">\xE2\x9C\x95 a declared property disagrees</span>";
  return std::string(open ? "<details open>" : "<details>") + "<summary>" + summary + "</summary><div class=\"card\">" +
         (rows.empty() ? "<p>No position card in this run.</p>" : "<dl>" + rows + "</dl>") + "<pre>" +
         escaped(s.position_yaml) + "</pre></div></details>\n";
}

/// "accuracy >= 0.90" of a suite's gate, or "" where it has none.
std::string gate_words(const Summary& summary, const std::string& suite) {
  for (const auto& s : summary.manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates)
        if (g.suite == suite)
          return escaped(metric_words(g.metric)) + (g.metric == "accuracy" ? " &ge; " : " &le; ") +
                 format_fixed(g.bar, 2);
  return "";
}

/// The bar that gate_words() names; a variant with another one says so in its own row.
std::optional<double> gate_bar(const Summary& summary, const std::string& suite) {
  for (const auto& s : summary.manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates)
        if (g.suite == suite) return g.bar;
  return std::nullopt;
}

std::string gate_values(const PageSource& source, const std::string& variant, const std::string& suite) {
  std::optional<double> own_bar;
  std::string values;
  for (const SettingInfo* s : source.view.settings(variant))
    for (const auto& t : s->trainings)
      for (const auto& g : t.gates) {
        if (g.suite != suite) continue;
        if (g.bar != gate_bar(source.summary, suite)) own_bar = g.bar;
        const std::string value = format_fixed(g.value, 2);
        values += (values.empty() ? "" : " &nbsp;") +
                  (g.passed ? value : "<b class=\"worse\">\xE2\x9C\x95 " + value + "</b>");
      }
  return own_bar ? values + " <small>(bar " + format_fixed(*own_bar, 2) + ")</small>" : values;
}

/// Variants by suites, one value a seed.
std::string gate_table(const PageSource& source) {
  std::vector<HtmlCell> heads = {{"variant", ""}};
  std::vector<std::string> suites;
  for (const auto& suite : source.summary.manifest.suites) {
    const std::string words = gate_words(source.summary, suite.name);
    if (words.empty()) continue;
    suites.push_back(suite.name);
    heads.push_back({escaped(suite.name) + "<br><small>" + words + "</small>", "text"});
  }
  if (suites.empty()) return "";
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto& variant : source.view.variants()) {
    if (source.view.setting(variant).scaled) continue;
    auto& row = rows.emplace_back();
    row.push_back({variant_html(source, variant), ""});
    for (const auto& suite : suites) row.push_back({gate_values(source, variant, suite), "text"});
  }
  return html_table("Gates on held-out probes, one value a seed", heads, rows);
}

std::string unlearned_list(const PageSource& source) {
  std::string out;
  for (const auto& p : source.summary.pooled) {
    if (p.distance || p.depth || p.offset || p.metric != source.view.main_metric(p.suite) || !p.in_length) continue;
    if (p.length != source.view.train_length()) continue;
    for (const auto& seed : p.seeds)
      if (!seed.learned && seed.value)
        out += "<li>" + escaped(p.variant) + ", seed " + std::to_string(seed.seed) + ", " + escaped(p.suite) + ": " +
               escaped(metric_words(p.metric)) + " " + format_fixed(*seed.value, 2) + " at " +
               format_grouped(p.length) + " tokens</li>\n";
  }
  return out.empty() ? ""
                     : "<p><b>Seeds that did not learn</b>, listed here and left out of every mean:</p><ul>\n" + out +
                           "</ul>\n";
}

}  // namespace

std::string training_section(const PageSource& source) {
  const auto figures = source.figures.training();
  const std::string gates = gate_table(source);
  if (figures.empty() && gates.empty()) return "";
  return section_head("Training",
                      "A seed enters a mean only when it learned the suite inside the training length, on "
                      "probes that no result rests on. Each thin line is the loss of one seed. " +
                          escaped(training_lengths_words(source.summary))) +
         unlearned_list(source) + figure_row(figures) + gates;
}

std::string card_section(const PageSource& source) {
  if (source.view.variants().empty()) return "";
  std::string out = section_head("Position cards",
                                 "Where each setting lets position in, what it declares about itself, what was "
                                 "measured, and the full setting with every default.");
  for (const auto& variant : source.view.variants()) out += card_html(source, variant);
  return out;
}

}  // namespace lw
