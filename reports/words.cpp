#include "reports/words.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"

namespace lw {

std::string length_words(int64_t length, int64_t train_length) {
  std::string text = format_grouped(length);
  if (train_length <= 0 || length < train_length) return text;
  return text + (length == train_length ? " (trained)" : " (" + multiple(length, train_length) + ")");
}

namespace {

constexpr size_t kMostReferences = 4;  // of one kind, each with its variants

/// "chance 0.25" and "guessing 'last' 0.26" of one variant, at the longest length that has a number.
std::vector<std::string> references_of(const View& view, const std::string& variant, const std::string& suite,
                                       const Metric& metric) {
  std::vector<std::string> parts;
  const auto& lengths = view.lengths(suite);
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
    const Pooled* p = view.at(variant, suite, metric, *length);
    if (p == nullptr || !p->value) continue;
    if (p->chance && *p->chance >= 0.005) parts.push_back("chance " + share_words(*p->chance));
    for (const auto& [name, value] : p->baselines)
      parts.push_back((name == kIdealNll ? "ideal " : "guessing '" + name + "' ") + format_fixed(value, 2));
    break;
  }
  return parts;
}

/// One kind of reference, "chance" or "guessing 'last'", with the variants that each wording of it is true for.
struct ReferenceKind {
  std::string name;
  std::vector<std::pair<std::string, std::vector<std::string>>> wordings = {};

  void add(const std::string& words, const std::string& variant) {
    auto known = std::find_if(wordings.begin(), wordings.end(), [&](const auto& w) { return w.first == words; });
    if (known == wordings.end()) known = wordings.insert(wordings.end(), {words, {}});
    known->second.push_back(variant);
  }
  std::string words() const {
    if (wordings.size() == 1) return wordings.front().first;
    if (wordings.size() > kMostReferences) return name + " by variant: tables/pooled.csv";
    std::vector<std::string> parts;
    for (const auto& [words, variants] : wordings) parts.push_back(words + " (" + name_list(variants, 3) + ")");
    return join(parts);
  }
};

}  // namespace

std::string reference_words(const View& view, const std::string& suite, const Metric& metric) {
  std::vector<ReferenceKind> kinds;
  for (const auto& variant : view.variants())
    for (const auto& words : references_of(view, variant, suite, metric)) {
      const std::string name = words.substr(0, words.rfind(' '));
      auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == name; });
      if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {name});
      kind->add(words, variant);
    }
  std::vector<std::string> parts;
  for (const auto& kind : kinds) parts.push_back(kind.words());
  return join(parts);
}

std::string trained_words(const View& view) {
  const auto lengths = view.train_lengths();
  if (lengths.empty()) return "";
  if (view.train_length() > 0) return format_grouped(view.train_length()) + " tokens";
  std::string out;
  for (size_t i = 0; i < lengths.size(); ++i)
    out += (i == 0 ? "" : i + 1 == lengths.size() ? " or " : ", ") + format_grouped(lengths[i]);
  return out + " tokens, by variant";
}

std::string run_words(const View& view) {
  std::set<int64_t> seeds;
  for (const auto& s : view.summary().manifest.settings) seeds.insert(s.seed);
  std::string out = plural(int64_t(view.variants().size()), "variant") + ", " + plural(int64_t(seeds.size()), "seed");
  if (!view.train_lengths().empty()) out += ", trained to " + trained_words(view);
  if (view.longest() > 0) {
    const std::string times = multiple(view.longest(), view.train_length());
    out += ", evaluated to " + format_grouped(view.longest()) + (times.empty() ? "" : " (" + times + ")");
  }
  if (const auto& limit = view.summary().manifest.limit)
    out += ", limited to " + plural(*limit, "probe") + " at each length";
  return out;
}

std::string config_words(const Manifest& manifest) {
  return manifest.config.empty() ? "" : "SHA-256 of config.yaml: " + manifest.config;
}

std::vector<std::string> answer_suites(const View& view) {
  std::vector<std::string> suites;
  for (const auto& suite : view.summary().manifest.suites)
    if (view.has_answers(suite.name)) suites.push_back(suite.name);
  return suites;
}

std::vector<std::string> compared_variants(const Summary& summary) {
  std::vector<std::string> variants;
  for (const auto& c : summary.comparisons)
    if (c.scope == Scope::kShort && std::find(variants.begin(), variants.end(), c.variant) == variants.end())
      variants.push_back(c.variant);
  return variants;
}

const Comparison* short_comparison(const Summary& summary, const std::string& variant, const std::string& suite) {
  for (const auto& c : summary.comparisons)
    if (c.scope == Scope::kShort && c.variant == variant && c.suite == suite) return &c;
  return nullptr;
}

std::string depth_words(const double& depth) {
  if (depth == 0) return "start";
  if (depth == 1) return "end";
  if (depth == 0.5) return "middle";
  const std::string exact = format_number(depth);
  return exact.size() > 5 ? format_fixed(depth, 2) : exact;  // drawn anywhere, not on a grid
}

std::string_view answer_words(ProtocolItem::State state) {
  switch (state) {
    case ProtocolItem::State::kYes:
      return "yes";
    case ProtocolItem::State::kInPart:
      return "in part";
    case ProtocolItem::State::kNo:
      return "no";
    case ProtocolItem::State::kTooFew:
      return "too few probes";
    case ProtocolItem::State::kNotAsked:
      return "not asked";
  }
  return "";
}

std::string protocol_count(const Summary& summary) {
  using State = ProtocolItem::State;
  std::vector<std::string> parts;
  for (const State state : {State::kYes, State::kInPart, State::kNo, State::kTooFew, State::kNotAsked}) {
    const auto count = std::count_if(summary.protocol.begin(), summary.protocol.end(),
                                     [&](const auto& item) { return item.state == state; });
    if (count > 0) parts.push_back(text(count, state == State::kTooFew ? " with " : " ", answer_words(state)));
  }
  return join(parts);
}

std::string better_words(const Metric& metric) {
  return metric.better == Better::kHigher ? "better to the right" : "better to the left";
}

std::string short_number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string training_lengths_words(const Summary& summary) {
  std::vector<std::string> parts;
  for (const auto& setting : summary.manifest.settings)
    for (const auto& t : setting.trainings)
      for (size_t i = 0; i < t.shortest.size(); ++i) {
        const std::string part = t.suites[i] + " " + format_grouped(t.shortest[i]) + " to " +
                                 format_grouped(setting.train_length) + " tokens";
        if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
      }
  return parts.empty() ? "" : "Lengths drawn in training: " + join(parts) + ".";
}

}  // namespace lw
