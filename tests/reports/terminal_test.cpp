// The tables that a run prints.
#include "reports/terminal.h"

#include "reports/summary.h"
#include "reports/text_table.h"
#include "tests/catch.h"
#include "tests/reports/approval.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("approved: terminal tables") {
  const auto run = fixture::full_run();
  fixture::check_approved("terminal.txt", terminal_tables(summarise(run.manifest, run.records), false));
}

TEST_CASE("terminal tables fit 100 columns, with many variants and lengths too") {
  auto run = fixture::full_run();
  for (const auto& s : {summarise(run.manifest, run.records)}) {
    const std::string plain = terminal_tables(s, false);
    CHECK(plain.find('\x1b') == plain.npos);
    CHECK(terminal_tables(s, true).find('\x1b') != std::string::npos);
  }
  fixture::Run wide;
  std::vector<int64_t> lengths;
  for (int64_t i = 4; i < 18; ++i) lengths.push_back(int64_t{1} << i);
  wide.manifest.name = "wide";
  wide.manifest.suites = {fixture::needle(lengths)};
  wide.manifest.settings = {fixture::setting("a_scheme_with_a_rather_long_name", 0, {"needle"})};
  for (const int64_t length : lengths)
    fixture::add_probes(wide.records, wide.manifest.settings[0], "needle", length, 5, 4);
  for (const auto& one : {run, wide}) {
    const std::string text = terminal_tables(summarise(one.manifest, one.records), false);
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      INFO(line);
      CHECK(text_width(line) <= 100);
      begin = end + 1;
    }
  }
}

TEST_CASE("terminal tables say what has no score, where training ends and which seeds failed") {
  const auto run = fixture::full_run();
  const std::string text = terminal_tables(summarise(run.manifest, run.records), false);
  CHECK_THAT(text, ContainsSubstring("n/a: no position"));
  CHECK_THAT(text, ContainsSubstring("32 (trained)  |"));
  CHECK_THAT(text, ContainsSubstring("64 (2x)"));
  CHECK_THAT(text, ContainsSubstring("2/3*"));
  CHECK_THAT(text, ContainsSubstring("!: some probes have no score"));
}

}  // namespace
}  // namespace lw
