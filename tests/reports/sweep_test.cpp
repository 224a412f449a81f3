// What a variant may change stays its own: chance, lengths and training length, in numbers, tables and figures.
#include <set>

#include "harness/base/numbers.h"
#include "harness/base/rng.h"
#include "reports/registry.h"
#include "reports/tables/result_tables.h"
#include "reports/terminal.h"
#include "reports/words.h"
#include "tests/catch.h"
#include "tests/reports/approval.h"
#include "tests/reports/markup.h"
#include "tests/reports/sweep_fixture.h"

namespace lw {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string page(const std::string& format, const fixture::Run& run) {
  for (const auto& info : report_formats())
    if (info.name == format) return info.make(summarise(run.manifest, run.records), run.records).front().bytes;
  return "";
}

/// The cells of a variant's row.
std::vector<TableCell> row_of(const Table& table, const std::string& variant) {
  for (const auto& row : table.rows)
    if (!row.cells.empty() && row.cells[0].text == variant) return row.cells;
  return {};
}

}  // namespace

TEST_CASE("approved: a sweep over a suite's options and over training lengths", "[reports]") {
  const auto run = fixture::small_sweep();
  fixture::check_approved("sweep.md", page("md", run));
  fixture::check_approved("sweep.txt", terminal_tables(summarise(run.manifest, run.records), false));
  fixture::check_approved("sweep.html", page("html", run));
  CHECK(fixture::markup_fault(page("html", run)) == "");
}

TEST_CASE("every number has the chance of its own variant", "[reports]") {
  Rng rng(11);
  for (int trial = 0; trial < 25; ++trial) {
    std::vector<fixture::SweepVariant> variants;
    const int64_t count = 2 + rng.below(4);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t trained = int64_t{16} << rng.below(3), probes = 12 * (1 + rng.below(2));
      variants.push_back({"v" + std::to_string(i), trained, fixture::needle_of(2 + rng.below(30), {16, 32, 64}, probes),
                          rng.below(probes + 1)});
    }
    const auto run = fixture::sweep_run(variants);
    const Summary s = summarise(run.manifest, run.records);
    const auto own = [&](const std::string& variant) {
      for (const auto& v : variants)
        if (v.name == variant) return *v.suite.chance;
      return 0.0;
    };
    size_t seen = 0;
    for (const auto& c : s.cells) {
      if (!c.chance) continue;
      CHECK(*c.chance == Catch::Approx(own(c.setting.substr(0, c.setting.find('/')))));
      ++seen;
    }
    for (const auto& p : s.pooled)
      if (p.chance) CHECK(*p.chance == Catch::Approx(own(p.variant)));
    for (const auto& e : s.effective_length) CHECK(*e.chance == Catch::Approx(own(e.variant)));
    CHECK(seen > 6 * variants.size());
    // And again from summary.json, as `report` reads it.
    const auto [manifest, options] = manifest_from_json(summary_json(s), "summary.json");
    CHECK(summary_json(summarise(manifest, run.records, options)) == summary_json(s));
  }
}

TEST_CASE("the head of a table names each chance with the variants that it is true for", "[reports]") {
  const auto run = fixture::small_sweep();
  const Summary s = summarise(run.manifest, run.records);
  const View view(s);
  CHECK_THAT(reference_words(view, "needle", metric("accuracy")),
             ContainsSubstring("chance 0.25 (v4 to 16 and v4 to 32), chance 0.0625 (v16 to 16)"));
  CHECK(effective_length_table(view).columns.back().plain() == "needle (chance 0.0625 to 0.25)");
  CHECK_THAT(page("md", run), ContainsSubstring("Chance 0.25 (v4 to 16 and v4 to 32), chance 0.0625 (v16 to 16)"));
}

TEST_CASE("training lengths that differ: no column is trained, each row says how far, and shades its own",
          "[reports]") {
  const auto run = fixture::small_sweep();
  const Summary s = summarise(run.manifest, run.records);
  const View view(s);
  const Table table = length_table(view, "needle", metric("accuracy"));
  for (const auto& column : table.columns) {
    CHECK_FALSE(column.beyond);
    CHECK(column.plain().find("trained)") == std::string::npos);
    CHECK(column.plain().find("x)") == std::string::npos);
  }
  const auto cell_at = [&](const std::string& variant, const std::string& column) {
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].name == column) return row_of(table, variant).at(i);
    return TableCell{};
  };
  CHECK(cell_at("v4 to 16", "trained to").text == "16");
  CHECK(cell_at("v4 to 32", "trained to").text == "32");
  CHECK(cell_at("v4 to 16", "32").beyond);
  CHECK_FALSE(cell_at("v4 to 32", "32").beyond);
  CHECK(cell_at("v4 to 32", "64").beyond);
  CHECK_THAT(run_words(view), ContainsSubstring("trained to 16 or 32 tokens, by variant, evaluated to 64"));
  const std::string text = terminal_tables(s, false);
  CHECK(text.find("(trained)") == std::string::npos);
  CHECK(text.find("Right of the bar") == std::string::npos);
  CHECK_THAT(text, ContainsSubstring("Training lengths differ"));
}

TEST_CASE("training lengths that differ: figures shade nothing, and name each line's own", "[reports]") {
  const auto run = fixture::small_sweep();
  const std::string html = page("html", run);
  const size_t begin = html.find("<section id=\"length\">");
  const std::string section = html.substr(begin, html.find("</section>", begin) - begin);
  CHECK(section.find("class=\"beyond\"") == std::string::npos);
  CHECK_THAT(section, ContainsSubstring(">trained to 16</text>"));
  CHECK_THAT(section, ContainsSubstring(">trained to 32</text>"));
  CHECK_THAT(section, ContainsSubstring("v4 to 16, trained to 16"));
  const auto same = fixture::full_run();
  CHECK_THAT(page("html", same), ContainsSubstring("class=\"beyond\""));
}

}  // namespace lw
