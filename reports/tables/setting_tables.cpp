#include "reports/tables/setting_tables.h"

#include <algorithm>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/tables/value_cells.h"
#include "reports/words.h"

namespace lw {
namespace {

const Cost* cost_of(const View& view, const std::string& setting) {
  for (const auto& cost : view.summary().cost)
    if (cost.setting == setting) return &cost;
  return nullptr;
}

/// Null for a run that did not count it.
const Cost* memory_cost_of(const View& view, const std::string& variant) {
  const Cost* cost = cost_of(view, view.setting(variant).id);
  return cost == nullptr || cost->memory.attention.empty() ? nullptr : cost;
}

/// Counts over the seeds of a variant.
Cost total_cost(const View& view, const std::string& variant) {
  Cost total;
  for (const SettingInfo* setting : view.settings(variant)) {
    const Cost* cost = cost_of(view, setting->id);
    if (cost == nullptr) continue;
    total.probes += cost->probes;
    total.tokens += cost->tokens;
    total.parameters = std::max(total.parameters, cost->parameters);
    total.train_steps = std::max(total.train_steps, cost->train_steps);
  }
  return total;
}

const Gate* first_gate(const View& view, const std::string& suite) {
  for (const auto& s : view.summary().manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates)
        if (g.suite == suite) return &g;
  return nullptr;
}

/// "accuracy >= 0.90"
std::string gate_words(const Gate& gate) {
  const Metric& m = metric(gate.metric);
  return text(m.title(), m.better == Better::kHigher ? " >= " : " <= ", format_fixed(gate.bar, 2));
}

/// One value a seed. A variant with another bar or number of probes than the others says so.
TableCell gate_cell(const View& view, const std::string& variant, const Gate& usual) {
  TableCell cell;
  for (const SettingInfo* s : view.settings(variant))
    for (const auto& t : s->trainings)
      for (const auto& g : t.gates) {
        if (g.suite != usual.suite) continue;
        cell.text +=
            (cell.text.empty() ? "" : "  ") + std::string(g.passed ? "" : "\xE2\x9C\x95 ") + format_fixed(g.value, 2);
        if (!g.passed) cell.state = CellState::kBad;
        std::vector<std::string> own;
        if (g.bar != usual.bar) own.push_back("bar " + format_fixed(g.bar, 2));
        if (g.n != usual.n) own.push_back("n " + format_grouped(g.n));
        if (!own.empty()) cell.note = join(own);
      }
  return cell;
}

}  // namespace

std::string bytes_words(int64_t bytes) {
  if (bytes < 10000) return format_grouped(bytes) + " B";
  return bytes < 10000000 ? format_fixed(double(bytes) / 1e3, 0) + " kB" : format_fixed(double(bytes) / 1e6, 0) + " MB";
}

Table settings_table(const View& view) {
  Table table;
  table.id = "settings";
  table.title = "Settings and counts";
  table.how_to_read = training_lengths_words(view.summary());
  table.by_variant = true;
  table.columns = {{.name = "variant", .align = Align::kLeft},
                   {.name = "scheme", .align = Align::kLeft},
                   {.name = "scaling", .align = Align::kLeft},
                   {.name = "model", .align = Align::kLeft},
                   {.name = "trained to"},
                   {.name = "parameters"},
                   {.name = "steps"},
                   {.name = "seeds"},
                   {.name = "probes scored"},
                   {.name = "tokens scored"}};
  for (const auto& variant : view.variants()) {
    const SettingInfo& s = view.setting(variant);
    const Cost total = total_cost(view, variant);
    table.add({{variant},
               {s.scheme},
               {s.scaling},
               {s.model},
               {format_grouped(s.train_length)},
               {format_grouped(total.parameters)},
               {format_grouped(total.train_steps)},
               {std::to_string(view.settings(variant).size())},
               {format_grouped(total.probes)},
               {format_grouped(total.tokens)}});
  }
  return table;
}

Table memory_table(const View& view) {
  std::set<int64_t> lengths;
  for (const auto& variant : view.variants())
    if (const Cost* cost = memory_cost_of(view, variant))
      for (const auto& at : cost->memory.attention) lengths.insert(at.length);
  Table table;
  table.id = "memory";
  table.title = "Memory of one attention layer";
  table.how_to_read =
      "What it holds at once, by length in tokens: one sequence, float32, queries in tiles as evaluated. The bytes "
      "of all tensors, counted; what the process grew by (attention_resident_bytes) and times are in provenance.json.";
  table.by_variant = true;
  table.columns = {{.name = "variant", .align = Align::kLeft}};
  for (const int64_t length : lengths) table.columns.push_back({format_grouped(length)});
  table.columns.push_back({"grows as n to the"});
  table.columns.push_back({"key cache, a token"});
  for (const auto& variant : view.variants()) {
    const Cost* cost = memory_cost_of(view, variant);
    if (cost == nullptr) continue;
    std::vector<TableCell> row = {{variant}};
    for (const int64_t length : lengths) {
      const auto& all = cost->memory.attention;
      const auto at = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.length == length; });
      row.push_back({at == all.end() ? "" : bytes_words(at->peak_bytes)});
    }
    row.push_back({cost->memory_growth ? format_fixed(*cost->memory_growth, 2) : ""});
    const int64_t kept = cost->memory.key_cache_bytes_per_token;
    row.push_back({kept > 0 ? bytes_words(kept) : "none: recompute"});
    table.add(row);
  }
  return table;
}

