#include "reports/tables/run_index_table.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr size_t kHashDigits = 8;     // enough to tell the runs of a folder apart
constexpr size_t kMinuteDigits = 16;  // of "2026-01-31T12:00:00Z"

/// "2026-01-31 12:00" of the time in UTC.
TableCell time_cell(const std::string& time) {
  if (time.empty()) return missing_cell("not said");
  std::string words = time.substr(0, kMinuteDigits);
  std::replace(words.begin(), words.end(), 'T', ' ');
  return {words};
}

/// The headline; "The price inside 32 tokens:" says nothing without the numbers behind it, up to the first bracket.
std::string claim_words(const Claim& claim) {
  if (!claim.headline.ends_with(':')) return claim.headline;
  return claim.headline + " " + claim.text.substr(0, claim.text.find(" (")) + ".";
}

TableCell reach_cell_of(const IndexedRun& run) {
  std::vector<std::string> words;
  for (const auto& reach : run.reach) words.push_back(farthest_words(reach));
  return words.empty() ? missing_cell("no suite with answers") : TableCell{join(words, "; ")};
}

TableCell verdict_cell_of(const IndexedRun& run) {
  std::vector<std::string> words;
  for (const auto& claim : run.verdict) words.push_back(claim_words(claim));
  return {join(words, " ")};
}

}  // namespace

Table run_index_table(const RunIndex& index) {
  Table table;
  table.id = "runs";
  table.title = "Runs";
  table.how_to_read =
      "Finished: UTC. Config: the first digits of the SHA-256 of config.yaml. Effective length: of each suite with "
      "answers the variant that reaches farthest, as far as that is proven of the best of several; then the point "
      "estimate where it differs.";
  table.by_variant = true;
  table.columns = {{.name = "folder", .align = Align::kLeft},
                   {.name = "name", .align = Align::kLeft},
                   {.name = "config", .align = Align::kLeft},
                   {.name = "finished", .align = Align::kLeft},
                   {.name = "variants"},
                   {.name = "seeds"},
                   {.name = "suites", .align = Align::kLeft, .wraps = true},
                   {.name = "effective length", .align = Align::kLeft, .wide_only = true, .wraps = true},
                   {.name = "verdict", .align = Align::kLeft, .wide_only = true, .wraps = true}};
  for (const auto& run : index.runs) {
    if (!run.fault.empty()) continue;
    table.add({{run.folder},
               {run.name},
               run.config.empty() ? missing_cell("not said") : TableCell{run.config.substr(0, kHashDigits)},
               time_cell(run.finished),
               {text(run.variants)},
               {text(run.seeds)},
               {join(run.suites)},
               reach_cell_of(run),
               verdict_cell_of(run)});
  }
  return table;
}

Table run_conclusions_table(const RunIndex& index) {
  Table table;
  table.id = "conclusions";
  table.title = "Effective length and verdict";
  table.columns = {{.name = "folder", .align = Align::kLeft},
                   {.name = "verdict", .align = Align::kLeft, .wraps = true}};
  for (const auto& run : index.runs)
    if (run.fault.empty()) table.add({{run.folder}, {reach_cell_of(run).text + ". " + verdict_cell_of(run).text}});
  return table;
}

Table run_faults_table(const RunIndex& index) {
  Table table;
  table.id = "unreadable";
  table.title = "Could not be read";
  table.columns = {{.name = "folder", .align = Align::kLeft}, {.name = "reason", .align = Align::kLeft, .wraps = true}};
  for (const auto& run : index.runs)
    if (!run.fault.empty()) table.add({{run.folder}, {run.fault, CellState::kBad}});
  return table;
}

std::string run_index_words(const RunIndex& index) {
  const int64_t faults = std::ssize(index.runs) - index.readable();
  return plural(index.readable(), "run") +
         (faults == 0 ? "" : ", " + plural(faults, "folder") + " that could not be read");
}

}  // namespace lw
