// A position card as tables.
#pragma once
#include "harness/results/position_card.h"
#include "reports/tables/table.h"

namespace lw {

/// Two columns: a property, and its value. What was declared and measured says so behind the value.
Table card_table(const PositionCard& card);
/// Whether each measured claim holds, the claim, and what was measured. Claims about other schemes are left out.
Table claims_table(const PositionCard& card);
/// Claims that are not in claims_table(), by name: "codes unique", "shift is linear (cannot be told: …)".
std::vector<std::string> other_claims(const PositionCard& card);

/// What was declared, and behind it what was measured: "yes (disagrees: measured no, residual 0.25)".
TableCell property_cell(const CardProperty& property);
/// "shift invariant" of the key "shift_invariant".
std::string key_words(std::string key);

/// "0.258", "1.6e-11": few digits of something measured.
std::string measured_number(double value);

}  // namespace lw
