// Labels, distances, depths and offsets, worked out again from the names of the tokens.
#include <functional>
#include <set>

#include "tests/suites/support.h"

namespace lw::suites_test {
namespace {

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

/// [begin] body... ask kX? vY: the needle kX=vY names the answer.
Derived derive_needle(const Built& built, const std::vector<std::string>& prompt) {
  const auto length = int64_t(prompt.size()) + 1;
  REQUIRE(prompt[size_t(length - 3)] == "ask");
  const std::string query = prompt[size_t(length - 2)];
  REQUIRE(query.back() == '?');
  const std::string wanted = query.substr(0, query.size() - 1) + "=";
  Derived d;
  d.query_offset = length - 2;
  std::set<std::string> keys, values;
  for (int64_t at = built.start(); at < length - 3; ++at) {
    const std::string& name = prompt[size_t(at)];
    if (starts(name, "~")) continue;
    const size_t equals = name.find('=');
    REQUIRE(equals != std::string::npos);  // nothing else may stand in the body
    keys.insert(name.substr(0, equals));
    values.insert(name.substr(equals + 1));
    if (!starts(name, wanted)) continue;
    d.label = name.substr(equals + 1);
    d.needle_offsets.push_back(at);
  }
  CHECK(keys.size() == size_t(built.whole("needles", 4)));
  CHECK(values.size() == keys.size());
  REQUIRE(d.needle_offsets.size() == 1);
  d.distance = d.query_offset - d.needle_offsets.front();
  const int64_t body = length - 3 - built.start();
  d.depth = body > 1 ? share(d.needle_offsets.front() - built.start(), body - 1) : 0.0;
  return d;
}

/// [begin] body... ask kX vY, with kX vY in the body.
Derived derive_pair(const Built& built, const std::vector<std::string>& prompt) {
  const auto length = int64_t(prompt.size()) + 1, body = length - 3 - built.start();
  REQUIRE(prompt[size_t(length - 3)] == "ask");
  const std::string& query = prompt[size_t(length - 2)];
  Derived d;
  d.query_offset = length - 2;
  std::set<std::string> keys, values;
  for (int64_t at = built.start(); at < length - 3; ++at) {
    const std::string& key = prompt[size_t(at)];
    if (starts(key, "~")) continue;
    REQUIRE(starts(key, "k"));
    REQUIRE(at + 1 < length - 3);
    const std::string& value = prompt[size_t(++at)];  // directly behind it
    REQUIRE(starts(value, "v"));
    CHECK(keys.insert(key).second);
    CHECK(values.insert(value).second);
    if (key != query) continue;
    d.label = value;
    d.needle_offsets.push_back(at);
    d.depth = share(at - 1 - built.start(), body - 2);
  }
  CHECK(keys.size() == size_t(built.whole("needles", 4)));
  REQUIRE(d.needle_offsets.size() == 1);
  d.distance = d.query_offset - d.needle_offsets.front();
  return d;
}

/// [begin] body with one A and one B... ask answer.
Derived derive_order_swap(const Built& built, const std::vector<std::string>& prompt) {
  Derived d;
  d.query_offset = int64_t(prompt.size()) - 1;
  REQUIRE(prompt.back() == "ask");
  std::string first;
  for (int64_t at = built.start(); at < d.query_offset; ++at) {
    const std::string& name = prompt[size_t(at)];
    if (starts(name, "~")) continue;
    REQUIRE((name == "A" || name == "B"));
    if (first.empty())
      first = name;
    else
      REQUIRE(name != first);
    d.needle_offsets.push_back(at);
  }
  REQUIRE(d.needle_offsets.size() == 2);
  if (const int64_t gap = built.whole("gap", 0); gap > 0) CHECK(d.needle_offsets[1] - d.needle_offsets[0] == gap);
  d.label = first + "-first";
  d.distance = d.query_offset - d.needle_offsets[0];
  d.depth = share(d.needle_offsets[0] - built.start(), d.query_offset - built.start() - 1);
  return d;
}

Derived derive_any_needle(const Built& built, const std::vector<std::string>& prompt) {
  return built.word("style", "fused") == "pair" ? derive_pair(built, prompt) : derive_needle(built, prompt);
}

using Derive = std::function<Derived(const Built&, const std::vector<std::string>&)>;

const std::map<std::string, Derive>& derivations() {
  static const std::map<std::string, Derive> kAll = {
      {"needle", derive_any_needle},
      {"order_swap", derive_order_swap},
  };
  return kAll;
}

void check_against(const Built& built, const Derive& derive, const Probe& p) {
  const std::vector<Token> prompt(p.tokens.begin(), p.tokens.end() - p.answer_budget);
  const Derived d = derive(built, built.names(prompt));
  REQUIRE(p.targets.size() == 1);
  CHECK(p.targets[0].slot == p.length() - 1);
  CHECK(built.name(p.targets[0].label) == d.label);  // an oracle that reads the prompt is always right
  CHECK(p.targets[0].distance == d.distance);
  CHECK(p.query_offset == d.query_offset);
  CHECK(p.needle_offsets == d.needle_offsets);
  REQUIRE(p.depth.has_value());
  CHECK(*p.depth == Approx(d.depth).margin(1e-12));
}

/// "first value" and "last value" of a needle probe, by reading it.
void check_needle_guesses(const Built& built, const Probe& p) {
  std::vector<std::string> values;
  const auto names = built.names(p.tokens);
  for (auto name = names.begin(); name + 1 != names.end(); ++name) {
    if (starts(*name, "v")) values.push_back(*name);
    if (const size_t equals = name->find('='); equals != std::string::npos) values.push_back(name->substr(equals + 1));
  }
  REQUIRE(p.guesses.size() == 2);
  CHECK(p.guesses[0].first == "first value");
  CHECK(built.name(p.guesses[0].second) == values.front());
  CHECK(p.guesses[1].first == "last value");
  CHECK(built.name(p.guesses[1].second) == values.back());
}

}  // namespace

TEST_CASE("an oracle that reads the tokens finds every label, distance, depth and offset", "[suites]") {
  for (const auto* info : suites()) {
    const std::string name(info->name);
    for (const auto& options : option_sets().at(name)) {
      for (const bool begin : {false, true}) {
        const Built built(name, options, begin);
        if (!built.suite().chance()) continue;     // likelihood only: see length_test.cpp
        if (built.suite().needs_text()) continue;  // read as text: see fact_recall_test.cpp
        INFO(name << ": a suite needs its derivation here");
        REQUIRE(derivations().count(name) == 1);
        for (const int64_t length : lengths_from(built.min_length())) {
          for (int64_t i = 0; i < 12; ++i) {
            INFO(options << " length " << length << " index " << i << (begin ? " with begin" : ""));
            for (const bool training : {false, true}) {
              const Probe p = built.make(length, i, Rng(uint64_t(length)), training);
              check_against(built, derivations().at(name), p);
              if (name == "needle") check_needle_guesses(built, p);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("keys and values are all different in 10,000 haystacks", "[suites][slow]") {
  const Built built("needle", "{keys: 4, values: 4, needles: 4, filler: 2}");
  int64_t wrong = 0;
  for (int64_t i = 0; i < 10000; ++i) {
    std::set<std::string> keys, values;
    int64_t needles = 0;
    for (const auto& name : built.names(built.make(24, i).tokens)) {
      const size_t equals = name.find('=');
      if (equals == std::string::npos) continue;
      ++needles;
      keys.insert(name.substr(0, equals));
      values.insert(name.substr(equals + 1));
    }
    wrong += needles != 4 || keys.size() != 4 || values.size() != 4;
  }
  CHECK(wrong == 0);
}

TEST_CASE("depths 0 and 1 are the first and the last place of the haystack", "[suites]") {
  for (const bool begin : {false, true}) {
    const Built built("needle", "{depths: [0, 0.5, 1]}", begin);
    for (const int64_t length : lengths_from(built.min_length())) {
      const int64_t first = built.start(), last = length - 4;
      for (int64_t i = 0; i < 9; i += 3) {
        CHECK(built.make(length, i).needle_offsets.front() == first);
        const int64_t middle = built.make(length, i + 1).needle_offsets.front();
        CHECK((2 * middle == first + last || 2 * middle == first + last + 1));
        CHECK(built.make(length, i + 2).needle_offsets.front() == last);
      }
    }
  }
}

TEST_CASE("no two depths of a fine grid fall on one place when there is room", "[suites]") {
  const Built built("needle", "{needles: 1, depths: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]}");
  std::set<int64_t> places;
  for (int64_t i = 0; i < 11; ++i) places.insert(built.make(14, i).needle_offsets.front());
  CHECK(places.size() == 11);
}

TEST_CASE("distances are met exactly, from the nearest to the farthest that fits", "[suites]") {
  for (const bool begin : {false, true}) {
    constexpr int64_t kLength = 32;
    for (const std::string style : {"fused", "pair"}) {
      const int64_t farthest = style == "pair" ? kLength - 4 : kLength - 3;
      for (int64_t distance = 2; distance <= farthest; ++distance) {
        const Built built("needle", "{style: " + style + ", distances: [" + std::to_string(distance) + "]}", begin);
        built.check_length(kLength);
        for (int64_t i = 0; i < 3; ++i) {
          const Probe p = built.make(kLength, i);
          CHECK(p.targets.front().distance == distance);
          check_against(built, derive_any_needle, p);
        }
      }
    }
  }
  const Built two("needle", "{distances: [5, 20]}");
  for (int64_t i = 0; i < 6; ++i) CHECK(two.make(64, i).targets.front().distance == (i % 2 == 0 ? 5 : 20));
}

// A gate asks at the training length, which may be shorter than every distance.
TEST_CASE("a probe shorter than its distances is still a good probe", "[suites]") {
  for (const char* options : {"{distances: [100, 200]}", "{distances: [10, 200]}"}) {
    const Built built("needle", options, true);
    for (int64_t i = 0; i < 50; ++i) check_against(built, derive_needle, built.make(24, i));
  }
  CHECK(Built("needle", "{distances: [10, 200]}").make(24, 1).targets.front().distance == 10);
}

TEST_CASE("the shortest haystack has room for the other pairs beside any asked one", "[suites]") {
  for (const int64_t needles : {1, 2, 3, 8}) {
    std::string options = "{style: pair, needles: " + std::to_string(needles) + ", distances: [2";
    for (int64_t d = 3; d <= 2 * needles + 2; ++d) options += ", " + std::to_string(d);
    for (const bool begin : {false, true}) {
      const Built built("needle", options + "]}", begin);
      for (int64_t length = built.min_length(); length < built.min_length() + 3; ++length)
        for (int64_t i = 0; i < 8 * needles; ++i) check_against(built, derive_pair, built.make(length, i));
    }
  }
}

TEST_CASE("pairs lie in every way that there is, each as often", "[suites]") {
  const Built built("needle", "{style: pair, needles: 2, filler: 1}");
  std::map<std::vector<int64_t>, int64_t> ways;  // first tokens of the two pairs, the asked one's first
  constexpr int64_t kProbes = 6000;
  for (int64_t i = 0; i < kProbes; ++i) {
    const Probe p = built.make(10, i, Rng(4), true);  // seven places
    const int64_t asked = p.needle_offsets.front() - 1;
    for (int64_t at = 0; at < 7; ++at)
      if (built.name(p.tokens[size_t(at)]).front() == 'k' && at != asked) ++ways[{asked, at}];
  }
  CHECK(ways.size() == 20);  // 5 over 2 pairs, in two orders
  for (const auto& [way, n] : ways) CHECK(std::abs(n - kProbes / 20) < 5 * 17);
}

TEST_CASE("a style that is not given is not written down", "[suites]") {
  for (const std::string options : {"{}", "{style: fused}"}) {
    ConfigNode node = ConfigNode::parse(options);
    find_named(suites(), "needle")->make(node);
    CHECK((node.resolved().find("style") != nullptr) == (options != "{}"));
  }
  const Built absent("needle", "{}"), fused("needle", "{style: fused}");
  for (int64_t i = 0; i < 20; ++i) CHECK(absent.make(40, i).tokens == fused.make(40, i).tokens);
}

TEST_CASE("the asked key, its value and its place are spread evenly", "[suites]") {
  const Built built("needle", "{}");
  std::map<std::string, int64_t> queries, labels;
  std::map<int64_t, int64_t> places;
  constexpr int64_t kProbes = 8000;
  for (int64_t i = 0; i < kProbes; ++i) {
    const Probe p = built.make(19, i, Rng(2), true);  // 16 places, 8 keys, 8 values
    ++queries[built.name(p.tokens[size_t(p.query_offset)])];
    ++labels[built.name(p.targets.front().label)];
    ++places[p.needle_offsets.front()];
  }
  for (const auto& counts : {queries, labels}) {
    CHECK(counts.size() == 8);
    for (const auto& [name, n] : counts) CHECK(std::abs(n - kProbes / 8) < 5 * 30);
  }
  CHECK(places.size() == 16);
  for (const auto& [place, n] : places) CHECK(std::abs(n - kProbes / 16) < 5 * 22);
}

}  // namespace lw::suites_test
