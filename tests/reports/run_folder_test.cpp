// What a report leaves in its folder, and what it says about the trainings behind it.
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
  write_file(folder / "figures/of-another-suite.svg", "<svg/>");
  write_file(folder / "figures/notes.txt", "the user's own");
  write_file(folder / "tables/of-another-suite.csv", "a,b\n");
  write_file(folder / "of-the-folder-itself.csv", "a,b\n");
  write_reports(folder.path(), summary, run.records, {"svg", "csv"});
  CHECK_FALSE(std::filesystem::exists(folder / "figures/of-another-suite.svg"));
  CHECK_FALSE(std::filesystem::exists(folder / "tables/of-another-suite.csv"));
  CHECK(std::filesystem::exists(folder / "figures/notes.txt"));
  CHECK(std::filesystem::exists(folder / "of-the-folder-itself.csv"));
  CHECK_FALSE(std::filesystem::is_empty(folder / "figures"));
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
