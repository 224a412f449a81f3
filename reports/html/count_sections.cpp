// The last section: settings, what was counted of them, and how to run it again.
#include <algorithm>
#include <set>

#include "harness/base/numbers.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"

namespace lw {
namespace {

/// "1.2 MB".
std::string bytes_words(int64_t bytes) {
  if (bytes < 10000) return format_grouped(bytes) + " B";
  return bytes < 10000000 ? format_fixed(double(bytes) / 1e3, 0) + " kB" : format_fixed(double(bytes) / 1e6, 0) + " MB";
}

const Cost* cost_of(const PageSource& source, const std::string& variant) {
  for (const auto& cost : source.summary.cost)
    if (cost.setting == source.view.setting(variant).id && !cost.memory.attention.empty()) return &cost;
  return nullptr;
}

/// What one attention layer holds at once, by length; "" for a run that did not count it.
std::string memory_table(const PageSource& source) {
  std::set<int64_t> lengths;
  for (const auto& variant : source.view.variants())
    if (const Cost* cost = cost_of(source, variant))
      for (const auto& at : cost->memory.attention) lengths.insert(at.length);
  if (lengths.empty()) return "";
  std::vector<HtmlCell> heads = {{"variant", ""}};
  for (const int64_t length : lengths) heads.push_back({format_grouped(length), ""});
  heads.push_back({"grows as n to the", ""});
  heads.push_back({"key cache, a token", ""});
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto& variant : source.view.variants()) {
    const Cost* cost = cost_of(source, variant);
    if (cost == nullptr) continue;
    auto& row = rows.emplace_back();
    row.push_back({variant_html(source, variant), ""});
    for (const int64_t length : lengths) {
      const auto& all = cost->memory.attention;
      const auto at = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.length == length; });
      row.push_back({at == all.end() ? "" : bytes_words(at->peak_bytes), ""});
    }
    row.push_back({cost->memory_growth ? format_fixed(*cost->memory_growth, 2) : "", ""});
    const int64_t kept = cost->memory.key_cache_bytes_per_token;
    row.push_back({kept > 0 ? bytes_words(kept) : "none: recompute", ""});
  }
  return html_table(
      "Memory of one attention layer at once, by length in tokens: one sequence, float32, queries in tiles "
      "as judged (counted; times are in provenance.json)",
      heads, rows);
}

}  // namespace

std::string reproduce_section(const PageSource& source) {
  const Manifest& m = source.summary.manifest;
  std::string out = "<h2>Settings and counts</h2>\n";
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto& variant : source.view.variants()) {
    const SettingInfo& s = source.view.setting(variant);
    int64_t probes = 0, tokens = 0, parameters = 0, steps = 0;
    for (const SettingInfo* one : source.view.settings(variant))
      for (const auto& cost : source.summary.cost)
        if (cost.setting == one->id) {
          probes += cost.probes;
          tokens += cost.tokens;
          parameters = std::max(parameters, cost.parameters);
          steps = std::max(steps, cost.train_steps);
        }
    rows.push_back({{variant_html(source, variant), ""},
                    {escaped(s.scheme), "text"},
                    {escaped(s.scaling), "text"},
                    {escaped(s.model), "text"},
                    {format_grouped(s.train_length), ""},
                    {format_grouped(parameters), ""},
                    {format_grouped(steps), ""},
                    {std::to_string(source.view.settings(variant).size()), ""},
                    {format_grouped(probes), ""},
                    {format_grouped(tokens), ""}});
  }
  out += html_table("",
                    {{"variant", ""},
                     {"scheme", "text"},
                     {"scaling", "text"},
                     {"model", "text"},
                     {"trained to", ""},
                     {"parameters", ""},
                     {"steps", ""},
                     {"seeds", ""},
                     {"probes scored", ""},
                     {"tokens judged", ""}},
                    rows);
  out += memory_table(source);
  if (!m.command.empty()) out += "<h3>Reproduce</h3><pre>" + escaped(m.command) + "</pre>\n";
  return out;
}

}  // namespace lw
