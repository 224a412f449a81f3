// A run of one setting and one suite, and ways to find a number in a summary.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reports/summary.h"
#include "tests/reports/run_fixture.h"

namespace lw::fixture {

/// One setting, one suite.
struct Small {
  SettingInfo setting = fixture::setting("rope", 0, {"needle"});
  Manifest manifest;
  std::vector<Record> records;

  explicit Small(const std::vector<int64_t>& lengths = {16, 64}) {
    manifest.name = "small";
    manifest.settings = {setting};
    manifest.suites = {needle(lengths)};
  }
  Record& add(int64_t length, int64_t index) {
    records.push_back(record(setting, manifest.suites[0].name, length, index));
    return records.back();
  }
  Summary summary(const SummaryOptions& options = {}) const { return summarise(manifest, records, options); }
};

inline const Cell* find(const Summary& s, const std::string& metric, int64_t length, std::optional<Bin> distance = {},
                        std::optional<double> depth = {}, std::optional<Bin> offset = {}) {
  for (const auto& c : s.cells)
    if (c.metric == metric && c.length == length && c.distance == distance && c.depth == depth && c.offset == offset)
      return &c;
  return nullptr;
}

inline const Pooled* find_pooled(const Summary& s, const std::string& variant, const std::string& suite,
                                 const std::string& metric, int64_t length) {
  for (const auto& p : s.pooled)
    if (p.variant == variant && p.suite == suite && p.metric == metric && p.length == length && !p.distance &&
        !p.depth && !p.offset)
      return &p;
  return nullptr;
}

}  // namespace lw::fixture
