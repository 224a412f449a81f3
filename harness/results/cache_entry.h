// The files of a cache entry. Each says what it is for and carries a checksum, so that nothing damaged is believed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/record.h"

namespace lw {

/// What an entry is for.
struct CacheLabel {
  std::string key;   // hash of everything that shaped it; names the entry
  std::string what;  // for people: "needle at 256 tokens for rope/s0"
};

/// Weights that were trained here, beside the tensors themselves.
struct CachedWeights {
  CacheLabel label;
  std::string description;  // everything that the key hashes, as YAML
  int64_t vocabulary = 0, parameters = 0;
  std::vector<LossPoint> loss;
};

/// The probes of one suite at one length under one setting.
struct CachedUnit {
  CacheLabel label;
  std::vector<Record> records;
};

inline constexpr std::string_view kWeightsFile = "model.safetensors", kWeightsLabel = "config.json";

/// Writes label and tensors into `folder`, the tensors last, since they mark an entry as complete.
/// @throws Error(kRuntime).
void write_weights_entry(const std::filesystem::path& folder, const CachedWeights& weights, std::string_view tensors);
void write_unit_entry(const std::filesystem::path& file, const CachedUnit& unit);

/// Reads an entry and checks all of it: checksums, the key against the name, and the probes against their hash.
/// @throws Error(kInput), what() being the reason alone: "its checksum does not fit".
CachedWeights read_weights_entry(const std::filesystem::path& folder);
CachedUnit read_unit_entry(const std::filesystem::path& file);

/// What an entry says that it is for, unchecked; "" where that cannot be read.
std::string what_of_weights(const std::filesystem::path& folder);
std::string what_of_unit(const std::filesystem::path& file);

/// Renames a damaged entry to NAME.damaged (NAME.damaged-2 ...). @returns the new path; empty where it cannot be
/// renamed.
std::filesystem::path set_aside(const std::filesystem::path& entry);
/// Whether an entry was set aside.
bool is_set_aside(std::string_view name);

}  // namespace lw
