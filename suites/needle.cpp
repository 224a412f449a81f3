// Needles among filler, each a key and its value; the query names a key and the answer is its value. All keys and
// values of one haystack differ, so that no distractor names the answer. Layout: [begin] body... ask key answer. Fused:
// a needle is one token that holds both, and the query is a token of its own. No induction circuit is needed, so
// training takes seconds; only long distances remain hard.
// Pair: a needle is two adjacent tokens, and the query repeats the key, which is what induction heads answer (Olsson et
// al. 2022), so a pretrained language model needs no training. The evidence is the token of the value.
#include <algorithm>
#include <iterator>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "suites/sequence.h"

namespace lw {
namespace {

struct NeedleOptions {
  int64_t keys = 8, values = 8, needles = 4, filler = 8;
  std::vector<double> depths;
  std::vector<int64_t> distances;  // used instead of depths when not empty
  bool pair = false;

  // Symbols: needles that are one token, then keys, values and filler.
  int64_t first_key() const { return pair ? 0 : keys * values; }
  int64_t first_value() const { return first_key() + keys; }
  int64_t first_filler() const { return first_value() + values; }
};

class Needle final : public SymbolSuite {
 public:
  /// The shortest probe holds begin, ask, key and answer; pairs fit on both sides of the asked one at any place of it,
  /// with one token to spare.
  explicit Needle(NeedleOptions options)
      : SymbolSuite({.min_length = 4 + (options.pair ? 2 * options.needles + 1 : options.needles),
                     .symbols = options.first_filler() + options.filler,
                     .chance = 1.0 / double(options.values)}),
        o_(std::move(options)) {}

  std::string symbol_name(int64_t index) const override {
    if (index < first_key()) return text("k", index / o_.values, "=v", index % o_.values);
    if (index < first_value()) return text("k", index - first_key(), o_.pair ? "" : "?");
    if (index < first_filler()) return text("v", index - first_value());
    return text("~", index - first_filler());
  }

  void check_length(int64_t length) const override {
    const int64_t most = farthest(length - 4);  // no needle may take the place of the begin token
    for (const int64_t d : o_.distances)
      if (d > most)
        throw OptionError("distances", found(d, ", which does not fit length ", length).allowed("up to ", most));
  }

  Probe make(const ProbeRequest& request, const Vocabulary& vocabulary) const override {
    Rng rng = probe_stream(request, request.index);
    const int64_t start = vocabulary.begin ? 1 : 0;
    const int64_t body = request.length - 3 - start;
    const auto symbol = [&](int64_t i) { return vocabulary.symbols[size_t(i)]; };
    const auto keys = rng.distinct(o_.needles, o_.keys);
    const auto values = rng.distinct(o_.needles, o_.values);
    const auto places = needle_places(request, body, rng);

    Probe p;
    p.tokens = filler_sequence(body, first_filler(), o_.filler, rng, vocabulary);
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto at = size_t(start + places[i]);
      p.tokens[at] = symbol(o_.pair ? first_key() + keys[i] : keys[i] * o_.values + values[i]);
      if (o_.pair) p.tokens[at + 1] = symbol(first_value() + values[i]);
    }
    p.tokens.push_back(vocabulary.ask);
    p.query_offset = p.length();
    p.tokens.push_back(symbol(first_key() + keys[0]));
    p.needle_offsets = {start + places[0] + width() - 1};  // the asked value; distractors are not evidence
    const Token label = symbol(first_value() + values[0]);
    p.targets.push_back({p.length(), label, p.query_offset - p.needle_offsets[0]});
    p.tokens.push_back(label);

    for (int64_t v = 0; v < o_.values; ++v) p.candidates.push_back(symbol(first_value() + v));
    p.answer_budget = 1;
    const int64_t last = body - width();  // place of a needle
    p.depth = last > 0 ? double(places[0]) / double(last) : 0.0;
    p.group = text("haystack-", request.length, "-", request.index);
    const auto value_at = [&](auto chosen) { return symbol(first_value() + values[size_t(chosen - places.begin())]); };
    p.guesses = {{"first value", value_at(std::min_element(places.begin(), places.end()))},
                 {"last value", value_at(std::max_element(places.begin(), places.end()))}};
    return p;
  }

 private:
  int64_t width() const { return o_.pair ? 2 : 1; }  // tokens in a needle
  int64_t first_key() const { return o_.first_key(); }
  int64_t first_value() const { return o_.first_value(); }
  int64_t first_filler() const { return o_.first_filler(); }
  /// Distance from the query, one after `ask`, to the value of a needle at the first place of the body.
  int64_t farthest(int64_t body) const { return body + 2 - width(); }

