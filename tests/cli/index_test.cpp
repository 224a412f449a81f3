// lengthwise index: the list of runs, its page and its exit codes; and the formats that are written where they are
// named.
#include "tests/cli/support.h"
#include "tests/reports/markup.h"

namespace lw::cli_test {

TEST_CASE("index lists runs in the terminal and as a page", "[cli]") {
  const Workspace w(kOne);
  w.good("run config.yaml --out runs/first");
  w.good("run config.yaml --out runs/second --set name=other --set report.formats=[md]");
  write_file(w / "runs/torn/summary.json", "{\n");
  const Result r = w.good("index runs");
  CHECK(r.err.empty());
  for (const char* part : {"runs: 2 runs, 1 folder that could not be read", "first", "second", "other", "torn",
                           "summary.json", "index: runs/index.html"})
    CHECK(has(r.out, part));
  const std::string html = read_file(w / "runs/index.html");
  CHECK(fixture::markup_fault(html) == "");
  CHECK(has(html, "<a href=\"./first/report.html\">first</a>"));
  CHECK_FALSE(has(html, "./second/"));  // it has no page
  const std::string again = w.good("index runs").out;
  CHECK(again == r.out);
  CHECK(read_file(w / "runs/index.html") == html);
}

TEST_CASE("index --json prints the same list and writes no page", "[cli]") {
  const Workspace& w = finished();
  fs::create_directories(w / "indexed");  // other cases leave runs beside this one
  fs::copy(w / "run", w / "indexed/run", fs::copy_options::recursive);
  const Json json = Json::parse(w.good("index indexed --json").out);
  REQUIRE(json["runs"].size() == 1);
  const Json run = json["runs"][0], summary = Json::parse(read_file(w / "run/summary.json"));
  CHECK(run["folder"] == "run");
  CHECK(run["name"] == "tiny");
  CHECK(run["config_sha256"] == summary["config_sha256"]);
  CHECK(run["variants"] == 3);
  CHECK(run["seeds"] == 2);
  CHECK(run["verdict"] == summary["verdict"]);
  CHECK(run["report"] == "report.html");
  CHECK_FALSE(fs::exists(w / "indexed/index.html"));
  fs::remove_all(w / "indexed");
}

TEST_CASE("index refuses a folder without a run that it can read, and keeps a page of the user's own", "[cli]") {
  const Workspace w(kOne);
  check_refused(w, "index", "dir: found nothing");
  check_refused(w, "index nowhere", "dir: found 'nowhere', which is no folder");
  fs::create_directories(w / "empty");
  check_refused(w, "index empty", "dir: found 'empty' without a run");
  write_file(w / "torn/run/summary.json", "{\n");
  const Result torn = w("index torn");
  CHECK(torn.code == 2);
  CHECK(has(torn.out, "summary.json"));
  CHECK(torn.err == "error: torn: 1 run folder, and none could be read\n");
  write_file(w / "torn/index.html", "<h1>mine</h1>\n");
  check_refused(w, "index torn", "torn/index.html: found a page that this command did not write");
  CHECK(read_file(w / "torn/index.html") == "<h1>mine</h1>\n");
}

TEST_CASE("formats that are named are written beside the others, and removed with their variants", "[cli]") {
  const Workspace& w = finished();
  fs::copy(w / "run", w / "named", fs::copy_options::recursive);
  CHECK_FALSE(fs::exists(w / "named/junit.xml"));  // not by default
  w.good("report named --format junit,lm-eval");
  for (const char* file : {"junit.xml", "lm-eval/learned.json", "lm-eval/rope-linear.json", "report.md"})
    CHECK(fs::exists(w / "named" / file));
  w.good("report named --check --format junit,lm-eval");
  w.good("report named --check");
  fs::remove_all(w / "named");
}

TEST_CASE("a format whose program is absent ends a run before it trains", "[cli]") {
  const Workspace w(kOne);
  const std::string absent = "format png: found no rsvg-convert in PATH";
  const Result r = w("run config.yaml --out run --set report.formats=[png]", "PATH=/nowhere");
  CHECK(r.code == 2);
  CHECK(has(r.err, absent));
  CHECK_FALSE(fs::exists(w / "run"));
  CHECK_FALSE(fs::exists(w / "cache"));
}

}  // namespace lw::cli_test
