// Suite options that cannot be, and how suites share one vocabulary.
#include <set>

#include "suites/sequence.h"
#include "tests/suites/support.h"

namespace lw::suites_test {
namespace {

std::string options_error(const std::string& suite, const std::string& options) {
  return test::error_of([&] { Built(suite, options); });
}

}  // namespace

TEST_CASE("options that cannot be met are refused with their place", "[suites]") {
  struct Bad {
    std::string suite, options, message;
  };
  for (const Bad& b : std::vector<Bad>{
           {"needle", "{needles: 9}",
            "s.yaml:1:11: needles: found 9; allowed: at most keys and values (8 and 8), so that all differ"},
           {"needle", "{keys: 3}",
            "s.yaml:1:1: needles: found 4; allowed: at most keys and values (3 and 8), so that all differ"},
           {"needle", "{needles: 6, values: 5}",
            "s.yaml:1:11: needles: found 6; allowed: at most keys and values (8 and 5), so that all differ"},
           {"needle", "{values: 1}", "s.yaml:1:10: values: found '1'; allowed: a whole number from 2 to 256"},
           {"needle", "{depths: []}", "s.yaml:1:10: depths: found an empty list; allowed: at least one depth"},
           {"needle", "{depths: [1.5]}",
            "s.yaml:1:11: depths: found '1.5' in the list; allowed: a list, each entry a number from 0 to 1"},
           {"needle", "{distances: [1]}",
            "s.yaml:1:14: distances: found '1' in the list; allowed: a list, each entry a whole number from 2 to "
            "16777216"},
           {"needle", "{neddles: 3}",
            "s.yaml:1:2: neddles: found an unknown key; allowed: depths, distances, filler, keys, needles, style, "
            "values; did you mean 'needles'?"},
           {"needle", "{style: pairs}", "s.yaml:1:9: style: found 'pairs'; allowed: fused, pair; did you mean 'pair'?"},
           {"order_swap", "{gap: 0}", "s.yaml:1:7: gap: found '0'; allowed: a whole number from 1 to 16777216"},
           {"order_swap", "{fill: 3}",
            "s.yaml:1:2: fill: found an unknown key; allowed: filler, gap; did you mean 'filler'?"},
           {"length", "{copy: 1}", "s.yaml:1:8: copy: found '1'; allowed: a number from 0 to 0.99"},
           {"length", "{lag: 0}", "s.yaml:1:7: lag: found '0'; allowed: a whole number from 1 to 1024"},
           {"length", "{document: 16}", "s.yaml:1:1: scored: found 16; allowed: less than document minus lag"},
           {"length", "{scored: 20, document: 24}",
            "s.yaml:1:10: scored: found 20; allowed: less than document minus lag"},
       }) {
    INFO(b.suite << " " << b.options);
    CHECK(options_error(b.suite, b.options) == b.message);
  }
  CHECK(options_error("needle", "{depths: [], distances: [4]}").empty());
}

TEST_CASE("a distance must fit the length", "[suites]") {
  const Built built("needle", "{distances: [10, 64]}");
  built.check_length(67);
  CHECK(test::error_of([&] { built.check_length(66); }) ==
        "distances: found 64, which does not fit length 66; allowed: up to 63");
  const Built pair("needle", "{style: pair, distances: [10, 64]}");
  pair.check_length(68);
  CHECK(test::error_of([&] { pair.check_length(67); }) ==
        "distances: found 64, which does not fit length 67; allowed: up to 63");
}

TEST_CASE("suites share no symbol in one vocabulary", "[suites]") {
  std::vector<Built> built;
  std::vector<const Suite*> list;
  for (const auto* info : suites())
    for (const auto& options : option_sets().at(std::string(info->name)))
      built.emplace_back(std::string(info->name), options);
  for (const auto& b : built)
    if (b.trains()) list.push_back(&b.suite());
  for (const bool begin : {false, true}) {
    const VocabularyPlan plan(list, begin);
    std::set<Token> seen = {VocabularyPlan::kAsk, VocabularyPlan::kMask, VocabularyPlan::kBegin};
    size_t expected = 3;
    for (size_t i = 0; i < list.size(); ++i) {
      const Vocabulary& v = plan.of(i);
      CHECK(v.symbols.size() == size_t(list[i]->symbols()));
      CHECK(v.ask == VocabularyPlan::kAsk);
      CHECK(v.begin.has_value() == begin);
      seen.insert(v.symbols.begin(), v.symbols.end());
      expected += v.symbols.size();
      CHECK(plan.token_name(i, v.symbols.back()) == list[i]->symbol_name(list[i]->symbols() - 1));
    }
    CHECK(seen.size() == expected);
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == plan.size() - 1);
    CHECK(plan.size() == int64_t(expected));
    CHECK(plan.token_name(0, VocabularyPlan::kMask) == "mask");
    CHECK(plan.token_name(0, plan.of(1).symbols.front()) == "#" + std::to_string(plan.of(1).symbols.front()));
  }
}

TEST_CASE("another suite in the vocabulary shifts ids and changes nothing else", "[suites]") {
  const Built needle("needle", "{}"), order("order_swap", "{}");
  const VocabularyPlan alone({&needle.suite()}, false), second({&order.suite(), &needle.suite()}, false);
  for (int64_t i = 0; i < 20; ++i) {
    const Probe a = needle.suite().bind(alone.of(0), {})->make({50, i, false, Rng(1)});
    const Probe b = needle.suite().bind(second.of(1), {})->make({50, i, false, Rng(1)});
    for (size_t t = 0; t < a.tokens.size(); ++t)
      CHECK(alone.token_name(0, a.tokens[t]) == second.token_name(1, b.tokens[t]));
  }
}

TEST_CASE("the offset of a depth is the nearest place", "[suites]") {
  CHECK(offset_at(0, 10) == 0);
  CHECK(offset_at(1, 10) == 9);
  CHECK(offset_at(0.5, 10) == 5);
  CHECK(offset_at(0.49, 10) == 4);
  CHECK(offset_at(0.13, 8) == 1);
  CHECK(offset_at(1, 1) == 0);
}

}  // namespace lw::suites_test
