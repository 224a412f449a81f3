#include "reports/tables/report_tables.h"

#include "reports/tables/checkpoint_tables.h"
#include "reports/tables/comparison_tables.h"
#include "reports/tables/result_tables.h"
#include "reports/tables/setting_tables.h"

namespace lw {
namespace {

TableSection suite_section(const View& view, const SuiteMeta& suite) {
  TableSection section{suite.name, suite.summary.empty() ? "" : capitalised(suite.summary) + ".", {}};
  const auto shown = view.shown_metrics(suite.name);
  if (shown.empty()) section.lead += (section.lead.empty() ? "" : " ") + std::string("n/a: not run");
  for (const Metric* metric : shown) section.tables.push_back(length_table(view, suite.name, *metric));
  for (const auto& table : {distance_table(view, suite.name), depth_table(view, suite.name)})
    if (!table.empty()) section.tables.push_back(table);
  return section;
}

}  // namespace

std::vector<TableSection> report_tables(const View& view) {
  std::vector<TableSection> sections;
  for (const auto& suite : view.summary().manifest.suites) sections.push_back(suite_section(view, suite));
  const auto add = [&](const std::string& title, const std::vector<Table>& tables) {
    TableSection section{title, "", {}};
    for (const auto& table : tables)
      if (!table.empty()) section.tables.push_back(table);
    if (!section.tables.empty()) sections.push_back(section);
  };
  add("Effective length", {effective_length_table(view)});
  add("Short contexts", {short_contexts_table(view)});
  add("Scaling", {scaling_beyond_table(view), scaling_by_length_table(view)});
  add("Training", {gates_table(view), unlearned_table(view), checks_table(view)});
  add("Checkpoints", {checkpoints_table(view), checkpoint_files_table(view), checkpoint_texts_table(view)});
  add("Settings and counts", {settings_table(view), memory_table(view)});
  return sections;
}

}  // namespace lw
