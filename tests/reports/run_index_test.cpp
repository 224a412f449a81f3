// A list of runs: what is found below a folder, what is said of each run, and of folders that cannot be read.
#include "reports/run_index.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "reports/registry.h"
#include "tests/catch.h"
#include "tests/reports/approval.h"
#include "tests/reports/lookup.h"
#include "tests/reports/markup.h"
#include "tests/reports/run_fixture.h"
#include "tests/support.h"

namespace lw::run_index_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

/// What a run leaves, as far as the list looks at it.
void write_run(const fs::path& folder, const fixture::Run& run, const std::vector<std::string>& formats) {
  write_reports(folder, summarise(run.manifest, run.records), run.records, formats);
  write_file(folder / "provenance.json", "{\"finished\": \"2026-01-31T12:34:56Z\"}\n");
}

fixture::Run named(fixture::Run run, const std::string& name) {
  run.manifest.name = name;
  run.manifest.config = std::string(64, name.back());
  return run;
}

/// Two runs with a page and without, one that did not finish, and one that is damaged.
struct Runs {
  test::TempFolder folder;

  Runs() {
    write_run(folder / "all", named(fixture::full_run(), "every scheme"), {"json", "html"});
    fixture::Small small({16});
    fixture::add_probes(small.records, small.setting, "needle", 16, 4, 4);
    write_run(folder / "deep/er/small #1", named({small.manifest, small.records}, "small"), {"json"});
    fs::remove(folder / "deep/er/small #1/provenance.json");
    write_file(folder / "half/config.yaml", "name: half\n");
    write_file(folder / "half/run.log", "started\n");
    write_file(folder / "torn/summary.json", read_file(folder / "all/summary.json").substr(0, 1000));
  }
  RunIndex index() const { return index_runs(folder.path()); }
};

std::vector<std::string> folders_of(const RunIndex& index) {
  std::vector<std::string> names;
  for (const auto& run : index.runs) names.push_back(run.folder);
  return names;
}

}  // namespace

TEST_CASE("approved: a list of runs for the terminal, as JSON and as a page", "[reports]") {
  const Runs runs;
  RunIndex index = runs.index();
  index.folder = "runs";
  fixture::check_approved("run_index.txt", run_index_terminal(index, false));
  fixture::check_approved("run_index.json", run_index_json(index));
  fixture::check_approved("run_index.html", run_index_html(index));
}

TEST_CASE("every run below a folder is found, in order, and what cannot be read says why", "[reports]") {
  const Runs runs;
  const RunIndex index = runs.index();
  CHECK(folders_of(index) == std::vector<std::string>{"all", "deep/er/small #1", "half", "torn"});
  CHECK(index.readable() == 2);
  const IndexedRun& all = index.runs[0];
  CHECK(all.name == "every scheme");
  CHECK(all.finished == "2026-01-31T12:34:56Z");
  CHECK(all.suites == std::vector<std::string>{"needle", "order", "chain"});
  CHECK(all.variants == 4);
  CHECK(all.seeds == 3);
  CHECK(all.page == "report.html");
  CHECK(index.runs[1].page.empty());
  CHECK(index.runs[1].finished.empty());
  CHECK(index.runs[2].fault == "summary.json: found no such file; the run did not finish");
  CHECK(index.runs[3].fault.starts_with("summary.json"));
  CHECK(folders_of(index_runs(runs.folder / "all")) == std::vector<std::string>{"."});
}

TEST_CASE("a list says of each suite what the summary says of its best variant", "[reports]") {
  const Runs runs;
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const RunIndex index = runs.index();
  const IndexedRun& all = index.runs[0];
  REQUIRE(all.verdict.size() == s.verdict.size());
  for (size_t i = 0; i < s.verdict.size(); ++i) {
    CHECK(all.verdict[i].headline == s.verdict[i].headline);
    CHECK(all.verdict[i].tone == s.verdict[i].tone);
  }
  REQUIRE(all.reach.size() == 2);  // the third suite has no answers
  for (const auto& reach : all.reach)
    for (const auto& e : s.effective_length)
      if (e.suite == reach.suite) CHECK(e.claimed.value_or(0) <= reach.claimed.value_or(0));
}

