// The tables a user sees after a run.
#pragma once
#include <string>

#include "reports/summary.h"

namespace lw {

/// Tables by suite, effective length, short contexts and the verdict, at most 100 columns wide.
/// @param color ANSI colours; without them the same text, nothing is said by colour alone.
std::string terminal_tables(const Summary& summary, bool color);

}  // namespace lw