  /// Places in the body, the asked needle's first.
  std::vector<int64_t> needle_places(const ProbeRequest& request, int64_t body, Rng& rng) const {
    if (request.training) return any_places(o_.needles, body, rng);
    int64_t asked = 0;
    if (!o_.distances.empty()) {
      // A gate is scored at the training length, where some distances may not fit; check_length() protects the cells.
      std::vector<int64_t> fitting;
      std::copy_if(o_.distances.begin(), o_.distances.end(), std::back_inserter(fitting),
                   [&](int64_t d) { return d <= farthest(body); });
      if (fitting.empty()) return any_places(o_.needles, body, rng);
      asked = farthest(body) - fitting[size_t(request.index) % fitting.size()];
    } else {
      asked = offset_at(o_.depths[size_t(request.index) % o_.depths.size()], body - width() + 1);
    }
    auto places = o_.pair ? pairs_beside(asked, body, rng) : rng.distinct(o_.needles - 1, body - 1);
    if (!o_.pair)
      for (auto& place : places) place += place >= asked ? 1 : 0;  // never on the asked one's place
    places.insert(places.begin(), asked);
    return places;
  }

  /// `count` needles that do not overlap, in random order: each way to place them is as likely as any other.
  std::vector<int64_t> any_places(int64_t count, int64_t room, Rng& rng) const {
    const auto cells = rng.distinct(count, room - count * (width() - 1));  // as if each were one token
    std::vector<int64_t> places;
    for (const int64_t cell : cells)
      places.push_back(cell + (width() - 1) * std::count_if(cells.begin(), cells.end(),
                                                            [&](int64_t other) { return other < cell; }));
    return places;
  }

  /// The other pairs: before and behind the asked one, in proportion to the room on each side.
  std::vector<int64_t> pairs_beside(int64_t asked, int64_t body, Rng& rng) const {
    const int64_t before = asked, behind = body - asked - 2;
    const auto sides = rng.distinct(o_.needles - 1, before / 2 + behind / 2);
    const auto count = std::count_if(sides.begin(), sides.end(), [&](int64_t s) { return s < before / 2; });
    auto places = any_places(count, before, rng);
    for (const int64_t place : any_places(o_.needles - 1 - count, behind, rng)) places.push_back(asked + 2 + place);
    return places;
  }

  NeedleOptions o_;
};

/// Whether needles are pairs. Absent stays absent, so that what was trained before there were styles keeps its key.
bool read_style(ConfigNode& o) {
  const char* doc = "what a needle is; fused when absent";
  if (!o.has("style")) return o.str("style", "", doc) == "pair";
  const NamedValues<bool> styles = {
      {false, "fused", "one token that is key and value"},
      {true, "pair", "a key and behind it its value, as induction finds them: for checkpoints too"}};
  return o.choice("style", styles, false, doc);
}

}  // namespace

extern const SuiteInfo needle_suite{
    "needle",
    "recall one of several needles, at chosen depths or distances",
    "cf. Kamradt 2023 (needle in a haystack); Hsieh et al. 2024, arXiv:2404.06654; pairs: Olsson et al. 2022, "
    "arXiv:2209.11895",
    {"retrieval"},
    [](ConfigNode& o) -> std::unique_ptr<Suite> {
      NeedleOptions n;
      n.keys = o.integer("keys", 8, {1, 256}, "distinct keys");
      n.values = o.integer("values", 8, {2, 256}, "distinct values; chance is one over this");
      n.needles = o.integer("needles", 4, {1, 256}, "needles in a haystack, the asked one included");
      n.filler = o.integer("filler", 8, {1, 4096}, "distinct filler symbols");
      n.depths =
          o.numbers("depths", {0.0, 0.5, 1.0}, {0, 1}, "where the asked needle stands: 0 start, 1 end of the haystack");
      n.distances = o.integers("distances", {}, {2, 1 << 24},
                               "exact distances from the query, in place of depths; 2 is the last place");
      n.pair = read_style(o);
      o.require(
          n.needles <= std::min(n.keys, n.values), "needles",
          found(n.needles).allowed("at most keys and values (", n.keys, " and ", n.values, "), so that all differ"));
      o.require(!n.depths.empty() || !n.distances.empty(), "depths",
                found_what("an empty list").allowed("at least one depth"));
      return std::make_unique<Needle>(std::move(n));
    }};
}  // namespace lw
