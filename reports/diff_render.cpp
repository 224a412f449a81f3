// A comparison as text, Markdown and JSON.
#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "reports/diff_words.h"
#include "reports/summary_fields.h"
#include "reports/text_table.h"
#include "reports/words.h"

namespace lw {
namespace {

constexpr size_t kWidth = 100;
constexpr const char* kScopes[] = {"short", "beyond", "length", "distance"};

void fields(auto& io, const DiffRow& r) {
  io("variant", r.variant);
  io("suite", r.suite);
  io("metric", r.metric);
  io("scope", r.scope);
  io("length", r.length);
  io("distance", r.distance);
  io("in_length", r.in_length);
  io("n", r.n);
  io("lost", r.lost);
  io("a", r.a);
  io("b", r.b);
  io("c", r.c);
  io("d", r.d);
  io("base", r.base_value);
  io("run", r.run_value);
  io("difference", r.difference);
  io("low", r.low);
  io("high", r.high);
  io("p", r.p);
  io("p_holm", r.p_holm);
  io("detectable", r.detectable);
  io.sparse("verdict", r.verdict);
  io.sparse("reason", r.reason);
}

Json to_json(const Unpaired& u) {
  return Json{{"only_base", u.only_base},         {"only_run", u.only_run},         {"other_prompt", u.other_prompt},
              {"unscored_base", u.unscored_base}, {"unscored_run", u.unscored_run}, {"unscored_both", u.unscored_both}};
}

Paint paint_of(const DiffRow& row) {
  if (row.verdict == "worse" || row.lost > 0) return Paint::kBad;
  return row.verdict == "better" ? Paint::kGood : Paint::kNone;
}

/// Variants as headings, and the columns that fit a terminal.
std::string table_text(const std::vector<const DiffRow*>& rows, bool color) {
  std::vector<TextTable::Column> columns;
  for (const auto& head : diff_heads())
    if (head != "variant" && head != "won lost")
      columns.push_back({(columns.empty() ? "  " : "") + head, false, head == "verdict"});
  TextTable table(columns, 2);
  std::string variant;
  for (const DiffRow* row : rows) {
    if (row->variant != variant) table.add_heading(" " + row->variant);
    variant = row->variant;
    std::vector<TextTable::Item> items;
    const auto all = diff_items(*row);
    for (size_t i = 1; i < all.size(); ++i)
      if (diff_heads()[i] != "won lost") items.push_back({(i == 1 ? "  " : "") + all[i], Paint::kNone, false});
    if (row->low)
      items[5].text = signed_number(*row->difference) + " ±" + format_fixed(0.5 * (*row->high - *row->low), 2);
    items.back().paint = paint_of(*row);
    table.add(items);
  }
  return table.str(kWidth, color);
}

}  // namespace

std::vector<const DiffRow*> rows_of(const RunDiff& run, const std::string& scope, bool only_found) {
  std::vector<const DiffRow*> rows;
  for (const auto& row : run.rows) {
    const bool found = row.verdict == "worse" || row.verdict == "better" || row.lost > 0;
    if (row.scope == scope && (found || !only_found)) rows.push_back(&row);
  }
  return rows;
}

std::vector<std::string> diff_heads() {
  return {"variant", "suite", "at", "n", "base", "run", "difference", "won lost", "p (Holm)", "verdict"};
}

std::string diff_suite(const DiffRow& row) {
  return row.suite + (row.metric == "accuracy" ? "" : row.metric == "nll" ? " (nats)" : " (targets)");
}

std::string diff_place(const DiffRow& row) {
  if (row.scope == "short") return "up to trained";
  if (row.scope == "beyond") return "beyond";
  std::string text = format_grouped(row.length.value_or(0)) + (row.in_length ? "" : " beyond");
  if (row.distance) text += ", " + bin_words(*row.distance) + " back";
  return text;
}

std::vector<std::string> diff_items(const DiffRow& row) {
  const std::string suite = row.suite + (row.metric == "accuracy" ? ""
                                         : row.metric == "nll"    ? " (nats)"
                                                                  : " (targets)");
  std::vector<std::string> items = {row.variant, diff_suite(row), diff_place(row)};
  if (!row.difference) {
    items.insert(items.end(),
                 {"", "", "", "", "", "", row.verdict.empty() ? row.reason : row.verdict + ": " + row.reason});
    return items;
  }
  std::string difference = signed_number(*row.difference);
  if (row.low) difference += " [" + signed_number(*row.low) + ", " + signed_number(*row.high) + "]";
  const bool counted = row.a + row.b + row.c + row.d > 0;
  std::string verdict = row.verdict == "no difference found" ? "none found" : row.verdict;
  if (verdict == "none found" && row.detectable)
    verdict += *row.detectable < 0.005 ? " (<0.01)" : " (" + format_fixed(*row.detectable, 2) + ")";
  if (row.lost > 0) verdict += ", " + format_grouped(row.lost) + " lost";
  items.insert(items.end(), {format_grouped(row.n), format_fixed(*row.base_value, 2), format_fixed(*row.run_value, 2),
                             difference, counted ? "+" + format_grouped(row.b) + " -" + format_grouped(row.c) : "",
                             p_words(row.p_holm.value_or(*row.p)), verdict});
  return items;
}

std::string pairing_words(const RunDiff& run) {
  std::string text = std::to_string(run.settings.size()) + (run.settings.size() == 1 ? " setting" : " settings") +
                     " matched, " + format_grouped(run.paired) + " probes paired";
  const Unpaired& u = run.unpaired;
  std::vector<std::string> parts;
  const auto note = [&](int64_t count, const std::string& why) {
    if (count > 0) parts.push_back(format_grouped(count) + " " + why);
  };
  note(u.only_base, "only in the base");
  note(u.only_run, "only in the run");
  note(u.other_prompt, "with another prompt");
  note(u.unscored_base, "without a score in the base");
  note(u.unscored_run, "without a score in the run");
  note(u.unscored_both, "without a score in both");
  if (!parts.empty()) text += "; not paired: " + join(parts);
  if (!run.unlearned.empty()) text += "; left out: " + name_list(run.unlearned, 6);
  if (!run.unmatched.empty()) text += "; settings without a partner: " + name_list(run.unmatched, 6);
  return text + ".";
}

std::string diff_terminal(const Diff& diff, bool color) {
  std::string out;
  for (const auto& run : diff.runs) {
    if (!out.empty()) out += "\n";
    out += painted(run.base + " -> " + run.run, Paint::kBold, color) + "\n" +
           wrapped(pairing_words(run), kWidth, "  ") + "\n";
    std::vector<const DiffRow*> sides = rows_of(run, "short", false);
    const auto beyond = rows_of(run, "beyond", false);
    sides.insert(sides.end(), beyond.begin(), beyond.end());
    out +=
        "\n" + painted("Inside and beyond the training length", Paint::kBold, color) + "\n" +
        painted(
            wrapped(
                "Run minus base, ± half of the 95 % interval; in brackets the difference that would have been found.",
                kWidth, "  "),
            Paint::kDim, color) +
        "\n" + table_text(sides, color);
    for (const std::string scope : {"length", "distance"}) {
      const auto all = rows_of(run, scope, false), found = rows_of(run, scope, true);
      if (all.empty()) continue;
      out += "\n" + painted("By " + scope, Paint::kBold, color) + ": " + std::to_string(found.size()) + " of " +
             std::to_string(all.size()) + " differ (Holm-adjusted p < " + format_number(diff.alpha) + ")\n";
      if (!found.empty()) out += table_text(found, color);
    }
  }
  return out;
}

std::string diff_markdown(const Diff& diff) {
  std::string out = "# Comparison\n";
  for (const auto& run : diff.runs) {
    out += "\n## " + markdown_text(run.base) + " -> " + markdown_text(run.run) + "\n\n" +
           markdown_text(pairing_words(run)) + "\n";
    for (const std::string scope : kScopes) {
      const auto rows = rows_of(run, scope, false);
      if (rows.empty()) continue;
      out += "\n### " + scope_title(scope) + "\n\n|";
      for (const auto& head : diff_heads()) out += " " + head + " |";
      out += "\n|";
      for (size_t i = 0; i < diff_heads().size(); ++i) out += i < 3 || i + 1 == diff_heads().size() ? "---|" : "---:|";
      out += "\n";
      for (const DiffRow* row : rows) {
        out += "|";
        for (const auto& item : diff_items(*row)) out += " " + markdown_text(item) + " |";
        out += "\n";
      }
    }
  }
  return out;
}

std::string scope_title(const std::string& scope) {
  if (scope == "short") return "Inside the training length";
  if (scope == "beyond") return "Beyond the training length";
  return scope == "length" ? "By length" : "By distance";
}

std::string diff_json(const Diff& diff) {
  Json runs = Json::array();
  for (const auto& run : diff.runs) {
    Json settings = Json::array(), rows = Json::array();
    for (const auto& [ours, theirs] : run.settings) settings.push_back(Json::array({ours, theirs}));
    for (const auto& row : run.rows) {
      Json json = Json::object();
      FieldWriter io{json};
      fields(io, row);
      rows.push_back(json);
    }
    runs.push_back(Json{{"base", run.base},
                        {"run", run.run},
                        {"settings", settings},
                        {"unmatched", run.unmatched},
                        {"unlearned", run.unlearned},
                        {"gates_lost", run.gates_lost},
                        {"paired", run.paired},
                        {"unpaired", to_json(run.unpaired)},
                        {"rows", rows}});
  }
  const Json json{{"schema", 1},
                  {"alpha", diff.alpha},
                  {"regression_short", has_regression(diff, RegressionScope::kShort)},
                  {"regression_any", has_regression(diff, RegressionScope::kAny)},
                  {"runs", runs}};
  return json.dump(1) + "\n";
}

}  // namespace lw
