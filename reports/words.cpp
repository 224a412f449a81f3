#include "reports/words.h"

#include <algorithm>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "reports/observations.h"

namespace lw {

std::string pooled_value_words(const Pooled* p) {
  if (p == nullptr) return "n/a: not run";
  if (!p->value) return "n/a: " + short_reason(p->reason);
  return format_fixed(*p->value, 2) + (p->n_scored < p->n_total ? "!" : "");
}

std::string pooled_words(const Pooled* p) {
  std::string text = pooled_value_words(p);
  if (p != nullptr && p->low) text += " [" + format_fixed(*p->low, 2) + ", " + format_fixed(*p->high, 2) + "]";
  return text;
}

std::string effective_words(const EffectiveLength* e) {
  if (e == nullptr) return "n/a: not run";
  if (e->longest == 0) return "n/a: " + short_reason(e->reason);
  std::string text = e->text(e->point);
  if (e->proven != e->point || e->not_refuted != e->point)
    text += " [" + e->text(e->proven) + ", " + e->text(e->not_refuted) + "]";
  return text;
}

std::string difference_words(const Comparison& c) {
  if (!c.difference) return "n/a: " + short_reason(c.reason);
  std::string text = signed_number(*c.difference);
  if (c.low) text += " [" + signed_number(*c.low) + ", " + signed_number(*c.high) + "]";
  return text;
}

std::string length_words(int64_t length, int64_t train_length) {
  std::string text = format_grouped(length);
  if (train_length <= 0 || length < train_length) return text;
  return text + (length == train_length ? " (trained)" : " (" + multiple(length, train_length) + ")");
}

std::string seeds_words(const View& view, const std::string& variant, const std::string& suite) {
  const auto& settings = view.settings(variant);
  const auto learned =
      std::count_if(settings.begin(), settings.end(), [&](const auto* s) { return s->learned(suite); });
  return std::to_string(learned) + "/" + std::to_string(settings.size()) + (learned == std::ssize(settings) ? "" : "*");
}

std::string reference_words(const View& view, const std::string& suite, const std::string& metric) {
  std::vector<std::string> parts;
  const auto& lengths = view.lengths(suite);
  for (auto length = lengths.rbegin(); length != lengths.rend() && parts.empty(); ++length)
    for (const auto& variant : view.variants()) {
      const Pooled* p = view.at(variant, suite, metric, *length);
      if (p == nullptr || !p->value) continue;
      if (p->chance && *p->chance >= 0.005) parts.push_back("chance " + share_words(*p->chance));
      for (const auto& [name, value] : p->baselines)
        parts.push_back((name == "ideal_nll" ? "ideal " : "guessing '" + name + "' ") + format_fixed(value, 2));
      break;
    }
  return join(parts);
}

std::string run_words(const View& view) {
  std::set<int64_t> seeds;
  for (const auto& s : view.summary().manifest.settings) seeds.insert(s.seed);
  std::string out = std::to_string(view.variants().size()) +
                    (view.variants().size() == 1 ? " variant, " : " variants, ") + std::to_string(seeds.size()) +
                    (seeds.size() == 1 ? " seed" : " seeds");
  if (view.train_length() > 0) out += ", trained to " + format_grouped(view.train_length()) + " tokens";
  if (view.longest() > 0) {
    const std::string times = multiple(view.longest(), view.train_length());
    out += ", judged to " + format_grouped(view.longest()) + (times.empty() ? "" : " (" + times + ")");
  }
  return out;
}

std::vector<std::string> accuracy_suites(const View& view) {
  std::vector<std::string> suites;
  for (const auto& suite : view.summary().manifest.suites)
    if (counts_answers(view.main_metric(suite.name))) suites.push_back(suite.name);
  return suites;
}

std::vector<std::string> compared_variants(const Summary& summary) {
  std::vector<std::string> variants;
  for (const auto& c : summary.comparisons)
    if (c.scope == "short" && std::find(variants.begin(), variants.end(), c.variant) == variants.end())
      variants.push_back(c.variant);
  return variants;
}

const Comparison* short_comparison(const Summary& summary, const std::string& variant, const std::string& suite) {
  for (const auto& c : summary.comparisons)
    if (c.scope == "short" && c.variant == variant && c.suite == suite) return &c;
  return nullptr;
}

std::string markdown_text(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool link = text[i] == ']' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == ':');
    if (link || std::string_view("\\`*_<>|#").find(text[i]) != std::string_view::npos) out += '\\';
    out += text[i] == '\n' ? ' ' : text[i];
  }
  return out;
}

std::string depth_words(double depth) {
  if (depth == 0) return "start";
  if (depth == 1) return "end";
  if (depth == 0.5) return "middle";
  const std::string exact = format_number(depth);
  return exact.size() > 5 ? format_fixed(depth, 2) : exact;  // drawn anywhere, not on a grid
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
