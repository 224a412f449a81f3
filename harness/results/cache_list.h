// What stands in a cache folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lw {

enum class CacheKind {
  kWeights,   // trained weights
  kUnit,      // evaluated probes
  kSetAside,  // a damaged entry, out of the way
  kLeftover,  // what a killed process left half written
};

struct CacheItem {
  CacheKind kind = CacheKind::kUnit;
  std::filesystem::path path;
  std::string key;   // of weights and units
  std::string what;  // what it is for, unchecked; "" where it does not say
  int64_t bytes = 0;
  double days = 0;  // since it was written

  bool is_entry() const { return kind == CacheKind::kWeights || kind == CacheKind::kUnit; }
};

/// In order of path; files that no part of this program writes are left out.
std::vector<CacheItem> list_cache(const std::filesystem::path& folder);

/// Reads an entry whole. @returns what is wrong with it, or "".
std::string fault_of(const CacheItem& item);

}  // namespace lw
