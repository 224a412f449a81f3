// report.md: verdict, protocol and tables.
#include <algorithm>

#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "reports/registry.h"
#include "reports/tables/report_tables.h"
#include "reports/words.h"
#include "reports/writers/markdown.h"

namespace lw {
namespace {

std::string markdown_verdict(const Summary& s) {
  std::string out = "## Verdict\n\n";
  for (const auto& claim : s.verdict)
    out += "- **" + markdown_text(claim.headline) + "** " + markdown_text(claim.text) + "\n";
  out += "\n**Protocol:** " + protocol_count(s) + "\n\n";
  for (const auto& item : s.protocol) {
    const bool yes = item.state == ProtocolItem::State::kYes;
    out += text(yes ? "- [x] " : "- [ ] ", markdown_text(item.text), ": **", answer_words(item.state), "**. ",
                markdown_text(item.why), "\n");
  }
  return out;
}

std::string section(const TableSection& section) {
  std::string out = "## " + markdown_text(section.title) + "\n";
  if (!section.lead.empty()) out += "\n" + markdown_text(section.lead) + "\n";
  for (const auto& table : section.tables) out += "\n" + write_markdown(table, section.title);
  return out;
}

}  // namespace

std::vector<ReportFile> make_md_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  std::string out = "# " + markdown_text(s.manifest.name) + "\n\n" + markdown_text(run_words(view)) + ". " +
                    kMeansSentence + "\n\n" + markdown_verdict(s) + "\n";
  for (const auto& part : report_tables(view)) out += section(part) + "\n";
  const std::string command = visible(s.manifest.command);
  std::string fence = "```";
  while (command.find(fence) != std::string::npos) fence += '`';
  if (!command.empty()) out += text("## Reproduce\n\n", fence, "\n", command, "\n", fence, "\n");
  if (!s.manifest.config.empty()) out += "\n" + config_words(s.manifest) + "\n";
  return {{"report.md", out}};
}

}  // namespace lw
