// What every suite of the registry promises, whatever its options and the length.
#include <cmath>
#include <functional>
#include <set>

#include "tests/suites/support.h"

namespace lw::suites_test {
namespace {

/// Calls check(built, length) over the registry, option sets, lengths, with and without a begin token.
void over_everything(const std::function<void(const Built&, int64_t)>& check) {
  for (const auto* info : suites()) {
    const std::string name(info->name);
    INFO(name << ": a suite needs its option sets in tests/suites/support.h");
    REQUIRE(option_sets().count(name) == 1);
    for (const auto& options : option_sets().at(name)) {
      for (const bool begin : {false, true}) {
        const Built built(name, options, begin);
        for (const int64_t length : lengths_from(built.min_length())) {
          INFO(name << " " << options << " length " << length << (begin ? " with begin" : ""));
          check(built, length);
        }
      }
    }
  }
}

bool same(const Probe& a, const Probe& b) {
  const auto targets = [](const Probe& p) {
    std::vector<std::tuple<int64_t, Token, std::optional<int64_t>>> out;
    for (const auto& t : p.targets) out.emplace_back(t.slot, t.label, t.distance);
    return out;
  };
  return a.tokens == b.tokens && targets(a) == targets(b) && a.candidates == b.candidates &&
         a.answer_budget == b.answer_budget && a.depth == b.depth && a.needle_offsets == b.needle_offsets &&
         a.query_offset == b.query_offset && a.group == b.group && a.guesses == b.guesses && a.ideal_nll == b.ideal_nll;
}

/// Whether a token is one that the suite may use: its symbols, `ask` and `begin`, or text.
std::function<bool(Token)> known_tokens(const Built& built) {
  const Vocabulary& v = built.vocabulary();
  if (v.text != nullptr)
    return [&v](Token t) { return t == v.begin || (t >= FakeCodec::kBytes && t < v.text->size()); };
  std::set<Token> known(v.symbols.begin(), v.symbols.end());
  known.insert(v.ask);
  if (v.begin) known.insert(*v.begin);
  return [known](Token t) { return known.count(t) == 1; };
}

std::vector<bool> purposes(const Built& built) {  // whether for training
  return built.trains() ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

void check_shape(const Built& built, const Probe& p, int64_t length) {
  const Vocabulary& v = built.vocabulary();
  REQUIRE(p.length() == length);
  REQUIRE_FALSE(p.targets.empty());
  CHECK(p.prompt_tokens() + p.answer_budget == length);
  if (v.begin) {
    CHECK(p.tokens.front() == *v.begin);
    CHECK(std::count(p.tokens.begin(), p.tokens.end(), *v.begin) == 1);
  }
  CHECK(std::all_of(p.tokens.begin(), p.tokens.end(), known_tokens(built)));
  int64_t last = 0;
  for (const auto& t : p.targets) {
    CHECK((t.slot > last && t.slot < length));  // never the first: a causal model is evaluated one before
    CHECK(p.tokens[size_t(t.slot)] == t.label);
    CHECK((t.distance.value_or(0) >= 0 && t.distance.value_or(0) < length));
    if (p.answer_budget > 0) CHECK(t.slot >= p.prompt_tokens());
    last = t.slot;
  }
  if (p.depth) CHECK((*p.depth >= 0 && *p.depth <= 1));
  CHECK_FALSE(p.group.empty());
  CHECK(p.id.empty());  // the caller's
}

}  // namespace

TEST_CASE("a probe has exactly the length that was asked, and nothing outside its vocabulary", "[suites]") {
  over_everything([](const Built& built, int64_t length) {
    for (const bool training : purposes(built))
      for (const int64_t index : {0, 1, 5}) check_shape(built, built.make(length, index, Rng(3), training), length);
  });
}

TEST_CASE("the same request gives the same probe, in any order", "[suites]") {
  over_everything([](const Built& built, int64_t length) {
    const Rng stream = Rng(8).stream("purity");
    std::vector<Probe> forwards;
    for (int64_t i = 0; i < 4; ++i) forwards.push_back(built.make(length, i, stream));
    (void)built.make(length + 1, 0, stream);
    if (built.trains()) (void)built.make(length, 0, stream, true);
    for (int64_t i = 3; i >= 0; --i) CHECK(same(built.make(length, i, stream), forwards[size_t(i)]));
  });
}

TEST_CASE("the same id is the same probe, whatever lengths and numbers of probes are asked beside it", "[suites]") {
  const Rng stream = Rng(8).stream("range");
  over_everything([&](const Built& built, int64_t length) {
    std::vector<Probe> first;
    for (const ProbeRange& range :
         {ProbeRange{kLongest, kTextProbes}, {length, kTextProbes}, {length, 5}, {std::min(2 * length, kLongest), 6}}) {
      const auto bound = built.suite().bind(built.vocabulary(), range);
      for (int64_t i = 0; i < 5; ++i) {
        Probe p = bound->make({length, i, false, stream});
        if (std::ssize(first) <= i)
          first.push_back(std::move(p));
        else
          CHECK(same(p, first[size_t(i)]));
      }
    }
  });
}

TEST_CASE("candidates are as many as chance says and hold the label; guesses are among them", "[suites]") {
  over_everything([](const Built& built, int64_t length) {
    const auto chance = built.suite().chance();
    for (int64_t i = 0; i < 6; ++i) {
      const Probe p = built.make(length, i);
      const std::set<Token> candidates(p.candidates.begin(), p.candidates.end());
      CHECK(candidates.size() == p.candidates.size());
      CHECK(chance.has_value() == !candidates.empty());
      if (!chance) continue;
      CHECK(share(1, int64_t(candidates.size())) == *chance);
      for (const auto& t : p.targets) CHECK(candidates.count(t.label) == 1);
      for (const auto& [name, guess] : p.guesses) CHECK(candidates.count(guess) == 1);
    }
  });
}

TEST_CASE("pairs hold the same tokens in two orders and ask for two answers", "[suites]") {
  over_everything([](const Built& built, int64_t length) {
    if (!built.suite().pairs()) return;
    for (int64_t i = 0; i < 10; i += 2) {
      const Probe a = built.make(length, i), b = built.make(length, i + 1);
      auto in_a = a.tokens, in_b = b.tokens;
      in_a.resize(size_t(a.prompt_tokens()));
      in_b.resize(size_t(b.prompt_tokens()));
      size_t moved = 0;
      for (size_t t = 0; t < in_a.size(); ++t) moved += in_a[t] != in_b[t];
      CHECK(moved == 2);
      std::sort(in_a.begin(), in_a.end());
      std::sort(in_b.begin(), in_b.end());
      CHECK(in_a == in_b);
      CHECK(a.group == b.group);
      CHECK(a.targets.front().label != b.targets.front().label);
      CHECK(a.targets.front().distance == b.targets.front().distance);
      CHECK(a.needle_offsets == b.needle_offsets);
      if (i > 0) CHECK(a.group != built.make(length, i - 1).group);
    }
  });
}

TEST_CASE("a blind guess scores chance: exactly over pairs, else within its error", "[suites]") {
  for (const auto* info : suites()) {
    for (const auto& options : option_sets().at(std::string(info->name))) {
      const Built built(std::string(info->name), options);
      const auto chance = built.suite().chance();
      if (!chance) continue;
      INFO(info->name << " " << options);
      constexpr int64_t kProbes = 2000;
      std::map<Token, int64_t> right, offered;
      for (int64_t i = 0; i < kProbes; ++i) {
        const Probe p = built.make(built.min_length() + 10, i);
        for (const Token c : p.candidates) ++offered[c], right[c] += c == p.targets.front().label;
      }
      for (const auto& [token, hits] : right) {
        if (built.suite().pairs())
          CHECK(hits * 2 == kProbes);
        else
          CHECK(std::abs(share(hits, offered[token]) - *chance) <
                5 * std::sqrt(*chance * (1 - *chance) / double(offered[token])));
      }
    }
  }
}

TEST_CASE("training, gate and evaluation see different probes", "[suites]") {
  for (const auto* info : suites()) {
    const Built built(std::string(info->name), option_sets().at(std::string(info->name)).front());
    if (!built.trains()) continue;
    INFO(info->name);
    std::set<std::vector<Token>> seen;
    size_t made = 0;
    for (int64_t i = 0; i < 200; i += 2) {  // one of each pair: their tokens differ by two only
      seen.insert(built.make(40, i, Rng(0).stream("eval").stream(info->name)).tokens);
      seen.insert(built.make(40, i, Rng(0).stream("gate").stream(info->name)).tokens);
      seen.insert(
          built.make(40, i, Rng(0).stream("training").stream("train").stream(info->name).stream(uint64_t(0)), true)
              .tokens);
      made += 3;
    }
    CHECK(seen.size() == made);
  }
}

TEST_CASE("lengths have independent haystacks where the suite does not promise otherwise", "[suites]") {
  for (const char* name : {"needle", "order_swap"}) {
    const Built built(name, "{}");
    const Probe a = built.make(64, 0), b = built.make(65, 0);
    size_t equal = 0;
    for (size_t t = 0; t < 60; ++t) equal += a.tokens[t] == b.tokens[t];
    INFO(name);
    CHECK(equal < 30);
  }
}

TEST_CASE("the registry's names are words, in order, each with a summary and a source", "[suites]") {
  std::vector<std::string> names;
  for (const auto* info : suites()) {
    names.emplace_back(info->name);
    CHECK(names.back().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
    CHECK_FALSE(info->summary.empty());
    CHECK_FALSE(info->paper.empty());
  }
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("a symbol's name is its own", "[suites]") {
  for (const auto* info : suites()) {
    for (const auto& options : option_sets().at(std::string(info->name))) {
      const Built built(std::string(info->name), options);
      std::set<std::string> names = {"ask", "mask", "begin"};
      for (int64_t i = 0; i < built.suite().symbols(); ++i) names.insert(built.suite().symbol_name(i));
      INFO(info->name << " " << options);
      CHECK(names.size() == size_t(built.suite().symbols()) + 3);
    }
  }
}

}  // namespace lw::suites_test
