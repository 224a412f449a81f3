#include "reports/terminal.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "reports/checkpoint_words.h"
#include "reports/observations.h"
#include "reports/text_table.h"
#include "reports/words.h"

namespace lw {
namespace {

constexpr size_t kWidth = 100;

/// ".02", "1.30": what stands behind a sign.
std::string margin_digits(double value) {
  const std::string text = format_fixed(std::abs(value), 2);
  return text.starts_with("0.") ? text.substr(1) : text;
}

/// "0.98 ±.02"; at the ends of a share, where the interval has one side only, "1.00 -.03" and "0.00 +.03".
std::string value_words(const Pooled& p) {
  std::string text = format_fixed(*p.value, 2);
  if (!p.low) return text;
  const bool share = p.metric.find("nll") == p.metric.npos;
  if (share && *p.high - *p.value < 0.005)
    text += " -" + margin_digits(*p.value - *p.low);
  else if (share && *p.value - *p.low < 0.005)
    text += " +" + margin_digits(*p.high - *p.value);
  else
    text += " ±" + margin_digits(0.5 * (*p.high - *p.low));
  return text;
}

/// Tables of one summary, with the notes that explain their marks.
class Printer {
 public:
  Printer(const Summary& summary, bool color) : view_(summary), color_(color) {}

  std::string all() {
    const Summary& s = view_.summary();
    std::string out = title() + checkpoints();
    for (const auto& suite : s.manifest.suites) out += "\n" + suite_table(suite);
    out += effective_table();
    out += short_table();
    out += "\n" + verdict();
    return out;
  }

 private:
  std::string bold(const std::string& text) const { return painted(text, Paint::kBold, color_); }

  std::string title() const {
    const std::string out = bold(view_.summary().manifest.name) + ": " + run_words(view_) + "\n";
    std::string note = "Means over learned seeds, ± half of the 95 % interval.";
    if (view_.train_length() > 0) note += " Right of the bar: longer than anything seen in training.";
    return out + painted(wrapped(note, kWidth, ""), Paint::kDim, color_) + "\n";
  }

  /// Each checkpoint once: how far it was trained, and which text its losses are of.
  std::string checkpoints() const {
    std::string out;
    std::set<std::string> told;
    for (const auto& variant : view_.variants()) {
      const auto w = checkpoint_words(view_.setting(variant));
      if (!w || !told.insert(w->sha256 + w->used).second) continue;
      std::string text = w->path + " (" + w->family + ", " + w->dtype + "): trained to " + w->used;
      if (w->declared != w->used) text += ", declared " + w->declared;
      for (const auto& [suite, tokens] : w->texts) text += "; " + suite + ": " + tokens;
      out += wrapped(text, kWidth, "  ", "    ") + "\n";
    }
    return out;
  }

  Paint paint_of(const Pooled& p) const {
    if (!counts_answers(p.metric)) return Paint::kNone;
    if (*p.value >= view_.summary().options.bar) return Paint::kGood;
    return p.chance && *p.value < *p.chance + 0.5 * (view_.summary().options.bar - *p.chance) ? Paint::kBad
                                                                                              : Paint::kNone;
  }

  TextTable::Item item(const Pooled* p, bool& partly) const {
    if (p == nullptr) return {"n/a: not run", Paint::kDim, true};
    if (!p->value) return {"n/a: " + short_reason(p->reason), Paint::kDim, true};
    const bool some = p->n_scored < p->n_total;
    partly = partly || some;
    return {value_words(*p) + (some ? "!" : " "), paint_of(*p), false};
  }

  TextTable::Item seeds(const std::string& variant, const std::string& suite, bool& failed) const {
    const std::string text = seeds_words(view_, variant, suite);
    const bool all = text.back() != '*';
    failed = failed || !all;
    return {text + (all ? " " : ""), all ? Paint::kNone : Paint::kWarn, false};
  }