Table gates_table(const View& view) {
  Table table;
  table.id = "gates";
  table.title = "Gates";
  table.how_to_read =
      "How well each seed did after training on held-out probes inside the training length, one value a seed. A seed "
      "enters a mean only when it passed the suite's gate.";
  table.by_variant = true;
  table.columns = {{.name = "variant", .align = Align::kLeft}};
  std::vector<const Gate*> usual;
  for (const auto& suite : view.summary().manifest.suites)
    if (const Gate* gate = first_gate(view, suite.name)) {
      usual.push_back(gate);
      table.columns.push_back(
          {.name = suite.name, .note = gate_words(*gate) + ", n " + format_grouped(gate->n), .align = Align::kLeft});
    }
  if (usual.empty()) return table;
  for (const auto& variant : view.variants()) {
    if (view.setting(variant).scaled) continue;  // the weights of another variant
    std::vector<TableCell> row = {{variant}};
    for (const Gate* gate : usual) row.push_back(gate_cell(view, variant, *gate));
    table.add(row);
  }
  return table;
}

Table unlearned_table(const View& view) {
  Table table;
  table.id = "unlearned";
  table.title = "Seeds that did not learn";
  table.how_to_read = "Left out of every mean.";
  table.columns = {{.name = "setting", .align = Align::kLeft},
                   {.name = "suite", .align = Align::kLeft},
                   {.name = "gate", .align = Align::kLeft},
                   {.name = "value"},
                   {.name = "n"}};
  for (const auto& s : view.summary().manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates)
        if (!g.passed)
          table.add(
              {{s.id}, {g.suite}, {gate_words(g)}, {format_fixed(g.value, 2), CellState::kBad}, {format_grouped(g.n)}});
  return table;
}

Table checks_table(const View& view) {
  Table table;
  table.id = "checks";
  table.title = "Checks";
  table.how_to_read = "Properties of the trained models: each holds where its value is at most the bar.";
  table.columns = {{.name = "setting", .align = Align::kLeft},
                   {.name = "check", .align = Align::kLeft},
                   {.name = "value"},
                   {.name = "bar"},
                   {.name = "result", .align = Align::kLeft},
                   {.name = "what", .align = Align::kLeft, .wraps = true}};
  for (const auto& s : view.summary().manifest.settings)
    for (const Check& check : s.checks)
      table.add({{s.id},
                 {check.name},
                 {short_number(check.value)},
                 {short_number(check.bar)},
                 holds_cell(check.holds()),
                 {check.text}});
  return table;
}

}  // namespace lw
