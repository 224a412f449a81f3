#include "reports/tables/diff_tables.h"

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/tables/comparison_tables.h"
#include "reports/view.h"

namespace lw {
namespace {

const char* const kHolm =
    " p inside and beyond the training length is corrected by Holm; by length and by distance, which are tables to "
    "explore, by Benjamini and Hochberg.";

}  // namespace

Table diff_rows_table(const RunDiff& run, const std::vector<const Comparison*>& rows) {
  Table table = comparison_table(rows, "base", "run");
  table.how_to_read = "Run minus base with its 95 % interval. " + unit_sentence(run.margin) +
                      " One seed cannot tell: the sides were trained apart, once each." + kHolm;
  return table;
}

std::vector<const Comparison*> diff_rows(const RunDiff& run, Scope scope, bool only_found) {
  std::vector<const Comparison*> rows;
  for (const auto& row : run.rows)
    if (row.scope == scope && (row.found() || !only_found)) rows.push_back(&row);
  return rows;
}

Table diff_table(const RunDiff& run, Scope scope, bool only_found) {
  Table table = diff_rows_table(run, diff_rows(run, scope, only_found));
  table.title = scope_title(scope);
  table.id = "diff-" + std::string(scope_name(scope));
  return table;
}

Table diff_sides_table(const RunDiff& run) {
  auto rows = diff_rows(run, Scope::kShort);
  const auto beyond = diff_rows(run, Scope::kBeyond);
  rows.insert(rows.end(), beyond.begin(), beyond.end());
  Table table = diff_rows_table(run, rows);
  table.title = "Inside and beyond the training length";
  table.id = "diff-sides";
  return table;
}

std::string pairing_words(const RunDiff& run) {
  std::string out =
      plural(int64_t(run.settings.size()), "setting") + " matched, " + format_grouped(run.paired) + " probes paired";
  const Unpaired& u = run.unpaired;
  std::vector<std::string> parts;
  const auto note = [&](int64_t count, const std::string& what) {
    if (count > 0) parts.push_back(format_grouped(count) + " " + what);
  };
  note(u.only_base, "only in the base");
  note(u.only_run, "only in the run");
  note(u.other_prompt, "with another prompt");
  note(u.unscored_base, "without a score in the base");
  note(u.unscored_run, "without a score in the run");
  note(u.unscored_both, "without a score in both");
  if (!parts.empty()) out += "; not paired: " + join(parts);
  if (!run.unlearned.empty()) out += "; left out: " + name_list(run.unlearned, 6);
  if (!run.unmatched.empty()) out += "; settings without a partner: " + name_list(run.unmatched, 6);
  return out + ".";
}

}  // namespace lw
