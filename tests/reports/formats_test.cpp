// Every format of a report: approved text, well-formed markup, the same bytes for the same run.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/numbers.h"
#include "reports/registry.h"
#include "tests/catch.h"
#include "tests/reports/approval.h"
#include "tests/reports/markup.h"
#include "tests/reports/own_formats.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

std::vector<ReportFile> files(const std::string& format, const fixture::Run& run) {
  return fixture::files_of(format, summarise(run.manifest, run.records), run.records);
}

std::string bytes(const std::string& format, const std::string& path, const fixture::Run& run) {
  for (const auto& file : files(format, run))
    if (file.path == path) return file.bytes;
  return "";
}

/// Runs at the edges of what may happen.
std::vector<std::pair<std::string, fixture::Run>> edge_runs() {
  std::vector<std::pair<std::string, fixture::Run>> runs;
  runs.emplace_back("empty", fixture::Run{});
  runs.emplace_back("full", fixture::full_run());
  fixture::Run single;
  single.manifest.name = "one length, one seed";
  single.manifest.suites = {fixture::needle({16})};
  single.manifest.settings = {fixture::setting("rope", 0, {"needle"})};
  fixture::add_probes(single.records, single.manifest.settings[0], "needle", 16, 4, 4);
  runs.emplace_back("single", single);
  fixture::Run nothing = single;
  nothing.manifest.name = "nothing scored";
  for (auto& r : nothing.records) {
    r = fixture::record(nothing.manifest.settings[0], "needle", 16, std::stoi(r.id.substr(10)));
    fixture::unscored(r, Status::kTooLong, "needs more memory");
  }
  runs.emplace_back("nothing", nothing);
  fixture::Run unrun = single;
  unrun.records.clear();
  runs.emplace_back("unrun", unrun);
  fixture::Run unknown = single;  // a checkpoint whose training length nobody knows
  unknown.manifest.settings[0].train_length = 0;
  unknown.manifest.settings[0].trainings.clear();
  unknown.manifest.settings[0].card.reset();
  for (auto& r : unknown.records) r.in_length = false;
  runs.emplace_back("unknown", unknown);
  return runs;
}

TEST_CASE("approved: report.md") {
  fixture::check_approved("report.md", bytes("md", "report.md", fixture::full_run()));
}

TEST_CASE("approved: report.html and report.tex") {
  fixture::check_approved("report.html", bytes("html", "report.html", fixture::full_run()));
  fixture::check_approved("report.tex", bytes("tex", "report.tex", fixture::full_run()));
}

TEST_CASE("approved: every figure") {
  for (const auto& file : files("svg", fixture::full_run())) fixture::check_approved(file.path, file.bytes);
}

TEST_CASE("report.md explains the marks that it uses, and no others") {
  const std::string md = bytes("md", "report.md", fixture::full_run());
  CHECK_THAT(md, ContainsSubstring("\n\\*: a seed did not pass its gate and is left out.\n"));
  CHECK_THAT(md, ContainsSubstring("\n!: some probes have no score: shares are given with all of them wrong"));
  auto whole = fixture::full_run();
  std::erase_if(whole.manifest.settings, [](const SettingInfo& s) { return s.variant == "alibi"; });
  std::erase_if(whole.records, [](const Record& r) { return r.setting.starts_with("alibi"); });
  CHECK(bytes("md", "report.md", whole).find("a seed did not pass") == std::string::npos);
}

/// Numbers to six digits: the last ones may differ between mathematics libraries.
std::string rounded(const std::string& csv) {
  std::string out, field;
  for (const char c : csv) {
    if (c != ',' && c != '\r') {
      field += c;
      continue;
    }
    const auto number = parse_number(field);
    if (number && field.size() > 8) {
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%.6g", std::abs(*number) < 1e-12 ? 0.0 : *number);
      field = text.data();
    }
    out += field + c;
    field.clear();
  }
  return out + field;
}

TEST_CASE("approved: tables as csv") {
  const auto run = fixture::full_run();
  fixture::check_approved("comparisons.csv", rounded(bytes("csv", "tables/comparisons.csv", run)));
  fixture::check_approved("effective_length.csv", rounded(bytes("csv", "tables/effective_length.csv", run)));
  const std::string cells = rounded(bytes("csv", "tables/cells.csv", run));
  size_t end = 0;
  for (int line = 0; line < 12; ++line) end = cells.find('\n', end) + 1;
  fixture::check_approved("cells_head.csv", cells.substr(0, end));
  for (const auto& file : files("csv", run))
    if (file.path.starts_with("tables/report-")) fixture::check_approved(file.path, file.bytes);
}

