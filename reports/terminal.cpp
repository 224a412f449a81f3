#include "reports/terminal.h"

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/tables/checkpoint_tables.h"
#include "reports/tables/comparison_tables.h"
#include "reports/tables/result_tables.h"
#include "reports/words.h"
#include "reports/writers/terminal.h"

namespace lw {
namespace {

std::string bold(const std::string& text, bool color) { return painted(text, Paint::kBold, color); }

std::string dim(const std::string& text, const std::string& indent, bool color) {
  return painted(wrapped(text, kTerminalWidth, indent), Paint::kDim, color) + "\n";
}

std::string title(const View& view, bool color) {
  std::string note = "Means over learned seeds, ± half of the 95 % interval.";
  if (view.train_length() > 0) note += " Right of the bar: longer than anything seen in training.";
  if (view.train_length() == 0 && !view.train_lengths().empty())
    note += " Training lengths differ: see the column \"trained to\".";
  note += " Each interval with its n: tables/pooled.csv.";
  return bold(view.summary().manifest.name, color) + ": " + run_words(view) + "\n" + dim(note, "", color);
}

/// Each checkpoint once: how far it was trained, and which text its losses are of.
std::string checkpoints(const View& view) {
  std::string out;
  for (const CheckpointInfo* info : checkpoints_of(view)) {
    std::string line =
        text(info->path, " (", info->family, ", ", info->dtype, "): trained to ", used_length_words(*info));
    if (info->train_length.declared != info->train_length.used) line += ", declared " + declared_length_words(*info);
    for (const auto& one : info->texts) line += "; " + one.suite + ": " + one.tokens;
    out += wrapped(line, kTerminalWidth, "  ", "    ") + "\n";
  }
  return out;
}

std::string suite(const View& view, const SuiteMeta& suite, bool color) {
  const std::string out = "\n" + bold(suite.name, color) + (suite.summary.empty() ? "" : ": " + suite.summary) + "\n";
  const Metric* metric = view.main_metric(suite.name);
  if (metric == nullptr) return out + "  n/a: not run\n";
  const std::string pairs = write_terminal(pairs_table(view, suite.name), color);
  return out + write_terminal(length_table(view, suite.name, *metric), color) + (pairs.empty() ? "" : "\n" + pairs);
}

/// The mark before a claim, and its paint.
std::pair<const char*, Paint> claim_mark(Claim::Tone tone) {
  switch (tone) {
    case Claim::Tone::kGood:
      return {"+", Paint::kGood};
    case Claim::Tone::kBad:
      return {"x", Paint::kBad};
    case Claim::Tone::kPrice:
      return {"-", Paint::kWarn};
    case Claim::Tone::kNote:
      return {"i", Paint::kDim};
  }
  return {"", Paint::kNone};
}

std::string verdict(const Summary& s, bool color) {
  std::string out = "\n" + bold("Verdict", color) + "\n";
  for (const auto& claim : s.verdict) {
    const auto [mark, paint] = claim_mark(claim.tone);
    const std::string words = wrapped(claim.headline + " " + claim.text, kTerminalWidth, "    ");
    out += "  " + painted(mark, paint, color) + words.substr(3) + "\n";
  }
  std::vector<std::string> open;
  for (const auto& item : s.protocol)
    if (item.state != ProtocolItem::State::kYes)
      open.push_back(text(item.text, ": ", answer_words(item.state), " (", item.why, ")"));
  const std::string protocol = "Protocol: " + protocol_count(s) + (open.empty() ? "." : ". " + join(open, "; ") + ".");
  return out + wrapped(protocol, kTerminalWidth, "  ", "    ") + "\n";
}

}  // namespace

std::string terminal_tables(const Summary& summary, bool color) {
  const View view(summary);
  std::string out = title(view, color) + checkpoints(view);
  for (const auto& meta : summary.manifest.suites) out += suite(view, meta, color);
  for (const auto& table : {effective_length_table(view), short_overview_table(view)})
    if (!table.empty()) out += "\n" + write_terminal(table, color);
  return out + verdict(summary, color);
}

}  // namespace lw