TEST_CASE("damaged summaries are named, whatever is wrong with them", "[reports]") {
  const Runs runs;
  const std::string good = read_file(runs.folder / "all/summary.json");
  const auto fault = [&](const std::string& bytes) {
    write_file(runs.folder / "torn/summary.json", bytes);
    return runs.index().runs[3].fault;
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string bytes = good;
    return bytes.replace(bytes.find(from), from.size(), to);
  };
  CHECK(fault(good).empty());
  CHECK_THAT(fault(""), ContainsSubstring("summary.json"));
  CHECK_THAT(fault("[]"), ContainsSubstring("found no object"));
  CHECK_THAT(fault(changed("\"schema\": 1", "\"schema\": 7")), ContainsSubstring("schema: found 7; allowed: 1"));
  CHECK_THAT(fault(changed("\"effective_length\"", "\"effective\"")),
             ContainsSubstring("effective_length: found nothing"));
  CHECK_THAT(fault(changed("\"tone\":\"", "\"tone\":\"x")), ContainsSubstring("verdict: tone: found 'x"));
  CHECK_THAT(fault(changed("\"verdict\": [", "\"verdict\": [7,")), ContainsSubstring("summary.json"));
}

TEST_CASE("links, hidden folders and what lies too deep are not searched", "[reports]") {
  const test::TempFolder folder, elsewhere;
  const auto run = named(fixture::Run{}, "empty");
  write_run(folder / "a/b/c/d/e/f", run, {"json"});
  write_run(folder / "a/b/c/d/e/f/g", run, {"json"});
  write_run(folder / ".hidden/run", run, {"json"});
  write_run(elsewhere / "run", run, {"json"});
  fs::create_directory_symlink(elsewhere.path(), folder / "link");
  fs::create_directory_symlink(folder.path(), folder / "a/circle");
  CHECK(folders_of(index_runs(folder.path())) == std::vector<std::string>{"a/b/c/d/e/f"});
}

TEST_CASE("a folder without runs is refused", "[reports]") {
  const test::TempFolder folder;
  write_file(folder / "a/results.jsonl", "");
  CHECK(test::error_of([&] { index_runs(folder.path()); }) ==
        "dir: found '" + folder.path().string() +
            "' without a run; allowed: a folder with run folders in it, which have a summary.json, at most 6 folders "
            "deep");
  CHECK(test::error_of([&] { index_runs(folder / "none"); }) ==
        "dir: found '" + (folder / "none").string() + "', which is no folder; allowed: a folder of runs");
  CHECK(test::error_kind_of([&] { index_runs(folder.path()); }) == ErrorKind::kUsage);
}

TEST_CASE("the page of a list links to each report, and takes no name for markup", "[reports]") {
  const test::TempFolder folder;
  auto run = named(fixture::full_run(), "<script>alert(1)</script> & \"x\"");
  write_run(folder / "50% \"of\" <b>?#", run, {"json", "html"});
  const std::string html = run_index_html(index_runs(folder.path()));
  CHECK(fixture::markup_fault(html) == "");
  CHECK(html.find("<script") == html.npos);
  CHECK(html.find("<b>?") == html.npos);
  CHECK_THAT(html, ContainsSubstring("<a href=\"./50%25%20%22of%22%20%3Cb%3E%3F%23/report.html\">50% &quot;of&quot;"));
}

TEST_CASE("a list of runs is JSON whatever a folder is called", "[reports]") {
  const test::TempFolder folder;
  write_run(folder / "bad \xFF\x1B name", named(fixture::Run{}, "empty"), {"json"});
  const auto json = nlohmann::json::parse(run_index_json(index_runs(folder.path())));
  CHECK(json["runs"][0]["name"] == "empty");
  CHECK(json["runs"][0]["report"].is_null());
  CHECK_THAT(run_index_terminal(index_runs(folder.path()), false), ContainsSubstring("bad \\xff\\x1b name"));
}

}  // namespace lw::run_index_test
