// Formats that are written where they are named: test results for CI, and lm-evaluation-harness's layout.
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/numbers.h"
#include "reports/registry.h"
#include "tests/catch.h"
#include "tests/reports/approval.h"
#include "tests/reports/lookup.h"
#include "tests/reports/markup.h"
#include "tests/reports/own_formats.h"
#include "tests/reports/run_fixture.h"

namespace lw::named_formats_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using OrderedJson = nlohmann::ordered_json;

std::string file_of(const std::string& format, const std::string& path, const fixture::Run& run) {
  for (const auto& file : fixture::files_of(format, summarise(run.manifest, run.records), run.records))
    if (file.path == path) return file.bytes;
  return "";
}

std::string junit_of(const fixture::Run& run) { return file_of("junit", "junit.xml", run); }

OrderedJson lm_eval_of(const std::string& variant, const fixture::Run& run) {
  return OrderedJson::parse(file_of("lm-eval", "lm-eval/" + variant + ".json", run));
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

/// The number in the first NAME="…" behind `from`.
int attribute(const std::string& xml, size_t from, const std::string& name) {
  const size_t at = xml.find(" " + name + "=\"", from);
  return at == std::string::npos ? -1 : std::stoi(xml.substr(at + name.size() + 3));
}

/// Numbers to six digits: the last ones may differ between mathematics libraries.
void round_numbers(OrderedJson& json) {
  if (json.is_number_float()) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", json.get<double>());
    json = *parse_number(text.data());
  }
  if (json.is_structured())
    for (auto& item : json) round_numbers(item);
}

/// The full run with a property that disagrees, and one that nobody measured.
fixture::Run with_faulty_card() {
  auto run = fixture::full_run();
  for (auto& s : run.manifest.settings) {
    if (s.variant == "alibi") s.card->cache_valid = CardProperty{true, false, 0.25, {}};
    if (s.variant == "alibi") s.card->input_touched.measured.reset();
    if (s.variant == "learned") s.card.reset();
  }
  return run;
}

}  // namespace

TEST_CASE("approved: junit.xml", "[reports]") { fixture::check_approved("junit.xml", junit_of(with_faulty_card())); }

TEST_CASE("junit.xml counts what it holds, suite by suite", "[reports]") {
  const std::string xml = junit_of(with_faulty_card());
  CHECK(fixture::markup_fault(xml.substr(xml.find('\n'))) == "");
  int tests = 0, failures = 0, suites = 0;
  for (size_t at = 0; (at = xml.find("<testsuite ", at)) != std::string::npos; ++at) {
    const std::string suite = xml.substr(at, xml.find("</testsuite>", at) - at);
    CHECK(attribute(suite, 0, "tests") == count(suite, "<testcase "));
    CHECK(attribute(suite, 0, "failures") == count(suite, "<failure "));
    CHECK(attribute(suite, 0, "skipped") == count(suite, "<skipped "));
    CHECK(attribute(suite, 0, "errors") == 0);
    tests += count(suite, "<testcase ");
    failures += count(suite, "<failure ");
    ++suites;
  }
  CHECK(suites == 2 + 4);  // verdict, protocol, and each variant
  CHECK(attribute(xml, 0, "tests") == tests);
  CHECK(attribute(xml, 0, "failures") == failures);
  CHECK(xml.find(" time=") == std::string::npos);
}

TEST_CASE("junit.xml has the answers of the report in the report's words", "[reports]") {
  const auto run = with_faulty_card();
  const Summary s = summarise(run.manifest, run.records);
  const std::string xml = junit_of(run);
  for (const auto& item : s.protocol) {
    const size_t at = xml.find("name=\"" + item.text + "\">");
    INFO(item.text);
    REQUIRE(at != std::string::npos);
    const std::string rest = xml.substr(at + item.text.size() + 8, 10);
    const bool yes = item.state == ProtocolItem::State::kYes, no = item.state == ProtocolItem::State::kNo;
    CHECK(rest.starts_with(yes ? "<system-ou" : no ? "<failure t" : "<skipped t"));
  }
  CHECK(count(xml, "<testcase classname=\"verdict\"") == int(s.verdict.size()));
  CHECK_THAT(xml,
             ContainsSubstring("name=\"cache valid\"><failure type=\"disagrees\" message=\"declared yes (disagrees: "
                               "measured no, residual 0.25)\"/>"));
  CHECK_THAT(xml, ContainsSubstring("name=\"input touched\"><skipped type=\"not_measured\" message=\"declared no (not "
                                    "measured)\"/>"));
  CHECK_THAT(xml, ContainsSubstring("No position card in this run."));
}