  std::vector<TextTable::Column> length_columns(const std::string& suite) const {
    std::vector<TextTable::Column> columns = {{"  variant", false}, {"seeds", false}};
    const auto& lengths = view_.lengths(suite);
    const int64_t train = view_.train_length();
    for (size_t i = 0; i < lengths.size(); ++i) {
      const bool first_beyond = lengths[i] > train && i > 0 && lengths[i - 1] <= train;
      const std::string times = lengths[i] > train && train > 0 ? " (" + multiple(lengths[i], train) + ")" : "";
      columns.push_back({format_grouped(lengths[i]) + (lengths[i] == train ? " train" : times), first_beyond});
    }
    return columns;
  }

  std::string suite_table(const SuiteMeta& suite) const {
    const std::string metric = view_.main_metric(suite.name);
    std::string out = bold(suite.name) + (suite.summary.empty() ? "" : ": " + suite.summary) + "\n";
    if (metric.empty()) return out + "  n/a: not run\n";
    TextTable table(length_columns(suite.name), 2);
    bool partly = false, failed = false;
    const auto groups = view_.groups(view_.variants().size() + 1);
    for (const auto& group : groups) {
      if (groups.size() > 1) table.add_heading(" " + group.title);
      for (const auto& variant : group.variants) {
        if (groups.size() > 1 && variant == view_.baseline(group.variants.back())) continue;  // among the schemes
        std::vector<TextTable::Item> row = {{"  " + variant, Paint::kNone, false}, seeds(variant, suite.name, failed)};
        for (const int64_t length : view_.lengths(suite.name))
          row.push_back(item(view_.at(variant, suite.name, metric, length), partly));
        table.add(row);
      }
    }
    return out + notes(suite.name, metric, partly, failed) + table.str(kWidth, color_) + pair_table(suite);
  }

  /// Pairs that hold the same tokens in two orders, at the training length and at the longest.
  std::string pair_table(const SuiteMeta& suite) const {
    if (!view_.has(suite.name, "pair_accuracy") || !view_.has(suite.name, "position_blind")) return "";
    std::vector<int64_t> shown;
    for (const int64_t length : view_.lengths(suite.name))
      if (length == view_.train_length() || length == view_.lengths(suite.name).back()) shown.push_back(length);
    std::vector<TextTable::Column> columns = {{"  pairs", false}};
    for (const int64_t length : shown) {
      columns.push_back({"both right, " + format_grouped(length), false});
      columns.push_back({"unmoved, " + format_grouped(length), false});
    }
    TextTable table(columns, 1);
    bool partly = false;
    for (const auto& variant : view_.variants()) {
      std::vector<TextTable::Item> row = {{"  " + variant, Paint::kNone, false}};
      for (const int64_t length : shown)
        for (const char* metric : {"pair_accuracy", "position_blind"})
          row.push_back(item(view_.at(variant, suite.name, metric, length), partly));
      table.add(row);
    }
    const std::string note = "unmoved: pairs whose answer stays when the order is swapped";
    return "\n" + table.str(kWidth, color_) + painted(wrapped(note, kWidth, "  "), Paint::kDim, color_) + "\n";
  }

  std::string notes(const std::string& suite, const std::string& metric, bool partly, bool failed) const {
    std::string text = metric_words(metric);
    const std::string reference = reference_words(view_, suite, metric);
    if (!reference.empty()) text += "; " + reference;
    std::string out = wrapped(text, kWidth, "  ") + "\n";
    if (failed) out += "  *: a seed did not pass its gate and is left out\n";
    if (partly) out += "  !: some probes have no score\n";
    return painted(out.substr(0, out.size() - 1), Paint::kDim, color_) + "\n";
  }

