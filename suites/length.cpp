// Length: the loss on the same tokens with more and more context to their left, inside and beyond the training length.
// The last `scored` tokens of a document are the fixed targets; a probe of length T is the document's last T tokens, so
// only the context grows.
// Source: with probability `copy` a token repeats the one `lag` places back, else it follows a fixed bigram table. Both
// rules need near distances alone and hold at every position, and the loss of a model that knows them is exact, so any
// increase with length is due to the position scheme.
#include <algorithm>
#include <cmath>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "suites/sequence.h"

namespace lw {
namespace {

struct LengthOptions {
  int64_t source_symbols = 16, lag = 4, scored = 16, document = 4096, source_seed = 1;
  double copy = 0.5, sharpness = 1.5;
};

class Length final : public SymbolSuite {
 public:
  explicit Length(const LengthOptions& options)
      : SymbolSuite(
            {.min_length = options.scored + options.lag + 1, .symbols = options.source_symbols, .causal_only = true}),
        o_(options) {
    Rng rng = Rng(uint64_t(o_.source_seed)).stream("bigram table");
    const auto n = size_t(o_.source_symbols);
    bigram_.assign(n, std::vector<double>(n));
    for (auto& row : bigram_) {
      double sum = 0;
      for (auto& p : row) sum += p = std::exp(o_.sharpness * rng.normal());
      for (auto& p : row) p /= sum;
    }
  }

  std::string symbol_name(int64_t index) const override { return "s" + std::to_string(index); }

  void check_length(int64_t length) const override {
    if (length > o_.document)
      throw OptionError("document",
                        found(o_.document, ", shorter than length ", length).allowed("the longest length or more"));
  }

  Probe make(const ProbeRequest& request, const Vocabulary& vocabulary) const override {
    const int64_t start = vocabulary.begin ? 1 : 0, visible = request.length - start;
    const auto document = draw(request, visible);

    Probe p;
    if (vocabulary.begin) p.tokens.push_back(*vocabulary.begin);
    for (const int64_t s : document) p.tokens.push_back(vocabulary.symbols[size_t(s)]);
    const int64_t first = request.training ? start + 1 : p.length() - o_.scored;
    double ideal = 0;
    for (int64_t slot = first; slot < p.length(); ++slot) {
      p.targets.push_back({slot, p.tokens[size_t(slot)], o_.lag - 1});
      ideal += ideal_nll(document, slot - start);
    }
    p.ideal_nll = ideal / double(p.targets.size());
    p.answer_budget = 0;
    p.query_offset = first - 1;
    p.group = "document-" + std::to_string(request.index);
    return p;
  }

 private:
  /// The last `visible` symbols of a document. In training it is drawn just as long; in evaluation it has
  /// its full length whatever is visible, so that its end is the same for every probe length.
  std::vector<int64_t> draw(const ProbeRequest& request, int64_t visible) const {
    if (request.training) return generate(probe_stream(request, request.index), visible);
    const auto whole = generate(request.stream.stream(uint64_t(request.index)), std::max(o_.document, visible));
    return {whole.end() - visible, whole.end()};
  }

  std::vector<int64_t> generate(Rng rng, int64_t count) const {
    std::vector<int64_t> out;
    for (int64_t t = 0; t < count; ++t) out.push_back(next(out, rng));
    return out;
  }

  int64_t next(const std::vector<int64_t>& past, Rng& rng) const {
    const auto t = int64_t(past.size());
    if (t == 0) return rng.below(o_.source_symbols);
    if (t >= o_.lag && rng.uniform() < o_.copy) return past[size_t(t - o_.lag)];
    double u = rng.uniform();
    const auto& row = bigram_[size_t(past.back())];
    for (int64_t s = 0; s + 1 < o_.source_symbols; ++s)
      if ((u -= row[size_t(s)]) < 0) return s;
    return o_.source_symbols - 1;
  }

  double ideal_nll(const std::vector<int64_t>& document, int64_t t) const {
    const auto at = [&](int64_t i) { return document[size_t(i)]; };
    const double follow = bigram_[size_t(at(t - 1))][size_t(at(t))];
    if (t < o_.lag) return -std::log(follow);
    return -std::log(o_.copy * (at(t) == at(t - o_.lag) ? 1.0 : 0.0) + (1.0 - o_.copy) * follow);
  }

  LengthOptions o_;
  std::vector<std::vector<double>> bigram_;
};

}  // namespace

extern const SuiteInfo length_suite{
    "length",
    "loss on fixed tokens as the context to their left grows",
    "cf. Press et al. 2022, arXiv:2108.12409, section 2",
    {},
    [](ConfigNode& o) -> std::unique_ptr<Suite> {
      LengthOptions l;
      l.source_symbols = o.integer("source_symbols", 16, {2, 4096}, "distinct symbols of the source");
      l.lag = o.integer("lag", 4, {1, 1024}, "a token repeats the one this many places back, with probability copy");
      l.copy = o.number("copy", 0.5, {0, 0.99}, "probability of repeating the token at `lag`");
      l.sharpness = o.number("sharpness", 1.5, {0, 10}, "spread of the bigram table's log-weights; 0 makes it flat");
      l.scored = o.integer("scored", 16, {1, 1 << 20}, "tokens at the end of each document that are scored");
      l.document = o.integer("document", 4096, {8, 1 << 24}, "tokens in a document; the longest length or more");
      l.source_seed = o.integer("source_seed", 1, {0, 1LL << 53}, "which source: seeds the bigram table");
      o.require(l.scored + l.lag < l.document, "scored", found(l.scored).allowed("less than document minus lag"));
      return std::make_unique<Length>(l);
    }};
}  // namespace lw