TEST_CASE("junit.xml takes nothing in a name for markup", "[reports]") {
  auto run = fixture::full_run();
  run.manifest.name = "<a b=\"c\"> & 'd' ]]>\x01";
  for (auto& s : run.manifest.settings) s.scheme = "</testsuite>\"";
  const std::string xml = junit_of(run);
  CHECK(fixture::markup_fault(xml.substr(xml.find('\n'))) == "");
  CHECK_THAT(xml, ContainsSubstring("<testsuites name=\"&lt;a b=&quot;c&quot;&gt; &amp; &#39;d&#39; ]]&gt;\\x01\""));
  CHECK(count(xml, "</testsuite>") == 2 + 4);
}

TEST_CASE("approved: scores for lm-evaluation-harness", "[reports]") {
  OrderedJson json = lm_eval_of("alibi", fixture::full_run());
  round_numbers(json);
  fixture::check_approved("lm-eval/alibi.json", json.dump(2) + "\n");
}

TEST_CASE("lm-eval files hold the report's means, and half an interval over 1.96", "[reports]") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const OrderedJson json = lm_eval_of("rope", run);
  const auto number = [&](const char* task, const char* key) { return json["results"][task][key].get<double>(); };
  for (const int64_t length : {16, 32, 64}) {
    const std::string at = std::to_string(length);
    const Pooled* p = fixture::find_pooled(s, "rope", "needle", "accuracy", length);
    CHECK(number(("lengthwise_needle_" + at).c_str(), "acc,none") == *p->value);
    CHECK(number(("lengthwise_needle_" + at).c_str(), "acc_stderr,none") ==
          Approx((*p->high - *p->low) / 2 / 1.959964).epsilon(1e-6));
    const Pooled* loss = fixture::find_pooled(s, "rope", "chain", "excess_nll", length);
    CHECK(number(("lengthwise_chain_" + at).c_str(), "excess_nll,none") == *loss->value);
  }
  CHECK(json["higher_is_better"]["lengthwise_needle_64"]["acc"] == true);
  CHECK(json["higher_is_better"]["lengthwise_chain_64"]["excess_nll"] == false);
  CHECK(json["n-samples"]["lengthwise_needle_64"]["original"] == 72);
  CHECK(json["n-samples"]["lengthwise_needle_64"]["effective"] == 72);
}

TEST_CASE("every section of an lm-eval file has every task", "[reports]") {
  const OrderedJson json = lm_eval_of("rope-linear-4", fixture::full_run());
  CHECK(json["results"].size() == 9);
  for (const char* section : {"group_subtasks", "configs", "versions", "n-shot", "higher_is_better", "n-samples"})
    for (const auto& [task, value] : json["results"].items()) {
      INFO(section << " " << task);
      CHECK(json[section].size() == 9);
      CHECK(json[section].contains(task));
    }
}

TEST_CASE("no number stands for a probe without a score in an lm-eval file", "[reports]") {
  const OrderedJson learned = lm_eval_of("learned", fixture::full_run());  // has no position past 32
  CHECK(learned["results"]["lengthwise_needle_64"] == OrderedJson{{"alias", "needle 64"}});
  CHECK(learned["configs"]["lengthwise_needle_64"]["metadata"]["missing"]["acc"] ==
        "no position: no vector for position 32 (table holds 32)");
  CHECK(learned["n-samples"]["lengthwise_needle_64"]["effective"] == 0);
  const OrderedJson alibi = lm_eval_of("alibi", fixture::full_run());  // one probe failed
  CHECK_FALSE(alibi["results"]["lengthwise_needle_64"].contains("acc,none"));
  CHECK_THAT(alibi["configs"]["lengthwise_needle_64"]["metadata"]["missing"]["acc"].get<std::string>(),
             ContainsSubstring("probes without a score: seed 0: 1 failed: logits not finite"));
}

TEST_CASE("variants whose names differ in signs only have a file each", "[reports]") {
  auto run = fixture::full_run();
  for (auto& s : run.manifest.settings)
    if (s.variant == "rope-linear-4") s.variant = "rope!";
  std::set<std::string> paths;
  for (const auto& file : fixture::files_of("lm-eval", summarise(run.manifest, run.records), run.records))
    paths.insert(file.path);
  CHECK(paths == std::set<std::string>{"lm-eval/rope.json", "lm-eval/alibi.json", "lm-eval/learned.json",
                                       "lm-eval/rope-2.json"});
}

TEST_CASE("what is written by default needs no other program, and has not changed", "[reports]") {
  CHECK(default_format_names() == std::vector<std::string>{"md", "html", "csv", "tex", "json", "svg"});
  for (const auto& format : report_formats())
    if (format.by_default) CHECK(format.require == nullptr);
}

}  // namespace lw::named_formats_test
