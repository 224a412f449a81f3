// report.md: verdict, protocol and tables.
#include <algorithm>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "reports/checkpoint_words.h"
#include "reports/registry.h"
#include "reports/words.h"

namespace lw {
namespace {

std::string row(const std::vector<std::string>& items) {
  std::string out = "|";
  for (const auto& item : items) out += " " + markdown_text(item) + " |";
  return out + "\n";
}

std::string head(const std::vector<std::string>& items) {
  std::string out = row(items) + "|";
  for (size_t i = 0; i < items.size(); ++i) out += i == 0 ? "---|" : "---:|";
  return out + "\n";
}

std::string verdict(const Summary& s) {
  std::string out = "## Verdict\n\n";
  for (const auto& claim : s.verdict)
    out += "- **" + markdown_text(claim.headline) + "** " + markdown_text(claim.text) + "\n";
  const auto met = std::count_if(s.protocol.begin(), s.protocol.end(),
                                 [](const auto& item) { return item.state == ProtocolItem::State::kMet; });
  out += "\n**Protocol:** " + std::to_string(met) + " of " + std::to_string(s.protocol.size()) + " met\n\n";
  for (const auto& item : s.protocol) {
    const bool done = item.state == ProtocolItem::State::kMet;
    out += std::string(done ? "- [x] " : "- [ ] ") + markdown_text(item.text) +
           (item.state == ProtocolItem::State::kMissed ? " (missed)" : "") + ": " + markdown_text(item.why) + "\n";
  }
  return out;
}

class Tables {
 public:
  explicit Tables(const Summary& s) : view_(s) {}

  std::string suite(const SuiteMeta& meta) const {
    std::string out =
        "## " + markdown_text(meta.name) + "\n\n" + (meta.summary.empty() ? "" : markdown_text(meta.summary) + ".\n");
    const std::string main = view_.main_metric(meta.name);
    if (main.empty()) return out + "\nn/a: not run\n";
    out += by_length(meta.name, main);
    for (const char* more : {"target_accuracy", "pair_accuracy", "position_blind"})
      if (view_.has(meta.name, more)) out += by_length(meta.name, more);
    if (main == "excess_nll") out += by_length(meta.name, "nll");
    out += by_distance(meta.name, main);
    out += by_depth(meta.name, main);
    return out;
  }

  std::string effective() const {
    const auto suites = accuracy_suites(view_);
    if (suites.empty()) return "";
    std::string out = "## Effective length\n\nTokens up to which accuracy holds " +
                      format_fixed(view_.summary().options.bar, 2) +
                      "at every tested length: by the mean over learned seeds, and in brackets what every "
                      "seed proves and what is not refuted (one-sided 95 %).\n\n";
    std::vector<std::string> heads = {"variant"};
    heads.insert(heads.end(), suites.begin(), suites.end());
    out += head(heads);
    for (const auto& variant : view_.variants()) {
      std::vector<std::string> items = {variant};
      for (const auto& suite : suites) items.push_back(effective_words(view_.effective(variant, suite)));
      out += row(items);
    }
    return out;
  }

  std::string short_contexts() const {
    const Summary& s = view_.summary();
    const auto variants = compared_variants(s);
    if (variants.empty()) return "";
    std::string out = "## Short contexts\n\nScaled minus unscaled up to " + format_grouped(view_.train_length()) +
                      " tokens: same weights, same probes, learned seeds. Held: any loss is smaller than " +
                      format_fixed(s.options.margin, 2) + ".\n\n" +
                      head({"variant", "suite", "unscaled", "scaled", "difference (95 %)", "p (Holm)", "n", "verdict"});
    for (const auto& variant : variants)
      for (const auto& suite : s.manifest.suites) {
        const Comparison* c = short_comparison(s, variant, suite.name);
        if (c == nullptr) continue;
        out += row({variant, suite.name, c->baseline_value ? format_fixed(*c->baseline_value, 2) : "",
                    c->value ? format_fixed(*c->value, 2) : "", difference_words(*c),
                    c->p_holm ? p_words(*c->p_holm) : "", format_grouped(c->n), c->verdict});
      }
    return out;
  }

  std::string training() const {
    std::string rows;
    for (const auto& s : view_.summary().manifest.settings)
      for (const auto& t : s.trainings)
        for (const auto& g : t.gates)
          if (!g.passed)
            rows +=
                row({s.id, g.suite, g.metric, format_fixed(g.value, 2), format_fixed(g.bar, 2), format_grouped(g.n)});
    if (rows.empty()) return "";
    return "## Seeds that did not learn\n\nLeft out of every mean.\n\n" +
           head({"setting", "suite", "metric", "value", "bar", "n"}) + rows;
  }

  /// Properties of the trained models themselves.
  std::string checks() const {
    std::string rows;
    for (const auto& s : view_.summary().manifest.settings)
      for (const Check& check : s.checks)
        rows += row({s.id, check.name, format_number(check.value), format_number(check.bar),
                     check.holds() ? "holds" : "does not hold", check.text});
    return rows.empty() ? "" : "## Checks\n\n" + head({"setting", "check", "value", "bar", "", "what"}) + rows;
  }