TEST_CASE("every format takes every run, twice to the same bytes") {
  for (const auto& [name, run] : edge_runs())
    for (const auto& format : fixture::own_format_names()) {
      INFO(name << " as " << format);
      const auto first = files(format, run), second = files(format, run);
      REQUIRE(first.size() == second.size());
      for (size_t i = 0; i < first.size(); ++i) {
        CHECK(first[i].path == second[i].path);
        CHECK(first[i].bytes == second[i].bytes);
      }
    }
}

TEST_CASE("no format prints nan, inf or -1 for what was not measured") {
  for (const auto& [name, run] : edge_runs())
    for (const auto& format : fixture::own_format_names())
      for (const auto& file : files(format, run)) {
        INFO(name << " " << file.path);
        for (const char* word :
             {"nan,", ",nan", ">nan", "\"nan", " nan ", "inf,", ",inf", ">inf", " inf ", ":-1,", ">-1<"})
          CHECK(file.bytes.find(word) == std::string::npos);
      }
}

TEST_CASE("report.html is one well-formed page that loads nothing") {
  for (const auto& [name, run] : edge_runs()) {
    const std::string html = bytes("html", "report.html", run);
    INFO(name);
    CHECK(fixture::markup_fault(html) == "");
    CHECK(html.find("<script") == html.npos);
    CHECK(html.find("src=") == html.npos);
    CHECK(html.find("@import") == html.npos);
    CHECK(html.find("url(") == html.npos);
    CHECK_THAT(html, ContainsSubstring("prefers-color-scheme:dark"));
    CHECK_THAT(html, ContainsSubstring("@media print"));
    CHECK_THAT(html, ContainsSubstring("name=\"viewport\""));
  }
}

TEST_CASE("report.html has its sections, and each link of the navigation leads to one") {
  const std::string html = bytes("html", "report.html", fixture::full_run());
  for (const char* id : {"verdict", "length", "distance", "depth", "order", "nll", "short", "effective", "training",
                         "cards", "reproduce"}) {
    CHECK_THAT(html, ContainsSubstring("<section id=\"" + std::string(id) + "\">"));
    CHECK_THAT(html, ContainsSubstring("href=\"#" + std::string(id) + "\""));
  }
  CHECK_THAT(html, ContainsSubstring("aria-label="));
  CHECK_THAT(html, ContainsSubstring("<title>rope at 64: 0.46 ["));  // what a mark says when pointed at
  CHECK_THAT(html, ContainsSubstring("trained to 32"));
  CHECK_THAT(html, ContainsSubstring("n/a: no position"));
}

TEST_CASE("names that look like markup are text in every format") {
  auto run = fixture::full_run();
  const std::string evil = "<img src=x onerror=alert(1)> & \"quoted\" 'it' | `a` _b_";
  run.manifest.name = evil;
  run.manifest.command = "run \"</pre><b>\"";
  run.manifest.suites[0].summary = evil;
  for (auto& s : run.manifest.settings)
    if (s.variant == "alibi") s.position_yaml = "scheme: </pre><script>alert(1)</script>\n";
  const std::string html = bytes("html", "report.html", run);
  CHECK(fixture::markup_fault(html) == "");
  CHECK(html.find("<img") == html.npos);
  CHECK(html.find("<script") == html.npos);
  const std::string md = bytes("md", "report.md", run);
  const std::string tex = bytes("tex", "report.tex", run);
  CHECK_THAT(tex,
             ContainsSubstring("\\section*{$<$img src=x onerror=alert(1)$>$ \\& \"quoted\" 'it' $|$ `a` \\_b\\_}"));
  CHECK(md.starts_with("# \\<img src=x onerror=alert(1)\\> \\& \"quoted\" 'it' \\| \\`a\\` \\_b\\_\n"));
}

