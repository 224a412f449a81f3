#include "harness/inspect/card_text.h"

#include "harness/base/error.h"
#include "reports/tables/card_tables.h"
#include "reports/writers/terminal.h"

namespace lw {
namespace {

/// A line a claim that was measured; the names of those about other schemes last.
std::string claims_text(const PositionCard& card, bool color) {
  const Table claims = claims_table(card);
  const auto others = other_claims(card);
  if (claims.empty() && others.empty()) return "";
  const std::string indent(9, ' ');
  std::string out = "  " + painted("claims, measured", Paint::kBold, color) + "\n";
  for (const auto& row : claims.rows) {
    const TableCell& holds = row.cells[0];
    out += "    " + painted(holds.text, paint_of(holds.state), color) + std::string(5 - holds.text.size(), ' ') +
           wrapped(row.cells[1].text, kTerminalWidth, "", indent) + "\n" +
           painted(wrapped(row.cells[2].text, kTerminalWidth, indent), Paint::kDim, color) + "\n";
  }
  if (!others.empty())
    out += painted(wrapped("about other schemes: " + join(others), kTerminalWidth, "    -    ", indent), Paint::kDim,
                   color) +
           "\n";
  return out;
}

}  // namespace

std::string card_text(const PositionCard& card, bool color) {
  return terminal_list(card_table(card), color) + claims_text(card, color);
}

}  // namespace lw
