// What may differ between two equal runs: versions, host and times, kept in a file of its own.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lw {

struct Provenance {
  std::string command;  // as typed
  std::string started;  // ISO 8601, UTC
  std::string torch;    // version
  std::string device;
  int64_t threads = 0;
  std::vector<int64_t> seeds;
  std::map<std::string, std::string> hub_commits;       // of checkpoints named by their ids: "org/name" to a commit
  std::vector<std::pair<std::string, double>> seconds;  // by stage
  /// Seconds of one attention layer by length, one sequence, float32, one thread: by variant.
  std::vector<std::pair<std::string, std::vector<std::pair<int64_t, double>>>> attention_seconds;
  /// Bytes by which the process grew for the same layer.
  std::vector<std::pair<std::string, std::vector<std::pair<int64_t, int64_t>>>> attention_resident_bytes;
};

/// "2026-01-31T12:00:00Z"
std::string now_utc();
/// Adds version, commit, compiler, host, CPU and operating system. @throws Error(kRuntime).
void write_provenance(const std::filesystem::path& path, const Provenance& provenance);

}  // namespace lw
