// junit.xml: verdict, protocol and position cards as test results, for continuous integration. No times: the same run
// gives the same bytes.
#include <algorithm>

#include "harness/base/text.h"
#include "reports/figures/svg.h"
#include "reports/registry.h"
#include "reports/tables/card_tables.h"
#include "reports/words.h"

namespace lw {
namespace {

struct TestCase {
  enum class Outcome { kPassed, kFailed, kSkipped };
  std::string name;
  Outcome outcome = Outcome::kPassed;
  std::string type;   // "no", "too_few"
  std::string words;  // what the report says
};
using Outcome = TestCase::Outcome;

struct TestSuite {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<TestCase> cases;

  int64_t count(Outcome outcome) const {
    return std::count_if(cases.begin(), cases.end(), [&](const TestCase& c) { return c.outcome == outcome; });
  }
};

Outcome outcome_of(Claim::Tone tone) {
  switch (tone) {
    case Claim::Tone::kGood:
      return Outcome::kPassed;
    case Claim::Tone::kBad:
    case Claim::Tone::kPrice:
      return Outcome::kFailed;
    case Claim::Tone::kNote:
      break;
  }
  return Outcome::kSkipped;
}

Outcome outcome_of(ProtocolItem::State state) {
  switch (state) {
    case ProtocolItem::State::kYes:
      return Outcome::kPassed;
    case ProtocolItem::State::kNo:
      return Outcome::kFailed;
    case ProtocolItem::State::kInPart:  // a pass for some variants is no pass for the run, and no failure of all
    case ProtocolItem::State::kTooFew:
    case ProtocolItem::State::kNotAsked:
      break;
  }
  return Outcome::kSkipped;
}

TestSuite verdict_suite(const View& view) {
  const Summary& s = view.summary();
  TestSuite suite{"verdict", {{"run", run_words(view)}}, {}};
  if (!s.manifest.config.empty()) suite.properties.emplace_back("SHA-256 of config.yaml", s.manifest.config);
  for (const auto& claim : s.verdict)
    suite.cases.push_back({claim.headline, outcome_of(claim.tone), std::string(tone_name(claim.tone)),
                           claim.headline + " " + claim.text});
  return suite;
}

TestSuite protocol_suite(const Summary& s) {
  TestSuite suite{"protocol", {}, {}};
  for (const auto& item : s.protocol)
    suite.cases.push_back({item.text, outcome_of(item.state), std::string(state_name(item.state)),
                           text(answer_words(item.state), ": ", item.why)});
  return suite;
}

/// The position card of a variant: what the scheme declares about itself against what was measured.
TestSuite card_suite(const SettingInfo& setting) {
  TestSuite suite{setting.variant, {{"scheme", setting.scheme}, {"scaling", setting.scaling}}, {}};
  if (!setting.card) {
    suite.cases.push_back({"position card", Outcome::kSkipped, "absent", "No position card in this run."});
    return suite;
  }
  each_property(*setting.card, [&](const char* name, const CardProperty& property) {
    const Outcome outcome = property.disagrees() ? Outcome::kFailed
                            : property.measured  ? Outcome::kPassed
                                                 : Outcome::kSkipped;
    suite.cases.push_back({key_words(name), outcome, property.measured ? "disagrees" : "not_measured",
                           "declared " + property_cell(property).plain()});
  });
  return suite;
}

std::string attribute(const char* name, const std::string& value) {
  return text(" ", name, "=\"", escaped(value), "\"");
}

std::string counts(int64_t tests, int64_t failures) {
  return attribute("tests", text(tests)) + attribute("failures", text(failures)) + attribute("errors", "0");
}

std::string case_xml(const TestSuite& suite, const TestCase& c) {
  std::string out = "    <testcase" + attribute("classname", suite.name) + attribute("name", c.name) + ">";
  if (c.outcome == Outcome::kPassed) {
    out += "<system-out>" + escaped(c.words) + "</system-out>";
  } else {
    const std::string element = c.outcome == Outcome::kFailed ? "failure" : "skipped";
    out += "<" + element + attribute("type", c.type) + attribute("message", c.words) + "/>";
  }
  return out + "</testcase>\n";
}

std::string suite_xml(const TestSuite& suite) {
  std::string out = "  <testsuite" + attribute("name", suite.name) +
                    counts(std::ssize(suite.cases), suite.count(Outcome::kFailed)) +
                    attribute("skipped", text(suite.count(Outcome::kSkipped))) + ">\n";
  if (!suite.properties.empty()) out += "    <properties>\n";
  for (const auto& [name, value] : suite.properties)
    out += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  if (!suite.properties.empty()) out += "    </properties>\n";
  for (const auto& c : suite.cases) out += case_xml(suite, c);
  return out + "  </testsuite>\n";
}

}  // namespace

std::vector<ReportFile> make_junit_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  std::vector<TestSuite> suites = {verdict_suite(view), protocol_suite(s)};
  for (const auto& variant : view.variants()) suites.push_back(card_suite(view.setting(variant)));
  int64_t tests = 0, failures = 0;
  for (const auto& suite : suites) {
    tests += std::ssize(suite.cases);
    failures += suite.count(Outcome::kFailed);
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", s.manifest.name) +
                    counts(tests, failures) + ">\n";
  for (const auto& suite : suites) out += suite_xml(suite);
  return {{"junit.xml", out + "</testsuites>\n"}};
}

}  // namespace lw
