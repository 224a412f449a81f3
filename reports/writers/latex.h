// Tables and text for LaTeX, with the packages of kLatexPackages.
#pragma once
#include <string>

#include "reports/tables/table.h"

namespace lw {

/// Text in which nothing is a command.
std::string latex_text(const std::string& text);

/// A table environment with caption and label, or a longtable for many rows; "" for a table without rows.
std::string write_latex(const Table& table);

/// Lines for a preamble: what the tables need.
extern const char* const kLatexPackages;

}  // namespace lw