  std::string effective_table() const {
    const Summary& s = view_.summary();
    std::vector<TextTable::Column> columns = {{"  variant", false}};
    const auto suites = accuracy_suites(view_);
    if (suites.empty()) return "";
    for (const auto& suite : suites) columns.push_back({suite, false});
    TextTable table(columns, 1);
    for (const auto& variant : view_.variants()) {
      std::vector<TextTable::Item> row = {{"  " + variant, Paint::kNone, false}};
      for (const auto& suite : suites)
        row.push_back({effective_words(view_.effective(variant, suite)), Paint::kNone, false});
      table.add(row);
    }
    const std::string note = "tokens up to which accuracy holds " + format_fixed(s.options.bar, 2) +
                             " at every tested length: mean over learned seeds [proven, not refuted at 95 %].";
    return "\n" + bold("Effective length") + "\n" + painted(wrapped(note, kWidth, "  "), Paint::kDim, color_) + "\n" +
           table.str(kWidth, color_);
  }

  static TextTable::Item short_item(const Comparison& c) {
    if (!c.difference) return {"n/a: " + short_reason(c.reason), Paint::kDim, false};
    const Paint paint = c.verdict == "worse" ? Paint::kBad : c.verdict == "better" ? Paint::kGood : Paint::kNone;
    std::string text = signed_number(*c.difference);
    if (c.low) text += " ±" + margin_digits(0.5 * (*c.high - *c.low));
    return {text + " " + c.verdict, paint, false};
  }

  std::string short_table() const {
    const Summary& s = view_.summary();
    const auto variants = compared_variants(s);
    if (variants.empty()) return "";
    std::vector<TextTable::Column> columns = {{"  variant", false}, {"unscaled", false}};
    for (const auto& suite : s.manifest.suites) {
      const bool accuracy = counts_answers(view_.main_metric(suite.name));
      columns.push_back({suite.name + (accuracy ? "" : " (nats)"), false});
    }
    TextTable table(columns, 2);
    for (const auto& variant : variants) {
      std::vector<TextTable::Item> row = {{"  " + variant, Paint::kNone, false},
                                          {view_.baseline(variant), Paint::kNone, false}};
      for (const auto& suite : s.manifest.suites) {
        const Comparison* c = short_comparison(s, variant, suite.name);
        row.push_back(c == nullptr ? TextTable::Item{} : short_item(*c));
      }
      table.add(row);
    }
    const std::string note = "scaled minus unscaled, up to " + format_grouped(view_.train_length()) +
                             " tokens, same weights and probes, 95 % interval; held: any loss is smaller than " +
                             format_fixed(s.options.margin, 2) + ".";
    return "\n" + bold("Short contexts") + "\n" + painted(wrapped(note, kWidth, "  "), Paint::kDim, color_) + "\n" +
           table.str(kWidth, color_);
  }

  std::string verdict() const {
    const Summary& s = view_.summary();
    std::string out = bold("Verdict") + "\n";
    for (const auto& claim : s.verdict) {
      const bool good = claim.tone == Claim::Tone::kGood, bad = claim.tone == Claim::Tone::kBad;
      const std::string mark = good ? "+" : bad ? "x" : claim.tone == Claim::Tone::kPrice ? "-" : "i";
      const Paint paint = good                                ? Paint::kGood
                          : bad                               ? Paint::kBad
                          : claim.tone == Claim::Tone::kPrice ? Paint::kWarn
                                                              : Paint::kDim;
      const std::string text = wrapped(claim.headline + " " + claim.text, kWidth, "    ");
      out += "  " + painted(mark, paint, color_) + text.substr(3) + "\n";
    }
    std::vector<std::string> unmet;
    for (const auto& item : s.protocol)
      if (item.state != ProtocolItem::State::kMet) unmet.push_back(item.text + " (" + item.why + ")");
    const std::string text = "Protocol: " + std::to_string(s.protocol.size() - unmet.size()) + " of " +
                             std::to_string(s.protocol.size()) + " met" +
                             (unmet.empty() ? "." : "; open: " + join(unmet, "; ") + ".");
    return out + wrapped(text, kWidth, "  ", "    ") + "\n";
  }

  View view_;
  bool color_;
};

}  // namespace

std::string terminal_tables(const Summary& summary, bool color) { return Printer(summary, color).all(); }

}  // namespace lw
