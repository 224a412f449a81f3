// What was already computed, by content: trained weights and evaluated units under the hash of everything
// that shaped them. An entry is complete or absent, so a run that was cut off goes on where it was.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/record.h"

namespace lw {

class Store {
 public:
  explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Folder of the weights under `key`; it need not exist yet.
  std::filesystem::path weights(const std::string& key) const { return folder_ / "weights" / key; }

  /// Records under `key`; nullopt when there are none, or the entry is damaged (it is then evaluated
  /// again). `setting` and `seed` are put into every record: equal work may serve several settings.
  std::optional<std::vector<Record>> find(const std::string& key, const std::string& setting, int64_t seed) const;
  /// @throws Error(kRuntime).
  void put(const std::string& key, const std::vector<Record>& records) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path unit(const std::string& key) const { return folder_ / "units" / (key + ".jsonl"); }
  std::filesystem::path folder_;
};

}  // namespace lw
