// A comparison of runs as JSON.
#include "harness/results/field_json.h"
#include "reports/diff.h"
#include "reports/summary_fields.h"

namespace lw {
namespace {

/// A row between two runs. Its keys differ from those of `comparisons` in summary.json, which has no base run.
struct DiffRow {
  const Comparison& c;
};

void fields(auto& io, const DiffRow& row) {
  const Comparison& c = row.c;
  io("variant", c.variant);
  io("suite", c.suite);
  io("metric", c.metric);
  io("scope", std::string(scope_name(c.scope)));
  io("length", c.length);
  io("distance", c.distance);
  io("in_length", c.in_length);
  io("n", c.n);
  io("lost", c.lost);
  io("a", c.a);
  io("b", c.b);
  io("c", c.c);
  io("d", c.d);
  io("base", c.baseline_value);
  io("run", c.value);
  io("difference", c.difference);
  sureness_fields(io, c);
  io("detectable", c.detectable);
  io.sparse("reason", c.reason);
}

void fields(auto& io, const Unpaired& u) {
  io("only_base", u.only_base);
  io("only_run", u.only_run);
  io("other_prompt", u.other_prompt);
  io("unscored_base", u.unscored_base);
  io("unscored_run", u.unscored_run);
  io("unscored_both", u.unscored_both);
}

}  // namespace

std::string diff_json(const Diff& diff) {
  Json runs = Json::array();
  for (const auto& run : diff.runs) {
    Json settings = Json::array(), rows = Json::array(), unpaired = Json::object();
    for (const auto& [ours, theirs] : run.settings) settings.push_back(Json::array({ours, theirs}));
    for (const auto& row : run.rows) {
      Json& json = rows.emplace_back(Json::object());
      FieldWriter io(json);
      fields(io, DiffRow{row});
    }
    FieldWriter io(unpaired);
    fields(io, run.unpaired);
    runs.push_back(Json{{"base", run.base},
                        {"run", run.run},
                        {"settings", settings},
                        {"unmatched", run.unmatched},
                        {"unlearned", run.unlearned},
                        {"gates_lost", run.gates_lost},
                        {"paired", run.paired},
                        {"margin", run.margin},
                        {"unpaired", unpaired},
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