  std::string checkpoints() const {
    std::string rows, texts;
    std::set<std::string> told;
    for (const auto& variant : view_.variants()) {
      const auto w = checkpoint_words(view_.setting(variant));
      if (!w) continue;
      rows += row({variant, w->path, w->dtype, w->declared, w->used, w->position()});
      if (!told.insert(w->sha256).second) continue;
      texts +=
          "\n" +
          markdown_text(w->path + ": " + w->family + ", " + w->format + ", " + w->stored + ", SHA-256 " + w->sha256) +
          "\n";
      for (const auto& [suite, text] : w->texts) texts += "\n" + markdown_text(suite + ": " + text) + "\n";
    }
    return rows.empty() ? ""
                        : "## Checkpoints\n\n" +
                              head({"variant", "checkpoint", "dtype", "declared length", "length used", "position"}) +
                              rows + texts;
  }

  std::string settings() const {
    std::string out = "## Settings\n\n" + head({"variant", "scheme", "scaling", "model", "trained to"});
    for (const auto& variant : view_.variants()) {
      const SettingInfo& s = view_.setting(variant);
      out += row({variant, s.scheme, s.scaling, s.model, format_grouped(s.train_length)});
    }
    const std::string lengths = training_lengths_words(view_.summary());
    return lengths.empty() ? out : out + "\n" + lengths + "\n";
  }

 private:
  std::string by_length(const std::string& suite, const std::string& metric) const {
    std::string words = metric_words(metric);
    words[0] = static_cast<char>(words[0] >= 'a' && words[0] <= 'z' ? words[0] - 'a' + 'A' : words[0]);
    const std::string reference = reference_words(view_, suite, metric);
    std::string out = "\n" + markdown_text(words) + " by length" +
                      (reference.empty() ? "" : " (" + markdown_text(reference) + ")") + ".\n\n";
    std::vector<std::string> heads = {"variant", "seeds"};
    for (const int64_t length : view_.lengths(suite)) heads.push_back(length_words(length, view_.train_length()));
    out += head(heads);
    for (const auto& variant : view_.variants()) {
      std::vector<std::string> items = {variant, seeds_words(view_, variant, suite)};
      for (const int64_t length : view_.lengths(suite))
        items.push_back(pooled_words(view_.at(variant, suite, metric, length)));
      out += row(items);
    }
    return out;
  }

  /// At the longest length only: there all distances occur. The other lengths are in tables/pooled.csv.
  std::string by_distance(const std::string& suite, const std::string& metric) const {
    const auto bins = view_.distances(suite, metric);
    if (bins.size() < 2) return "";
    const int64_t length = view_.lengths(suite).back();
    std::string out =
        "\nBy distance between query and evidence, at length " + length_words(length, view_.train_length()) + ".\n\n";
    std::vector<std::string> heads = {"variant"};
    for (const auto& bin : bins) heads.push_back(bin_words(bin));
    out += head(heads);
    for (const auto& variant : view_.variants()) {
      std::vector<std::string> items = {variant};
      for (const auto& bin : bins)
        items.push_back(
            part(view_.at_distance(variant, suite, metric, length, bin), view_.at(variant, suite, metric, length)));
      out += row(items);
    }
    return out;
  }

  std::string by_depth(const std::string& suite, const std::string& metric) const {
    const auto depths = view_.depths(suite, metric);
    if (depths.size() < 2) return "";
    const int64_t length = view_.lengths(suite).back();
    std::string out = "\nBy depth of the evidence, at length " + length_words(length, view_.train_length()) + ".\n\n";
    std::vector<std::string> heads = {"variant"};
    for (const double depth : depths) heads.push_back(depth_words(depth));
    out += head(heads);
    for (const auto& variant : view_.variants()) {
      std::vector<std::string> items = {variant};
      for (const double depth : depths)
        items.push_back(
            part(view_.at_depth(variant, suite, metric, length, depth), view_.at(variant, suite, metric, length)));
      out += row(items);
    }
    return out;
  }

  /// A bin that no probe fell into is empty, unless there is no number at this length at all.
  std::string part(const Pooled* p, const Pooled* whole) const {
    if (p == nullptr && whole != nullptr && !whole->value) p = whole;
    return p == nullptr ? "" : pooled_value_words(p);
  }

  View view_;
};

}  // namespace

std::vector<ReportFile> make_md_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  const Tables tables(s);
  std::string out = "# " + markdown_text(s.manifest.name) + "\n\n" + markdown_text(run_words(view)) +
                    ". Means over learned seeds with 95 % intervals; no number mixes lengths inside and "
                    "beyond the training length.\n\n";
  const auto add = [&](const std::string& part) {
    if (!part.empty()) out += part + "\n";
  };
  add(verdict(s));
  for (const auto& suite : s.manifest.suites) add(tables.suite(suite));
  add(tables.effective());
  add(tables.short_contexts());
  add(tables.training());
  add(tables.checks());
  add(tables.checkpoints());
  add(tables.settings());
  std::string fence = "```";
  while (s.manifest.command.find(fence) != std::string::npos) fence += '`';
  if (!s.manifest.command.empty()) add("## Reproduce\n\n" + fence + "\n" + s.manifest.command + "\n" + fence);
  return {{"report.md", out}};
}

}  // namespace lw
