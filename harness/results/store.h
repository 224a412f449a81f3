// What was already computed, by content: trained weights and evaluated units under the hash of everything that shaped
// them. An entry is complete or absent, so a run that was cut off goes on where it was. A damaged one is set aside,
// named in a warning, and made again.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/cache_entry.h"

namespace lw {

class Store {
 public:
  explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Where the tensors under `key` are; they need not exist yet.
  std::filesystem::path tensors(const std::string& key) const { return weights(key) / kWeightsFile; }
  /// What is kept beside good weights; nullopt when there are none.
  std::optional<CachedWeights> find_weights(const std::string& key) const;
  /// @param tensors the bytes of a safetensors file. @throws Error(kRuntime).
  void put_weights(const CachedWeights& weights, std::string_view tensors) const;

  /// Good records under `key`; nullopt when there are none. `setting` and `seed` are put into every record: equal work
  /// may serve several settings. @param probes as many as there must be.
  std::optional<std::vector<Record>> find(const std::string& key, int64_t probes, const std::string& setting,
                                          int64_t seed) const;
  /// @throws Error(kRuntime).
  void put(const CacheLabel& label, const std::vector<Record>& records) const;

  /// Removes what killed processes left half written.
  void remove_leftovers() const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path weights(const std::string& key) const { return folder_ / "weights" / key; }
  std::filesystem::path unit(const std::string& key) const { return folder_ / "units" / (key + ".jsonl"); }
  std::filesystem::path folder_;
};

}  // namespace lw
