// Records checked against the manifest and put in order, so that statistics need not check again.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "reports/summary.h"

namespace lw {

/// Records of a manifest by setting and suite (both by their place in it), ascending by length, then id.
/// Pointers into the span it was made from.
class RecordIndex {
 public:
  /// @param file what errors call the place of the records. @throws Error(kInput) as summarise() does.
  RecordIndex(const Manifest& manifest, std::span<const Record> records, const std::string& file = "results");

  std::span<const Record* const> of(size_t setting, size_t suite) const { return lists_[setting * suites_ + suite]; }
  std::span<const Record* const> of(size_t setting, size_t suite, int64_t length) const;
  /// Lengths the manifest or any record gives the suite, ascending.
  const std::vector<int64_t>& lengths(size_t suite) const { return lengths_[suite]; }

 private:
  size_t suites_ = 0;
  std::vector<std::vector<const Record*>> lists_;
  std::vector<std::vector<int64_t>> lengths_;
};

/// Holds the records against what the settings ask for: lengths that nobody asked, and probes that are missing or too
/// many. Suites whose number of probes is not known are passed over.
/// @throws Error(kInput) with the file, and with the line of a record that has no place.
void check_complete(const Manifest& manifest, const RecordIndex& index, const std::string& file);

/// Names of the variants in the order of the manifest.
std::vector<std::string> variants_of(const Manifest& manifest);
/// Places in manifest.settings of the seeds of a variant.
std::vector<size_t> seeds_of(const Manifest& manifest, const std::string& variant);

}  // namespace lw
