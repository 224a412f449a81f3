#include "reports/tables/value_cells.h"

#include <algorithm>
#include <cmath>

#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/pooled.h"

namespace lw {
namespace {

/// ".02", "1.30": what stands behind a sign.
std::string margin_digits(double value) {
  const std::string text = format_fixed(std::abs(value), 2);
  return text.starts_with("0.") ? text.substr(1) : text;
}

/// "0.98 ±.02"; at the ends of a share, where the interval has one side only, "1.00 -.03" and "0.00 +.03".
std::string brief_words(const Pooled& p) {
  const std::string value = format_fixed(*p.value, 2);
  if (!p.low) return value;
  const bool share = metric(p.metric).share();
  if (share && *p.high - *p.value < 0.005) return value + " -" + margin_digits(*p.value - *p.low);
  if (share && *p.value - *p.low < 0.005) return value + " +" + margin_digits(*p.high - *p.value);
  return value + " ±" + margin_digits(0.5 * (*p.high - *p.low));
}

CellState state_of(const Pooled& p, double bar) {
  if (metric(p.metric).shown != Shown::kAnswers) return CellState::kPlain;
  if (!complete(p) || !p.low) return CellState::kPlain;
  if (*p.low >= bar) return CellState::kGood;
  if (*p.high >= bar) return CellState::kPlain;  // neither held nor refuted
  const bool near_chance = p.chance && *p.value < *p.chance + 0.5 * (bar - *p.chance);
  return near_chance ? CellState::kBad : CellState::kPlain;
}

}  // namespace

TableCell pooled_cell(const Pooled* p, double bar) {
  if (p == nullptr) return missing_cell("not run");
  if (!p->value) return missing_cell(p->reason);
  TableCell cell;
  cell.n = format_grouped(p->n);
  if (!p->complete()) cell.mark = "!", cell.state = CellState::kWarn;
  if (p->bound_low) {
    cell.text = cell.brief = format_fixed(*p->bound_low, 2) + " to " + format_fixed(*p->bound_high, 2);
    return cell;
  }
  cell.text = format_fixed(*p->value, 2);
  if (p->complete()) cell.state = state_of(*p, bar);
  cell.brief = brief_words(*p);
  if (p->low) cell.low = format_fixed(*p->low, 2), cell.high = format_fixed(*p->high, 2);
  return cell;
}

TableCell reach_cell(const EffectiveLength* e) {
  if (e == nullptr) return missing_cell("not run");
  if (e->longest == 0) return missing_cell(e->reason);
  TableCell cell;
  cell.text = e->claimed ? e->text(e->claimed) : "none";
  cell.low = e->text(e->point), cell.high = e->text(e->not_refuted);
  cell.note = e->reason;
  return cell;
}

TableCell difference_cell(const Comparison& c) {
  if (!c.difference) return missing_cell(c.reason);
  TableCell cell;
  cell.text = signed_number(*c.difference);
  cell.brief = cell.text;
  if (!c.low) return cell;
  cell.low = signed_number(*c.low);
  cell.high = signed_number(*c.high);
  cell.brief += " ±" + margin_digits(0.5 * (*c.high - *c.low));
  return cell;
}

CellState state_of(Verdict verdict) {
  if (verdict == Verdict::kBetter) return CellState::kGood;
  return verdict == Verdict::kWorse || verdict == Verdict::kLost ? CellState::kBad : CellState::kPlain;
}

TableCell verdict_cell(const Comparison& c) {
  const bool open = c.verdict == Verdict::kUndecided;
  const bool weights =
      c.about == About::kWeights || (open && c.on_weights && c.on_weights->verdict != Verdict::kUndecided);
  const Verdict verdict = weights && c.on_weights ? c.on_weights->verdict : c.verdict;
  TableCell cell;
  cell.text = verdict_words(verdict);
  cell.state = c.lost > 0 ? CellState::kBad : state_of(verdict);
  const bool shown = verdict != Verdict::kAtChance && verdict != Verdict::kIncomplete && verdict != Verdict::kUndecided;
  if (weights && shown) cell.text += " on these weights";
  if (verdict == Verdict::kUndecided && c.detectable)
    cell.note = *c.detectable < 0.005 ? "<0.01" : format_fixed(*c.detectable, 2);
  if (!weights && c.on_weights && shown && c.on_weights->verdict != verdict &&
      c.on_weights->verdict != Verdict::kUndecided)
    cell.note = std::string(verdict_words(c.on_weights->verdict)) + " on these weights";
  if (verdict == Verdict::kIncomplete) cell.note = format_grouped(c.missing) + " without a score";
  if (!c.difference)
    cell.note = c.reason;
  else if (c.lost > 0)
    cell.note += (cell.note.empty() ? "" : ", ") + format_grouped(c.lost) + " lost";
  return cell;
}

TableCell seed_range_cell(const Comparison& c) {
  if (c.by_seed.empty()) return {};
  const auto [low, high] = std::minmax_element(
      c.by_seed.begin(), c.by_seed.end(), [](const auto& x, const auto& y) { return x.difference < y.difference; });
  const auto count = c.by_seed.size();
  if (count == 1) return {"1"};
  return {text(count, ": ", signed_number(low->difference), " to ", signed_number(high->difference))};
}

TableCell seeds_cell(const View& view, const std::string& variant, const std::string& suite) {
  const auto& settings = view.settings(variant);
  const auto learned =
      std::count_if(settings.begin(), settings.end(), [&](const auto* s) { return s->learned(suite); });
  TableCell cell;
  cell.text = text(learned, "/", settings.size());
  if (learned != std::ssize(settings)) cell.mark = "*", cell.state = CellState::kWarn;
  return cell;
}

TableCell holds_cell(bool holds) {
  return {holds ? "holds" : "does not hold", holds ? CellState::kGood : CellState::kWarn};
}

TableColumn length_column(int64_t length, int64_t train_length) {
  TableColumn column{format_grouped(length)};
  column.strong = true;
  if (train_length <= 0) return column;
  column.beyond = length > train_length;
  if (length >= train_length) column.note = column.beyond ? multiple(length, train_length) : "trained";
  return column;
}

}  // namespace lw
