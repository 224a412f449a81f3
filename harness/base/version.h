// Which build this is: for provenance, and for the keys of cached results.
#pragma once
#include <string>

namespace lw {

std::string version();   // "0.1.0"
std::string commit();    // 40 hex digits, "-dirty" behind them when the tree had changes, or "unknown"
std::string compiler();  // "GNU 12.2.0"
/// The commit of a clean build, else the SHA-256 of this executable: equal only for equal programs.
std::string build_id();

}  // namespace lw
