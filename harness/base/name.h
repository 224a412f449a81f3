// Names that users give to runs, variants and suites: they become folders, parts of ids and headings.
#pragma once
#include <string>
#include <string_view>

namespace lw {

/// "" for a name that can be given; else what was found, and what is allowed.
std::string name_fault(std::string_view name);

}  // namespace lw