TEST_CASE("position cards show what was measured and what disagrees") {
  auto run = fixture::full_run();
  PositionCard& card = *run.manifest.settings[0].card;
  card.cache_valid = CardProperty{true, false, 0.25, {}};
  card.shift_invariant.measured.reset();
  card.facts = {{"attention_factor", "", {1.25}}, {"inv_freq", "", {1, 0.5}}};
  const std::string html = bytes("html", "report.html", run);
  CHECK_THAT(html, ContainsSubstring("disagrees: measured no, residual 0.25"));
  CHECK_THAT(html, ContainsSubstring("a declared property disagrees"));
  CHECK_THAT(html, ContainsSubstring("not measured"));
  CHECK_THAT(html, ContainsSubstring("<dt>attention factor</dt><dd>1.25</dd>"));
  CHECK_THAT(html, ContainsSubstring("<dt>inv freq</dt><dd>1, 0.5</dd>"));
}

TEST_CASE("checks of the trained model say what holds and what does not, in the same words") {
  auto run = fixture::full_run();
  for (size_t i = 0; i < 3; ++i)
    run.manifest.settings[i].checks = {
        {"permutation residual", "outputs against permuted inputs", i == 1 ? 0.5 : 2e-7, 1e-5}};
  const std::string html = bytes("html", "report.html", run);
  CHECK_THAT(html, ContainsSubstring("<td>0.5</td><td>1e-05</td><td class=\"text warn\">does not hold</td>"));
  CHECK_THAT(html, ContainsSubstring("<td>2e-07</td><td>1e-05</td><td class=\"text better\">holds</td>"));
  CHECK_THAT(bytes("md", "report.md", run),
             ContainsSubstring("| rope/s1 | permutation residual | 0.5 | 1e-05 | does not hold |"));
  CHECK_THAT(bytes("tex", "report.tex", run),
             ContainsSubstring("rope/s1 & permutation residual & 0.5 & 1e-05 & does not hold &"));
}

TEST_CASE("figures are svg files with unique names and the style they need") {
  const auto found = files("svg", fixture::full_run());
  CHECK(found.size() > 10);
  std::set<std::string> names;
  for (const auto& file : found) {
    INFO(file.path);
    CHECK(names.insert(file.path).second);
    CHECK(fixture::markup_fault(file.bytes) == "");
    CHECK(file.bytes.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK_THAT(file.bytes, ContainsSubstring("<style>"));
    CHECK(file.bytes.find("NaN") == std::string::npos);
  }
  CHECK(names.contains("figures/needle-accuracy-by-length-position-schemes.svg"));
}

TEST_CASE("figures hold at most twelve lines") {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 64})};
  for (int i = 0; i < 30; ++i) {
    run.manifest.settings.push_back(fixture::setting("scheme" + std::to_string(i), 0, {"needle"}));
    for (const int64_t length : {16, 64})
      fixture::add_probes(run.records, run.manifest.settings.back(), "needle", length, 6, 3);
  }
  int lines = 0;
  for (const auto& file : files("svg", run)) {
    if (file.path.find("by-length") == std::string::npos) continue;
    int here = 0;
    for (size_t i = 0; (i = file.bytes.find("class=\"ln\"", i)) != std::string::npos; ++i) ++here;
    CHECK(here <= 12);
    lines += here;
  }
  CHECK(lines == 30);
}

TEST_CASE("csv quotes what needs it") {
  auto run = fixture::full_run();
  run.records[0].answer = "a,\"b\"\n";
  CHECK_THAT(bytes("csv", "tables/probes.csv", run), ContainsSubstring("\"a,\"\"b\"\"\n\""));
}

TEST_CASE("write_reports writes the chosen formats, and refuses an unknown one before it writes") {
  const fs::path folder = fs::temp_directory_path() / "lengthwise-reports-test";
  fs::remove_all(folder);
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  CHECK_THROWS_WITH(write_reports(folder, s, run.records, {"md", "htm"}), ContainsSubstring("did you mean 'html'?"));
  CHECK_FALSE(fs::exists(folder));
  write_reports(folder, s, run.records, fixture::own_format_names());
  for (const char* name : {"report.md", "report.html", "report.tex", "summary.json", "tables/cells.csv",
                           "tables/report-effective-length.csv", "tables/probes.csv", "junit.xml", "lm-eval/rope.json"})
    CHECK(fs::exists(folder / name));
  CHECK(read_file(folder / "summary.json") == summary_json(s));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace lw
