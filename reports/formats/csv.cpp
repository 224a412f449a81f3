// tables/*.csv: every number with the keys of summary.json, and report-*.csv, the tables as reports show them.
#include <set>

#include "harness/base/error.h"
#include "reports/csv_text.h"
#include "reports/figures/figures.h"
#include "reports/registry.h"
#include "reports/tables/report_tables.h"

namespace lw {
namespace {

/// One gate of one training, as a row.
struct GateRow {
  std::string setting, suite, metric;
  double value = 0, bar = 0;
  bool passed = false;
  int64_t n = 0;
};

void fields(auto& io, const GateRow& g) {
  io("setting", g.setting);
  io("suite", g.suite);
  io("metric", g.metric);
  io("value", g.value);
  io("bar", g.bar);
  io("passed", g.passed);
  io("n", g.n);
}

struct LossRow {
  std::string setting, suites;
  int64_t step = 0;
  double loss = 0;
};

void fields(auto& io, const LossRow& p) {
  io("setting", p.setting);
  io("suites", p.suites);
  io("step", p.step);
  io("loss", p.loss);
}

struct ProbeRow {
  const Record* record = nullptr;
};

void fields(auto& io, const ProbeRow& row) {
  static const Record kBlank;  // for the head
  const Record& r = row.record == nullptr ? kBlank : *row.record;
  io("id", r.id);
  io("suite", r.suite);
  io("setting", r.setting);
  io("seed", r.seed);
  io("length", r.length);
  io("in_length", r.in_length);
  io("distance", r.distance);
  io("depth", r.depth);
  io("group", r.group);
  io("prompt_hash", r.prompt_hash);
  io("status", std::string(status_name(r.status)));
  io("reason", r.reason);
  io("correct", r.correct);
  io("correct_free", r.correct_free);
  io("nll", r.nll);
  io("targets", static_cast<int64_t>(r.targets.size()));
  io("gold", r.gold);
  io("answer", r.answer);
  io("baselines", r.baselines);
}

std::string gates_table(const Manifest& manifest) {
  std::vector<GateRow> rows;
  for (const auto& s : manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates) rows.push_back({s.id, g.suite, g.metric, g.value, g.bar, g.passed, g.n});
  return csv_table(rows);
}

std::string loss_table(const Manifest& manifest) {
  std::vector<LossRow> rows;
  for (const auto& s : manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& p : t.loss) rows.push_back({s.id, join(t.suites, " "), p.step, p.loss});
  return csv_table(rows);
}

}  // namespace

std::vector<ReportFile> make_csv_report(const Summary& s, std::span<const Record> records) {
  std::vector<ProbeRow> probes;
  for (const auto& r : records) probes.push_back({&r});
  std::vector<ReportFile> files = {{"tables/cells.csv", csv_table(s.cells)},
                                   {"tables/pooled.csv", csv_table(s.pooled)},
                                   {"tables/effective_length.csv", csv_table(s.effective_length)},
                                   {"tables/comparisons.csv", csv_table(s.comparisons)},
                                   {"tables/curves.csv", csv_table(s.curves)},
                                   {"tables/gates.csv", gates_table(s.manifest)},
                                   {"tables/loss.csv", loss_table(s.manifest)},
                                   {"tables/probes.csv", csv_table(probes)}};
  std::set<std::string> ids;
  for (const auto& section : report_tables(View(s)))
    for (const auto& table : section.tables)
      files.push_back({"tables/report-" + untaken(table.id, ids) + ".csv", write_csv(table)});
  return files;
}

}  // namespace lw
