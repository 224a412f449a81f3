#include "harness/results/cache_list.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>

#include "harness/base/part_file.h"
#include "harness/results/cache_entry.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

/// Size and age of a file, or of all files in a folder.
void measure(CacheItem& item) {
  std::error_code ignored;
  fs::file_time_type newest = fs::last_write_time(item.path, ignored);
  const auto add = [&](const fs::path& file) {
    if (fs::is_regular_file(file, ignored)) item.bytes += static_cast<int64_t>(fs::file_size(file, ignored));
    newest = std::max(newest, fs::last_write_time(file, ignored));
  };
  add(item.path);
  if (fs::is_directory(item.path, ignored))
    for (const auto& entry : fs::recursive_directory_iterator(item.path, ignored)) add(entry.path());
  item.days = std::chrono::duration<double>(fs::file_time_type::clock::now() - newest).count() / 86400;
}

void add_item(std::vector<CacheItem>& out, CacheKind kind, const fs::path& path, const std::string& key = "",
              const std::string& what = "") {
  CacheItem item{kind, path, key, what};
  measure(item);
  out.push_back(std::move(item));
}

/// Parts that no process writes any more.
void add_parts(std::vector<CacheItem>& out, const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_part_name(entry.path().filename().string()) && is_abandoned_part(entry.path()))
      add_item(out, CacheKind::kLeftover, entry.path());
}

void add_weights(std::vector<CacheItem>& out, const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (is_set_aside(name)) {
      add_item(out, CacheKind::kSetAside, entry.path());
    } else if (entry.is_directory(ignored)) {
      add_parts(out, entry.path());
      // Tensors come last; a label alone is half an entry.
      const bool whole = fs::exists(entry.path() / kWeightsFile, ignored);
      add_item(out, whole ? CacheKind::kWeights : CacheKind::kLeftover, entry.path(), name,
               what_of_weights(entry.path()));
    }
  }
}

void add_units(std::vector<CacheItem>& out, const fs::path& folder) {
  std::error_code ignored;
  add_parts(out, folder);
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (is_set_aside(entry.path().filename().string()))
      add_item(out, CacheKind::kSetAside, entry.path());
    else if (entry.path().extension() == ".jsonl")
      add_item(out, CacheKind::kUnit, entry.path(), entry.path().stem().string(), what_of_unit(entry.path()));
  }
}

}  // namespace

std::vector<CacheItem> list_cache(const fs::path& folder) {
  std::vector<CacheItem> out;
  add_units(out, folder / "units");
  add_weights(out, folder / "weights");
  std::sort(out.begin(), out.end(), [](const CacheItem& a, const CacheItem& b) { return a.path < b.path; });
  return out;
}

std::string fault_of(const CacheItem& item) {
  try {
    if (item.kind == CacheKind::kWeights) read_weights_entry(item.path);
    if (item.kind == CacheKind::kUnit) read_unit_entry(item.path);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace lw
