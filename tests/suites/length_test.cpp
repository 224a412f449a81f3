// The length suite: the same targets whatever the context, and an exact loss to compare with.
#include <cmath>

#include "tests/suites/support.h"

namespace lw::suites_test {
namespace {

/// The source as the suite's file describes it, written again.
class Source {
 public:
  explicit Source(const Built& built)
      : n_(built.whole("source_symbols", 16)), lag_(built.whole("lag", 4)), copy_(built.number("copy", 0.5)) {
    Rng rng = Rng(uint64_t(built.whole("source_seed", 1))).stream("bigram table");
    for (int64_t i = 0; i < n_ * n_; ++i) weights_.push_back(std::exp(built.number("sharpness", 1.5) * rng.normal()));
  }

  /// P(next = symbol | past), past given as symbol indices.
  double probability(const std::vector<int64_t>& past, int64_t symbol) const {
    double sum = 0;
    for (int64_t s = 0; s < n_; ++s) sum += weight(past.back(), s);
    const double follow = weight(past.back(), symbol) / sum;
    if (int64_t(past.size()) < lag_) return follow;
    const bool repeats = past[past.size() - size_t(lag_)] == symbol;
    return (1 - copy_) * follow + (repeats ? copy_ : 0.0);
  }

  double entropy(const std::vector<int64_t>& past) const {
    double h = 0;
    for (int64_t s = 0; s < n_; ++s)
      if (const double p = probability(past, s); p > 0) h -= p * std::log(p);
    return h;
  }

  int64_t symbols() const { return n_; }

 private:
  double weight(int64_t from, int64_t to) const { return weights_[size_t(from * n_ + to)]; }
  int64_t n_, lag_;
  double copy_;
  std::vector<double> weights_;
};

/// "s7" -> 7, the begin token left out.
std::vector<int64_t> symbols_of(const Built& built, const Probe& p) {
  std::vector<int64_t> out;
  for (size_t t = size_t(built.start()); t < p.tokens.size(); ++t) {
    const std::string name = built.name(p.tokens[t]);
    REQUIRE(name.front() == 's');
    out.push_back(*parse_whole(name.substr(1)));
  }
  return out;
}

/// Loss and entropy of each target under the source.
std::vector<std::pair<double, double>> scored(const Built& built, const Probe& p) {
  const Source source(built);
  const auto symbols = symbols_of(built, p);
  std::vector<std::pair<double, double>> out;
  for (const auto& t : p.targets) {
    const auto at = t.slot - built.start();
    const std::vector<int64_t> past(symbols.begin(), symbols.begin() + at);
    out.emplace_back(-std::log(source.probability(past, symbols[size_t(at)])), source.entropy(past));
  }
  return out;
}

double mean_loss(const Built& built, const Probe& p) {
  double sum = 0;
  const auto all = scored(built, p);
  for (const auto& [loss, entropy] : all) sum += loss;
  return sum / double(all.size());
}

}  // namespace

TEST_CASE("targets are the last tokens, the same ones at every length", "[suites][length]") {
  for (const auto& options : option_sets().at("length")) {
    for (const bool begin : {false, true}) {
      const Built built("length", options, begin);
      const int64_t scored = built.whole("scored", 16), lag = built.whole("lag", 4);
      for (int64_t i = 0; i < 4; ++i) {
        const Probe longest = built.make(300, i);
        INFO(options << " index " << i);
        for (const int64_t length : lengths_from(built.min_length())) {
          const Probe p = built.make(length, i);
          REQUIRE(p.targets.size() == size_t(scored));
          CHECK(p.targets.front().slot == length - scored);
          CHECK(p.query_offset == length - scored - 1);
          CHECK(p.targets.front().distance == lag - 1);
          // The whole visible text is the end of the longest one, so only the context grows.
          const auto visible = length - built.start();
          CHECK(std::equal(p.tokens.end() - visible, p.tokens.end(), longest.tokens.end() - visible));
          CHECK(p.group == longest.group);
        }
      }
    }
  }
}

TEST_CASE("the ideal loss is the source's own, and the same at every length", "[suites][length]") {
  for (const auto& options : option_sets().at("length")) {
    for (const bool begin : {false, true}) {
      const Built built("length", options, begin);
      INFO(options);
      for (int64_t i = 0; i < 5; ++i) {
        const double expected = mean_loss(built, built.make(200, i));
        for (const int64_t length : {built.min_length(), int64_t(64), int64_t(300)}) {
          if (length < built.min_length()) continue;
          const Probe p = built.make(length, i);
          REQUIRE(p.ideal_nll.has_value());
          CHECK(*p.ideal_nll == Approx(expected).epsilon(1e-12));
        }
        const Probe training = built.make(built.min_length() + 3, i, Rng(4), true);
        CHECK(*training.ideal_nll == Approx(mean_loss(built, training)).epsilon(1e-12));
        CHECK(training.targets.size() == size_t(training.length() - built.start() - 1));
      }
    }
  }
}

// If the text really follows the source, the mean loss of a predictor that knows it is the mean entropy of
// its predictions; a generator that strayed from the source would lose more, or less.
TEST_CASE("the text follows the source: loss meets entropy within its error", "[suites][length]") {
  for (const auto& options : option_sets().at("length")) {
    const Built built("length", options);
    INFO(options);
    std::vector<double> excess;
    double ideal = 0;
    int64_t probes = 0;
    for (int64_t i = 0; i < 150; ++i) {
      const Probe p = built.make(300, i, Rng(6), true);
      for (const auto& [loss, entropy] : scored(built, p)) excess.push_back(loss - entropy);
      ideal += *p.ideal_nll;
      ++probes;
    }
    double mean = 0, squares = 0;
    for (const double e : excess) mean += e / double(excess.size());
    for (const double e : excess) squares += (e - mean) * (e - mean) / double(excess.size());
    CHECK(std::abs(mean) < 4 * std::sqrt(squares / double(excess.size())));
    CHECK(ideal / double(probes) < std::log(double(Source(built).symbols())));  // there is something to learn
  }
}

TEST_CASE("every next token has a probability, and they sum to one", "[suites][length]") {
  const Built built("length", "{}");
  const Source source(built);
  const auto symbols = symbols_of(built, built.make(30, 0));
  double sum = 0;
  for (int64_t s = 0; s < source.symbols(); ++s) sum += source.probability(symbols, s);
  CHECK(sum == Approx(1).epsilon(1e-12));
}

TEST_CASE("another source seed is another source; another index another document", "[suites][length]") {
  const Built one("length", "{source_seed: 1}"), two("length", "{source_seed: 2}");
  CHECK(one.make(100, 0).tokens != two.make(100, 0).tokens);
  CHECK(one.make(100, 0).tokens != one.make(100, 1).tokens);
  CHECK(one.make(100, 0, Rng(1)).tokens != one.make(100, 0, Rng(2)).tokens);
}

TEST_CASE("a length beyond the document is refused, but never reads past it", "[suites][length]") {
  const Built built("length", "{document: 64}");
  built.check_length(64);
  CHECK(test::error_of([&] { built.check_length(65); }) ==
        "document: found 64, shorter than length 65; allowed: the longest length or more");
  CHECK(built.make(100, 0).length() == 100);  // a gate at a training length above the document
  CHECK(*built.make(100, 0).ideal_nll == Approx(mean_loss(built, built.make(100, 0))).epsilon(1e-12));
}

}  // namespace lw::suites_test
