// Names with control characters, markup, formulas and letters of other scripts, in every format.
#include <set>

#include "reports/figures/figures.h"
#include "reports/registry.h"
#include "reports/terminal.h"
#include "reports/text_table.h"
#include "reports/writers/csv.h"
#include "reports/writers/latex.h"
#include "reports/writers/markdown.h"
#include "tests/catch.h"
#include "tests/reports/markup.h"
#include "tests/reports/own_formats.h"
#include "tests/reports/run_fixture.h"

namespace lw::hostile_names_test {
namespace {

/// The full run, with `name` in every place where a user may put one.
fixture::Run named(const std::string& name) {
  auto run = fixture::full_run();
  run.manifest.name = name;
  run.manifest.command = "lengthwise run " + name;
  for (auto& suite : run.manifest.suites) suite.summary = name;
  for (auto& s : run.manifest.settings) {
    if (s.variant != "alibi") continue;
    s.variant = name;
    s.model = name;
    const std::string id = name + "/s" + std::to_string(s.seed);
    for (auto& r : run.records)
      if (r.setting == s.id) r.setting = id, r.answer = name;
    s.id = id;
  }
  return run;
}

/// The first byte that a terminal would obey; npos where there is none.
size_t obeyed(const std::string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && text[i] != '\n') || byte == 0x7F || text.compare(i, 2, "\xE2\x80") == 0) {
      const bool separator = byte == 0xE2 && static_cast<unsigned char>(text[i + 2]) >= 0xA8 &&
                             static_cast<unsigned char>(text[i + 2]) <= 0xAE;
      if (byte < 0x80 || separator) return i;
    }
  }
  return std::string::npos;
}

}  // namespace

TEST_CASE("no format hands on what a terminal obeys") {
  const auto run = named(
      "a\x1B[31mb\x07\r\x7F\xE2\x80\xAE"
      "c");
  const Summary s = summarise(run.manifest, run.records);
  for (const auto& format : fixture::own_formats()) {
    if (format.name == "json") continue;  // it has escapes of its own
    for (const auto& file : format.make(s, run.records)) {
      INFO(file.path);
      CHECK(obeyed(file.bytes) == std::string::npos);
    }
  }
  const std::string plain = terminal_tables(s, false);
  CHECK(obeyed(plain) == std::string::npos);
  CHECK(plain.find("a\\x1b[31mb\\x07\\x0d\\x7f\\u202ec") != std::string::npos);
}

TEST_CASE("a terminal is coloured, and nothing else") {
  CHECK(terminal_text(painted("x", Paint::kBad, true) + "\ny", true) == "\x1b[31mx\x1b[0m\ny");
  CHECK(terminal_text("\x1b[31mx\ny", false) == "\\x1b[31mx\ny");
  CHECK(terminal_text("\x1b]0;title\x07 \x1b[2J \x1b[31", true) == "\\x1b]0;title\\x07 \\x1b[2J \\x1b[31");
  CHECK(terminal_text("a\rb\xFF", true) == "a\\x0db\\xff");
  CHECK(terminal_text("\x1b", true) == "\\x1b");
}

TEST_CASE("Markdown takes nothing in a name for markup") {
  CHECK(markdown_text("<script>alert(1)</script>") == "\\<script\\>alert(1)\\</script\\>");
  CHECK(markdown_text("a | b & c ~~d~~ `e`") == "a \\| b \\& c \\~\\~d\\~\\~ \\`e\\`");
  CHECK(markdown_text("&lt;b&gt;") == "\\&lt;b\\&gt;");
  CHECK(markdown_text("a\nb\x1B") == "a b\\\\x1b");
  const auto run = named("<script>x</script> & ~~y~~");
  auto trained = run;
  trained.manifest.command.clear();  // stands as code
  for (auto& setting : trained.manifest.settings)
    for (auto& t : setting.trainings) t.shortest.assign(t.suites.size(), 8), t.suites[0] = "<script>z</script>";
  const Summary s = summarise(trained.manifest, trained.records);
  for (const auto& format : fixture::own_formats()) {
    if (format.name != "md" && format.name != "html") continue;
    const std::string text = format.make(s, trained.records).front().bytes;
    CHECK(text.find("Lengths drawn in training: ") != std::string::npos);
    for (size_t at = text.find("<script"); at != std::string::npos; at = text.find("<script", at + 1))
      CHECK(text[at - 1] == '\\');  // in Markdown; in HTML there is none
  }
}

TEST_CASE("no cell of a CSV file begins a formula") {
  for (const char* text : {"=1+1", "+alibi", "-cmd|' /C calc'!A0", "@SUM(A1)", "\tx", "-", "--1", "=", "-1e999"}) {
    INFO(text);
    const std::string cell = csv_quoted(text);
    CHECK((cell[0] == '\'' || cell.rfind("\"'", 0) == 0));
  }
  CHECK(csv_quoted("=A1,\"x\"") == "\"'=A1,\"\"x\"\"\"");
  for (const char* number : {"-0.25", "+3", "-1e-05", "7", "+.28"}) CHECK(csv_quoted(number) == number);
  CHECK(csv_quoted("\rx") == "\\x0dx");
  CHECK(csv_quoted("plain name") == "plain name");
  const auto run = named("=HYPERLINK(1)");
  for (const auto& format : fixture::own_formats()) {
    if (format.name != "csv") continue;
    size_t cells = 0;
    for (const auto& file : format.make(summarise(run.manifest, run.records), run.records)) {
      INFO(file.path);
      CHECK(("\n" + file.bytes).find("\n=") == std::string::npos);
      CHECK(file.bytes.find(",=") == std::string::npos);
      CHECK(file.bytes.find("\"=") == std::string::npos);
      if (file.bytes.find("'=HYPERLINK(1)") != std::string::npos) ++cells;
    }
    CHECK(cells > 5);
  }
}

TEST_CASE("LaTeX and SVG show control characters as text") {
  CHECK(latex_text("a\x1B"
                   "b") == "a\\textbackslash{}x1bb");
  const auto run = named("\xC2\x9B \xE2\x80\xAE");
  for (const auto& format : fixture::own_formats())
    if (format.name == "html")
      CHECK(fixture::markup_fault(format.make(summarise(run.manifest, run.records), run.records).front().bytes) == "");
}

TEST_CASE("names of any script are part of file names") {
  CHECK(slug("rope linear x8") == "rope-linear-x8");
  CHECK(slug("order_swap") == "order-swap");
  CHECK(slug("needle-by-depth-로프 스케일") == "needle-by-depth-로프-스케일");
  CHECK(slug("é/ñ…日本「語」!") == "é-ñ-日本-語");
  CHECK(slug("../../etc") == "etc");
  CHECK(slug("\xFF\x1B\xE2\x80\xAE"
             "a") == "a");
  CHECK(slug("🙂") == "unnamed");
  CHECK(slug(std::string(1000, 'a')).size() == 160);
  const auto run = named("알리바이");
  std::set<std::string> paths;
  size_t found = 0;
  for (const auto& format : fixture::own_formats())
    for (const auto& file : format.make(summarise(run.manifest, run.records), run.records)) {
      CHECK(paths.insert(file.path).second);
      if (file.path.find("by-depth-알리바이.svg") != std::string::npos) ++found;
    }
  CHECK(found > 0);
}

}  // namespace lw::hostile_names_test
