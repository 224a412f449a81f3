// Loss on text: which tokens a window holds, which are scored, and files that cannot be used.
#include <set>

#include "harness/base/files.h"
#include "tests/suites/support.h"

namespace lw::suites_test {
namespace {

std::string options(const std::string& more = "") { return "{text: " + text_path() + more + "}"; }

std::vector<int64_t> distances(const Probe& p) {
  std::vector<int64_t> out;
  for (const auto& t : p.targets) out.push_back(*t.distance);
  return out;
}

std::string bind_error(int64_t longest, int64_t probes) {
  const test::TempFolder folder;
  const std::string path = (folder / "short.txt").string();
  write_file(path, " the ship sails far at night.");  // seven tokens
  ConfigNode node = ConfigNode::parse("{text: " + path + "}");
  const FakeCodec codec({" the", " ship", " sails", " far", " at", " night", "."});
  const auto suite = find_named(suites(), "text_nll")->make(node);
  std::string error = test::error_of([&] { (void)suite->bind({{}, 0, codec.begin(), &codec}, {longest, probes}); });
  for (size_t at = error.find(path); at != std::string::npos; at = error.find(path))
    error.replace(at, path.size(), "FILE");
  return error;
}

}  // namespace

TEST_CASE("windows are text, spread by their index, and every length scores their beginnings", "[suites]") {
  const std::vector<int64_t> eighths = {0, 4, 2, 6, 1, 5, 3, 7};  // 0, 1/2, 1/4, 3/4, 1/8 ... of the text
  const std::vector<Token> text = text_codec(false).encode(read_file(text_path()));
  for (const bool begin : {false, true}) {
    const Built built("text_nll", options(), begin);
    for (const int64_t length : {2, 3, 100, 301}) {
      for (int64_t i = 0; i < kTextProbes; ++i) {
        INFO("length " << length << " window " << i << (begin ? " with begin" : ""));
        const Probe p = built.make(length, i);
        const auto first = text.begin() + std::ssize(text) * eighths[size_t(i)] / 8;
        std::vector<Token> expected(first, first + length);
        if (begin) expected.front() = FakeCodec::kBegin;
        CHECK(p.tokens == expected);
        CHECK(p.group == "window-" + std::to_string(i));
        CHECK(p.candidates.empty());
        CHECK(p.answer_budget == 0);
        CHECK(p.query_offset == 0);
        REQUIRE(int64_t(p.targets.size()) == length - 1);
        for (int64_t slot = 1; slot < length; ++slot) {
          CHECK(p.targets[size_t(slot - 1)].slot == slot);
          CHECK(p.targets[size_t(slot - 1)].distance == slot - 1);  // back to the first token
          CHECK(p.targets[size_t(slot - 1)].label == expected[size_t(slot)]);
        }
      }
    }
  }
}

TEST_CASE("the scored tokens of an octave are few, spread, and the same at every length", "[suites]") {
  CHECK(distances(Built("text_nll", options(", per_octave: 1")).make(301, 0)) ==
        std::vector<int64_t>{0, 1, 3, 6, 12, 24, 48, 96, 192});
  CHECK(distances(Built("text_nll", options(", per_octave: 2")).make(65, 0)) ==
        std::vector<int64_t>{0, 1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56});
  const Built all("text_nll", options(", per_octave: 1024")), every("text_nll", options());
  CHECK(distances(all.make(300, 0)) == distances(every.make(300, 0)));
  for (const int64_t count : {1, 3, 5, 64}) {
    const Built built("text_nll", options(", per_octave: " + std::to_string(count)));
    const auto longest = distances(built.make(kLongest, 1));
    for (int64_t length = 2; length < kLongest; ++length) {
      const auto here = distances(built.make(length, 1));
      std::vector<int64_t> expected;
      for (const int64_t d : longest)
        if (d < length - 1) expected.push_back(d);
      CHECK(here == expected);
    }
    for (int64_t low = 1; 2 * low < kLongest; low *= 2)
      CHECK(std::count_if(longest.begin(), longest.end(), [&](int64_t d) { return d >= low && d < 2 * low; }) ==
            std::min(low, count));
  }
}

TEST_CASE("a text that is too short says how far it goes", "[suites]") {
  CHECK(bind_error(7, 1).empty());
  CHECK(bind_error(3, 2).empty());
  CHECK(bind_error(8, 1) == "lengths: found 8; allowed: up to 7, the tokens of 'FILE'");
  CHECK(
      bind_error(3, 1000) ==
      "probes: found 1,000 windows of 3 tokens (3,000); allowed: up to 2, the power of two that fits 'FILE' with its 7 "
      "tokens");
  CHECK(
      bind_error(2, 3) ==
      "probes: found 3 windows of 2 tokens (6); allowed: up to 2, the power of two that fits 'FILE' with its 7 tokens");
}

TEST_CASE("windows never overlap, however many there are", "[suites]") {
  constexpr int64_t kWords = 700;
  const test::TempFolder folder;
  std::vector<std::string> pieces;  // each word stands once in the text, so that a token tells its place
  std::string text;
  for (int64_t i = 0; i < kWords; ++i) {
    pieces.push_back(std::string(" q") + char('a' + i / 26) + char('a' + i % 26));
    text += pieces.back();
  }
  write_file(folder / "words.txt", text);
  const FakeCodec codec(pieces);
  const std::vector<Token> tokens = codec.encode(text);
  REQUIRE(std::ssize(tokens) == kWords);
  for (const int64_t probes : {1, 2, 3, 5, 8, 13, 64, 100, 300}) {
    INFO(probes << " probes");
    ConfigNode node = ConfigNode::parse("{text: " + (folder / "words.txt").string() + "}");
    const auto suite = find_named(suites(), "text_nll")->make(node);
    const Vocabulary vocabulary{{}, 0, std::nullopt, &codec};
    int64_t slots = 1;
    while (slots < probes) slots *= 2;
    const int64_t longest = kWords / slots;
    CHECK_FALSE(test::error_of([&] { (void)suite->bind(vocabulary, {longest + 1, probes}); }).empty());
    const auto bound = suite->bind(vocabulary, {longest, probes});
    std::set<Token> used;
    for (int64_t i = 0; i < probes; ++i) {
      const Probe p = bound->make({longest, i, false, Rng(0)});
      used.insert(p.tokens.begin(), p.tokens.end());
    }
    CHECK(std::ssize(used) == probes * longest);
  }
}

TEST_CASE("files that are no text are refused at their place", "[suites]") {
  const test::TempFolder folder;
  write_file(folder / "empty.txt", "");
  write_file(folder / "latin1.txt", "caf\xe9 au lait");
  const auto error = [&](const std::string& name) {
    const std::string path = (folder / name).string();
    std::string text = test::error_of([&] { Built("text_nll", "{text: " + path + "}"); });
    if (const size_t at = text.find(path); at != std::string::npos) text.replace(at, path.size(), "FILE");
    return text;
  };
  const std::string allowed = "; allowed: a file of UTF-8 text";
  CHECK(error("gone.txt") ==
        "s.yaml:1:8: text: found 'FILE', which cannot be read: No such file or directory" + allowed);
  CHECK(error("") == "s.yaml:1:8: text: found 'FILE', which is a folder; a file is needed" + allowed);
  CHECK(error("empty.txt") == "s.yaml:1:8: text: found 'FILE', which is empty" + allowed);
  CHECK(error("latin1.txt") == "s.yaml:1:8: text: found 'FILE', whose byte 3 is not UTF-8" + allowed);
  CHECK(test::error_of([] { Built("text_nll", "{}"); }) == "s.yaml:1:1: text: found nothing; allowed: a text");
}

TEST_CASE("another text is another content, the path alone is not", "[suites]") {
  const test::TempFolder folder;
  const auto key = [&](const std::string& name, const std::string& text) {
    write_file(folder / name, text);
    ConfigNode node = ConfigNode::parse("{text: " + (folder / name).string() + "}");
    return find_named(suites(), "text_nll")->make(node)->content_key();
  };
  CHECK(key("a.txt", "one").size() == 64);
  CHECK(key("a.txt", "one") == key("b.txt", "one"));
  CHECK(key("a.txt", "one") != key("a.txt", "two"));
  CHECK(Built("needle", "{}").suite().content_key().empty());
}

}  // namespace lw::suites_test
