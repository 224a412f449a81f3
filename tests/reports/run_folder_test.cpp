// What a report leaves in its folder, and what it says about the trainings behind it.
#include <set>

#include "harness/base/files.h"
#include "reports/registry.h"
#include "reports/words.h"
#include "tests/catch.h"
#include "tests/reports/run_fixture.h"
#include "tests/support.h"

namespace lw::reports_test {

TEST_CASE("figures and tables of an earlier run do not stay beside those of this one", "[reports]") {
  const test::TempFolder folder;
  const auto run = fixture::full_run();
  const Summary summary = summarise(run.manifest, run.records);
  const std::vector<std::string> formats = {"svg", "csv", "md"};
  write_reports(folder.path(), summary, run.records, formats);
  const auto files_in = [&] {
    std::set<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      if (entry.is_regular_file()) out.insert(std::filesystem::relative(entry.path(), folder.path()).string());
    return out;
  };
  const auto before = files_in();

  auto fewer = run;  // a suite less: its figures and tables go
  fewer.manifest.suites.erase(fewer.manifest.suites.begin());
  std::erase_if(fewer.records, [&](const Record& r) { return r.suite == run.manifest.suites.front().name; });
  const test::TempFolder fresh;
  write_reports(fresh.path(), summarise(fewer.manifest, fewer.records), fewer.records, formats);
  const std::set<std::string> mine = {"figures/mine.svg", "tables/mine.csv", "figures/notes.txt", "other.csv"};
  for (const auto& name : mine) write_file(folder / name, "the user's own");
  std::string changed;  // a file of the report that the user has made their own
  for (const auto& name : before)
    if (name.rfind("figures/", 0) == 0 && !std::filesystem::exists(fresh / name)) changed = name;
  REQUIRE_FALSE(changed.empty());
  write_file(folder / changed, "edited");
  write_reports(folder.path(), summarise(fewer.manifest, fewer.records), fewer.records, formats);
  std::set<std::string> expected = mine;
  expected.insert(changed);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(fresh.path()))
    if (entry.is_regular_file()) expected.insert(std::filesystem::relative(entry.path(), fresh.path()).string());
  CHECK(files_in() == expected);
  CHECK(before.size() > expected.size() - mine.size());
  CHECK(read_file(folder / "files.sha256") == read_file(fresh / "files.sha256"));
}

TEST_CASE("the lengths drawn in training are said for every suite", "[reports]") {
  auto run = fixture::full_run();
  for (auto& s : run.manifest.settings)
    for (auto& t : s.trainings) t.shortest.assign(t.suites.size(), 8);
  run.manifest.settings.front().trainings.front().shortest.front() = 19;
  const Summary summary = summarise(run.manifest, run.records);
  const std::string words = training_lengths_words(summary);
  const std::string first = run.manifest.settings.front().trainings.front().suites.front();
  CHECK(words.find(first + " 19 to 32 tokens") != std::string::npos);
  CHECK(words.find(first + " 8 to 32 tokens") != std::string::npos);
  for (const char* format : {"md", "html"}) {
    const auto files = report_formats();
    const auto info = std::find_if(files.begin(), files.end(), [&](const FormatInfo& f) { return f.name == format; });
    CHECK(info->make(summary, run.records).front().bytes.find("Lengths drawn in training: ") != std::string::npos);
  }
}

TEST_CASE("a variant with a gate of its own says so beside the others", "[reports]") {
  auto run = fixture::full_run();
  for (auto& s : run.manifest.settings)
    if (s.variant == "alibi")
      for (auto& t : s.trainings)
        for (auto& g : t.gates) g.bar = 0.25;
  const auto all = report_formats();
  const auto html = std::find_if(all.begin(), all.end(), [](const FormatInfo& f) { return f.name == "html"; });
  const auto page = html->make(summarise(run.manifest, run.records), run.records).front().bytes;
  CHECK(page.find("(bar 0.25)") != std::string::npos);
  const auto plain = fixture::full_run();
  CHECK(html->make(summarise(plain.manifest, plain.records), plain.records).front().bytes.find("(bar ") ==
        std::string::npos);
}

}  // namespace lw::reports_test
