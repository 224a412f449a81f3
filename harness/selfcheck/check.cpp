#include "harness/selfcheck/check.h"

#include <algorithm>
#include <cstdio>

#include "harness/base/exit_code.h"
#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/text_table.h"

namespace lw {
namespace {

std::string number_words(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return "not finite";
  if (value == std::floor(value) && std::abs(value) < 1e6) return format_number(value);
  if (std::abs(value) >= 0.1 && std::abs(value) < 1e6) return format_fixed(value, 2);
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

std::string with_unit(double value, const std::string& unit) {
  return number_words(value) + (unit.empty() ? "" : " " + unit);
}

/// One check of one or more subjects.
using Group = std::vector<const CheckResult*>;

std::vector<Group> groups_of(const std::vector<CheckResult>& results) {
  std::vector<Group> groups;
  for (const auto& r : results) {
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g[0]->name == r.name; });
    if (known == groups.end())
      groups.push_back({&r});
    else
      known->push_back(&r);
  }
  return groups;
}

std::string subject_words(const CheckResult& r) { return r.subject.empty() ? "this build" : r.subject; }

void add_row(TextTable& table, const std::string& of, const CheckResult& r) {
  table.add({{"  " + of},
             {with_unit(r.measured, r.unit)},
             {with_unit(r.bound, r.unit)},
             {r.failed() ? "FAILED" : "ok", r.failed() ? Paint::kBad : Paint::kGood}});
}

/// What failed, each by its name; of the rest the largest; then those that were not asked.
void add_group(TextTable& table, const Group& group) {
  Group good;
  std::vector<std::string> skipped;
  for (const CheckResult* r : group) {
    if (!r->skipped.empty())
      skipped.push_back(r->subject + " (" + r->skipped + ")");
    else if (r->failed())
      add_row(table, subject_words(*r), *r);
    else
      good.push_back(r);
  }
  if (!good.empty()) {
    const CheckResult& worst = **std::max_element(
        good.begin(), good.end(), [](const auto* a, const auto* b) { return a->measured < b->measured; });
    const bool several = good.size() > 1;
    add_row(table, several ? text(good.size(), " models, the largest: ", worst.subject) : subject_words(worst), worst);
  }
  if (!skipped.empty()) table.add_heading("  not asked: " + join(skipped));
}

}  // namespace

nlohmann::ordered_json to_json(const CheckResult& r) {
  Json json{{"name", r.name}, {"subject", r.subject}, {"compared", r.compared}};
  const bool asked = r.skipped.empty();
  json["measured"] = asked && std::isfinite(r.measured) ? Json(r.measured) : Json(nullptr);
  json["bound"] = r.bound;
  json["unit"] = r.unit;
  json["result"] = !asked ? "not asked" : r.failed() ? "failed" : "ok";
  if (!asked) json["reason"] = r.skipped;
  json["concerns"] = r.concern == Concern::kMachine ? "machine" : "scheme";
  return json;
}

std::string check_table(const std::vector<CheckResult>& results, bool color) {
  TextTable table({{"  of"}, {"measured"}, {"allowed"}, {"result"}}, 1);
  for (const auto& group : groups_of(results)) {
    table.add_heading(painted(group[0]->name, Paint::kBold, color) + ": " + group[0]->compared);
    add_group(table, group);
  }
  return table.str(118, color);
}

int exit_code_of(const std::vector<CheckResult>& results) {
  const auto any = [&](Concern concern) {
    return std::any_of(results.begin(), results.end(),
                       [&](const CheckResult& r) { return r.failed() && r.concern == concern; });
  };
  if (any(Concern::kMachine)) return 1;
  return any(Concern::kScheme) ? kExitDisagrees : 0;
}

}  // namespace lw
