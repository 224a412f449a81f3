// Structs as rows of comma-separated values (quoted as RFC 4180 says), with the same keys as summary.json.
#pragma once
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "reports/summary_fields.h"
#include "reports/writers/csv.h"

namespace lw {

/// Collects the columns of one struct. Absent values are empty; a bin becomes two columns.
struct CsvRow {
  std::vector<std::string> heads, values;

  template <class T>
  void operator()(const char* key, const T& value) {
    put(key, value);
  }
  template <class T>
  void sparse(const char* key, const T& value) {
    put(key, value);
  }

 private:
  void cell(const std::string& key, const std::string& text) {
    heads.push_back(key);
    values.push_back(csv_quoted(text));
  }
  static std::string text(const auto& value) { return lw::text(value); }
  template <class T>
  void put(const std::string& key, const T& value) {
    cell(key, text(value));
  }
  template <class T>
  void put(const std::string& key, const std::optional<T>& value) {
    cell(key, value ? text(*value) : "");
  }
  void put(const std::string& key, const std::optional<Bin>& bin) {
    put(key + "_low", bin ? std::optional(bin->low) : std::nullopt);
    put(key + "_high", bin ? std::optional(bin->high) : std::nullopt);
  }
  void put(const std::string& key, const Baselines& baselines) {
    std::string list;
    for (const auto& [name, value] : baselines) list += (list.empty() ? "" : ";") + name + "=" + text(value);
    cell(key, list);
  }
  void put(const std::string& key, const std::vector<SeedValue>& seeds) {
    std::string list;
    for (const auto& seed : seeds)
      list += (list.empty() ? "" : ";") + text(seed.seed) + "=" + (seed.value ? text(*seed.value) : "") +
              (seed.learned ? "" : " (not learned)");
    cell(key, list);
  }
  void put(const std::string& key, const std::vector<SeedDifference>& by_seed) {
    std::string list;
    for (const auto& [seed, difference] : by_seed)
      list += (list.empty() ? "" : ";") + text(seed) + "=" + text(difference);
    cell(key, list);
  }
  void put(const std::string& key, const std::vector<SeedReach>& by_seed) {
    std::string list;
    for (const auto& [seed, point] : by_seed)
      list += (list.empty() ? "" : ";") + text(seed) + "=" + (point ? text(*point) : "");
    cell(key, list);
  }
};

/// The head, then one line an item.
template <class T>
std::string csv_table(const std::vector<T>& items) {
  std::string out;
  const auto line = [&](const std::vector<std::string>& values) {
    for (size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ",") + values[i];
    out += "\n";
  };
  const T blank{};
  CsvRow head;
  fields(head, blank);
  line(head.heads);
  for (const auto& item : items) {
    CsvRow row;
    fields(row, item);
    line(row.values);
  }
  return out;
}

}  // namespace lw
