// Facts in running text: answers, distances and depths found again by reading the probe as text.
#include <set>

#include "harness/base/files.h"
#include "suites/text/haystack.h"
#include "tests/suites/support.h"

namespace lw::suites_test {
namespace {

struct FoundFact {
  std::string word;         // with its space
  int64_t word_offset = 0;  // tokens
};

struct Reading {
  std::string haystack;
  int64_t haystack_tokens = 0;
  std::map<std::string, FoundFact> facts;   // by name
  std::vector<std::string> asked, answers;  // in order
  std::vector<int64_t> slots;
};

/// Text of a probe with the byte at which each token begins.
struct Text {
  std::string all;
  std::vector<size_t> begins;

  Text(const Built& built, const Probe& p) {
    for (size_t t = size_t(built.start()); t < p.tokens.size(); ++t) {
      begins.push_back(all.size());
      all += built.codec().decode({p.tokens[t]});
    }
    start = built.start();
  }
  /// The token that begins at a byte.
  int64_t token_at(size_t byte) const {
    const auto found = std::find(begins.begin(), begins.end(), byte);
    REQUIRE(found != begins.end());
    return found - begins.begin() + start;
  }
  int64_t start = 0;
};

Reading read(const Built& built, const Probe& p, const Language& l) {
  const Text text(built, p);
  const std::string before(l.before_name), after(l.after_name), end(l.after_word);
  const std::string question = "\n" + before.substr(1);
  Reading r;
  const size_t questions = text.all.find(question);
  REQUIRE(questions != std::string::npos);
  r.haystack = text.all.substr(0, questions);
  r.haystack_tokens = text.token_at(questions) - text.start;
  // NAME and WORD between the fixed pieces; returns the byte behind them.
  const auto line = [&](size_t from, const std::string& begin, const auto& found) {
    REQUIRE(text.all.compare(from, begin.size(), begin) == 0);
    const size_t name = from + begin.size(), behind = text.all.find(after, name), word = behind + after.size();
    const size_t stop = text.all.find(end, word);
    REQUIRE(stop != std::string::npos);
    found(text.all.substr(name, behind - name), text.all.substr(word, stop - word), text.token_at(word));
    CHECK(text.token_at(stop) == text.token_at(word) + 1);  // the word is one token
    return stop + end.size();
  };
  for (size_t at = r.haystack.find(before); at != std::string::npos; at = r.haystack.find(before, at + 1))
    line(at, before, [&](const std::string& name, const std::string& word, int64_t offset) {
      CHECK(r.facts.emplace(name, FoundFact{word, offset}).second);
    });
  for (size_t at = questions; at < text.all.size();)
    at = line(at, question, [&](const std::string& name, const std::string& word, int64_t slot) {
      r.asked.push_back(name);
      r.answers.push_back(word);
      r.slots.push_back(slot);
    });
  return r;
}

const Language& language_of(const std::string& options) {
  return options.find("korean") == std::string::npos ? english() : korean();
}

void check_probe(const Built& built, const Probe& p, const Language& l, int64_t index) {
  const int64_t facts = built.whole("facts", 8), questions = built.whole("questions", facts);
  const Reading r = read(built, p, l);
  REQUIRE(int64_t(r.facts.size()) == facts);
  REQUIRE(int64_t(p.targets.size()) == questions);
  REQUIRE(int64_t(r.slots.size()) == questions);
  CHECK(std::set<std::string>(r.asked.begin(), r.asked.end()).size() == r.asked.size());
  std::set<std::string> words;
  for (const auto& [name, fact] : r.facts) words.insert(fact.word);
  CHECK(int64_t(words.size()) == facts);
  for (size_t k = 0; k < p.targets.size(); ++k) {
    const auto& t = p.targets[k];
    const FoundFact& fact = r.facts.at(r.asked[k]);
    CHECK(t.slot == r.slots[k]);
    CHECK(fact.word == r.answers[k]);
    CHECK(built.codec().decode({t.label}) == fact.word);
    CHECK(p.tokens[size_t(fact.word_offset)] == t.label);
    CHECK(t.distance == t.slot - 1 - fact.word_offset);
    CHECK(p.needle_offsets[k] == fact.word_offset);
  }
  CHECK(p.query_offset == p.targets.front().slot - 1);
  CHECK(p.depth.has_value() == (questions == 1));
  CHECK(p.guesses.size() == (questions == 1 ? 2 : 0));
  CHECK(p.answer_budget == (questions == 1 ? p.length() - p.targets.front().slot : 0));
  CHECK(p.group == "haystack-" + std::to_string(p.length()) + "-" + std::to_string(index));
  if (questions > 1) return;
  const auto by_offset = [](const auto& a, const auto& b) { return a.second.word_offset < b.second.word_offset; };
  CHECK(p.guesses[0].first == "first word");
  CHECK(built.codec().decode({p.guesses[0].second}) ==
        std::min_element(r.facts.begin(), r.facts.end(), by_offset)->second.word);
  CHECK(p.guesses[1].first == "last word");
  CHECK(built.codec().decode({p.guesses[1].second}) ==
        std::max_element(r.facts.begin(), r.facts.end(), by_offset)->second.word);
}

std::string bind_error(const std::string& options, const std::vector<std::string>& pieces, int64_t longest = 400) {
  ConfigNode node = ConfigNode::parse(options);
  const FakeCodec codec(pieces);
  const auto suite = find_named(suites(), "fact_recall")->make(node);
  return test::error_of([&] { suite->bind({{}, 0, codec.begin(), &codec}, {longest, 4})->check_length(longest); });
}

}  // namespace

TEST_CASE("an oracle that reads the text finds every answer at its distance", "[suites]") {
  for (const auto& options : option_sets().at("fact_recall")) {
    for (const bool begin : {false, true}) {
      const Built built("fact_recall", options, begin);
      for (const int64_t length : lengths_from(built.min_length()))
        for (int64_t i = 0; i < 6; ++i) {
          INFO(options << " length " << length << " index " << i << (begin ? " with begin" : ""));
          check_probe(built, built.make(length, i, Rng(uint64_t(length))), language_of(options), i);
        }
    }
  }
}

TEST_CASE("the shortest length is one at which the longest names still fit", "[suites]") {
  for (const std::string options : {"{}", "{facts: 3, questions: 1}", "{language: korean}"}) {
    const Built built("fact_recall", options, true);
    const int64_t least = built.min_length();
    built.check_length(least);
    int64_t tightest = least;  // tokens of sentences
    for (int64_t i = 0; i < 3000; ++i) {
      const Probe p = built.make(least, i);
      const Reading r = read(built, p, language_of(options));
      int64_t sentences = r.haystack_tokens;
      const auto size = [&](std::string_view text) { return int64_t(built.codec().encode(text).size()); };
      const Language& l = language_of(options);
      for (const auto& [name, fact] : r.facts)
        sentences -= size(l.before_name) + size(name) + size(l.after_name) + 1 + size(l.after_word);
      tightest = std::min(tightest, sentences);
    }
    INFO(options);
    CHECK(tightest >= 0);
    CHECK(tightest < 20);  // and it is no guess
  }
}

TEST_CASE("facts are spread over the haystack, the asked one stands at its depth", "[suites]") {
  const Built spread("fact_recall", "{facts: 4}", true);
  for (int64_t i = 0; i < 50; ++i) {
    const Reading r = read(spread, spread.make(400, i), english());
    std::vector<double> at;
    for (const auto& [name, fact] : r.facts) at.push_back(share(fact.word_offset, 400 - 100));
    std::sort(at.begin(), at.end());
    CHECK(at.front() < 0.45);
    CHECK(at.back() > 0.6);
  }
  const Built asked("fact_recall", "{facts: 5, questions: 1, depths: [0, 0.5, 1]}");
  for (int64_t i = 0; i < 30; ++i) {
    const Probe p = asked.make(4000, i);
    const Reading r = read(asked, p, english());
    const double due = double(i % 3) / 2;
    CHECK(std::abs(*p.depth - due) < 0.01);  // the end of a sentence is never far
    if (due == 1) {
      CHECK(*p.depth == 1);
      const std::string last = r.asked[0] + std::string(english().after_name) + r.answers[0] + ".";
      CHECK(r.haystack.substr(r.haystack.size() - last.size()) == last);
    }
  }
}

TEST_CASE("questions come in any order and words on any side", "[suites]") {
  const Built built("fact_recall", "{facts: 3}");
  std::set<std::vector<size_t>> orders;
  std::set<std::string> names, words;
  for (int64_t i = 0; i < 200; ++i) {
    const Probe p = built.make(200, i);
    const Reading r = read(built, p, english());
    std::vector<size_t> order;
    for (const int64_t offset : p.needle_offsets)
      order.push_back(size_t(std::count_if(p.needle_offsets.begin(), p.needle_offsets.end(),
                                           [&](int64_t other) { return other < offset; })));
    orders.insert(order);
    names.insert(r.asked.begin(), r.asked.end());
    words.insert(r.answers.begin(), r.answers.end());
  }
  CHECK(orders.size() == 6);
  CHECK(names.size() > 50);
  CHECK(words.size() > 100);
}

TEST_CASE("options of fact_recall that cannot be met are refused", "[suites]") {
  const auto error = [](const std::string& options) { return test::error_of([&] { Built("fact_recall", options); }); };
  CHECK(error("{questions: 9}") == "s.yaml:1:13: questions: found 9; allowed: at most facts (8)");
  CHECK(error("{choices: 7}") == "s.yaml:1:11: choices: found 7; allowed: at least facts (8)");
  CHECK(error("{facts: 65}") == "s.yaml:1:9: facts: found '65'; allowed: a whole number from 1 to 64");
  CHECK(error("{depths: [0.5]}") ==
        "s.yaml:1:10: depths: found a list with 8 questions; allowed: with questions: 1, for several the facts are "
        "spread evenly");
  CHECK(error("{questions: 1, depths: []}") == "s.yaml:1:24: depths: found an empty list; allowed: at least one depth");
  CHECK(error("{haystack: gone.txt}") ==
        "s.yaml:1:12: haystack: found 'gone.txt', which cannot be read: No such file or directory; allowed: a file of "
        "UTF-8 text");
  CHECK(error("{language: english}").empty());
}

TEST_CASE("a tokenizer with too few words, names or a short file says what would do", "[suites]") {
  CHECK(bind_error("{}", {" river", " stone", " apple"}) ==
        "choices: found 16; allowed: up to 3, the built-in words that are one token of this tokenizer");
  CHECK(bind_error("{facts: 3, choices: 3}", {" river", " stone", " apple"}, 50) ==
        "facts: found 3 and 3 questions, which do not fit length 50; allowed: lengths of 191 or more for so many");
  CHECK(bind_error("{facts: 3, choices: 3}", {" river", " stone", " apple"}, 191).empty());
  const test::TempFolder folder;
  const std::string path = (folder / "short.txt").string();
  write_file(path, " The ship sails.");
  std::string error =
      bind_error("{facts: 2, choices: 3, haystack: " + path + "}", {" river", " stone", " apple", " ship"});
  REQUIRE(error.find(path) != std::string::npos);
  error.replace(error.find(path), path.size(), "FILE");
  CHECK(error == "haystack: found 'FILE' with 12 tokens; allowed: as many as the longest length or more (400)");
}

TEST_CASE("without a tokenizer the shortest length is an estimate, with one it is exact", "[suites]") {
  ConfigNode node = ConfigNode::parse("{facts: 2, choices: 4}");
  const auto suite = find_named(suites(), "fact_recall")->make(node);
  CHECK(suite->min_length() == 45);
  const FakeCodec codec(
      {" The", " secret", " word", " of", " is", " river", " stone", " apple", " lemon", ".", "\n", "The"});
  const auto bound = suite->bind({{}, 0, std::nullopt, &codec}, {100, 1});
  // Two facts and questions of 4 + name + is + word + stop, and 5 for the line; " Gregory", " Michael" are 8 bytes.
  CHECK(bound->min_length() == 2 * (4 + 8 + 3) + 2 * (5 + 8 + 3));
  CHECK(suite->needs_text());
  CHECK_FALSE(suite->causal_only());
}

}  // namespace lw::suites_test
