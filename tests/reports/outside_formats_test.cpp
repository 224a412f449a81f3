// Formats that need a program of the system: what they write, and what is said without it. Where it is not installed,
// stand-ins of a few lines take its place.
#include <cstdlib>
#include <filesystem>
#include <set>

#include "harness/base/files.h"
#include "harness/base/subprocess.h"
#include "tests/catch.h"
#include "tests/reports/lookup.h"
#include "tests/reports/own_formats.h"
#include "tests/reports/run_fixture.h"
#include "tests/support.h"

namespace lw::outside_formats_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

/// A PATH with nothing in it but scripts of this test; put back afterwards.
class OnlyPrograms {
 public:
  OnlyPrograms() : before_(std::getenv("PATH")) { ::setenv("PATH", folder_.path().c_str(), 1); }
  ~OnlyPrograms() { ::setenv("PATH", before_.c_str(), 1); }

  void add(const std::string& name, const std::string& script) const {
    write_file(folder_ / name, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script);
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

 private:
  test::TempFolder folder_;
  std::string before_;
};

/// A run of one length and one seed: few figures.
fixture::Small small_run() {
  fixture::Small run({16});
  fixture::add_probes(run.records, run.setting, "needle", 16, 4, 4);
  return run;
}

std::vector<ReportFile> made(const std::string& format) {
  const fixture::Small run = small_run();
  return fixture::files_of(format, run.summary(), run.records);
}

std::string fault_of(const std::string& format) {
  return test::error_of([&] { (void)made(format); });
}

bool found_any(const std::vector<std::string>& names) {
  for (const auto& name : names)
    if (find_program(name)) return true;
  WARN("none of these is installed, so nothing is drawn with it: " << names.front());
  return false;
}

const std::vector<std::string> kPrinters = {"weasyprint", "chromium", "chromium-browser", "google-chrome"};

}  // namespace

TEST_CASE("a format whose program is absent is refused in one line, before anything is written", "[reports]") {
  const OnlyPrograms none;
  const std::string png = "format png: found no rsvg-convert in PATH; install it: its package is librsvg2-bin";
  const std::string pdf =
      "format pdf: found no weasyprint, no chromium, no chromium-browser, no google-chrome in PATH; install one of "
      "them: packages weasyprint and chromium";
  CHECK(test::error_of([] { require_formats({"md", "png"}); }) == png);
  CHECK(test::error_of([] { require_formats({"pdf"}); }) == pdf);
  CHECK(test::error_kind_of([] { require_formats({"pdf"}); }) == ErrorKind::kUsage);
  CHECK_NOTHROW(require_formats(fixture::own_format_names()));
  const test::TempFolder folder;
  const fixture::Small run = small_run();
  CHECK(test::error_of([&] { write_reports(folder.path(), run.summary(), run.records, {"md", "png"}); }) == png);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("figures/*.png are the figures of figures/*.svg", "[reports]") {
  const OnlyPrograms programs;
  programs.add("rsvg-convert", "printf 'bitmap of '; cat\n");
  const auto svg = made("svg"), png = made("png");
  REQUIRE(png.size() == svg.size());
  REQUIRE_FALSE(svg.empty());
  for (size_t i = 0; i < svg.size(); ++i) {
    CHECK(png[i].path == svg[i].path.substr(0, svg[i].path.size() - 3) + "png");
    CHECK(png[i].bytes == "bitmap of " + svg[i].bytes);
  }
}

TEST_CASE("a program that fails is an error in one line", "[reports]") {
  const OnlyPrograms programs;
  programs.add("rsvg-convert", "echo 'no such font' >&2\nexit 1\n");
  programs.add("weasyprint", "exit 0\n");
  CHECK(fault_of("png") == "rsvg-convert: failed with status 1: no such font");
  CHECK_THAT(fault_of("pdf"), ContainsSubstring("/weasyprint: wrote no PDF, and does not say why"));
}

TEST_CASE("report.pdf has one date, whenever it was made", "[reports]") {
  const OnlyPrograms programs;
  programs.add(
      "google-chrome",
      "for word; do case $word in --print-to-pdf=*) out=${word#*=} ;; file://*) in=${word#file://} ;; esac; done\n"
      "grep -q '<!doctype html>' \"$in\" || exit 1\n"
      "printf '%%PDF-1.4\\n<</CreationDate (D:%s+00)\\n/ModDate (D:%s+00)>>\\n' $(date +%Y%m%d%H%M%S) "
      "20261231235959 >\"$out\"\n");
  const auto files = made("pdf");
  REQUIRE(files.size() == 1);
  CHECK(files[0].path == "report.pdf");
  CHECK(files[0].bytes == "%PDF-1.4\n<</CreationDate (D:20000101000000+00)\n/ModDate (D:20000101000000+00)>>\n");
}

TEST_CASE("rsvg-convert draws every figure, twice to the same bytes", "[reports]") {
  if (!found_any({"rsvg-convert"})) return;
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const auto first = fixture::files_of("png", s, run.records), second = fixture::files_of("png", s, run.records);
  REQUIRE(first.size() == fixture::files_of("svg", s, run.records).size());
  for (size_t i = 0; i < first.size(); ++i) {
    INFO(first[i].path);
    CHECK(first[i].bytes.starts_with("\x89PNG\r\n"));
    CHECK(first[i].bytes == second[i].bytes);
  }
}

TEST_CASE("report.pdf is printed, twice to the same bytes", "[reports][slow]") {
  if (!found_any(kPrinters)) return;
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const auto first = fixture::files_of("pdf", s, run.records), second = fixture::files_of("pdf", s, run.records);
  REQUIRE(first.size() == 1);
  CHECK(first[0].bytes.starts_with("%PDF-"));
  CHECK(first[0].bytes.size() > 20000);
  CHECK(first[0].bytes == second[0].bytes);
}

}  // namespace lw::outside_formats_test
