// Files: damage is noticed, and nothing half-written stays.
#include "harness/selfcheck/disk.h"

#include <algorithm>
#include <exception>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/cache_entry.h"
#include "harness/selfcheck/check.h"
#include "harness/selfcheck/probing.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFlips = 48;

CachedUnit sample_unit() {
  CachedUnit unit{{sha256("selfcheck"), "a unit of selfcheck"}, {}};
  for (int64_t i = 0; i < 3; ++i) {
    Record r;
    r.id = "needle/16/" + std::to_string(i);
    r.suite = "needle";
    r.setting = "selfcheck/s0";
    r.length = r.prompt_tokens = 16;
    r.prompt_hash = sha256(r.id).substr(0, 16);
    r.nll = 0.5 + double(i);
    r.targets.push_back({15, {}, *r.nll, {}});
    unit.records.push_back(std::move(r));
  }
  return unit;
}

bool ends_well(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const std::exception&) {  // ours, or that of a JSON reader
    return false;
  }
}

Finding check_damage(std::span<const Subject>) {
  const ScratchFolder scratch;
  FaultCount found("reading");
  const CachedUnit unit = sample_unit();
  const fs::path file = scratch / (unit.label.key + ".jsonl");
  write_unit_entry(file, unit);
  add_flipped_bits(
      file, [&] { return ends_well([&] { (void)read_unit_entry(file); }); }, found);
  const fs::path folder = scratch / sha256("weights");
  write_weights_entry(folder, {{sha256("weights"), "weights of selfcheck"}, "steps: 3", 16, 4, {}}, "sixteen bytes...");
  const auto accepts = [&] { return ends_well([&] { (void)read_weights_entry(folder); }); };
  add_flipped_bits(folder / kWeightsLabel, accepts, found);
  add_flipped_bits(folder / kWeightsFile, accepts, found);
  return found.finding();
}

Finding check_unfinished(std::span<const Subject>) {
  const ScratchFolder scratch;
  FaultCount found("state");
  const fs::path folder = scratch / "files";
  make_folder(folder);
  add_writes(
      folder, [](const fs::path& path, std::string_view bytes) { write_file(path, bytes); }, found);
  return found.finding();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void add_flipped_bits(const fs::path& file, const std::function<bool()>& accepts, FaultCount& found) {
  const std::string name = file.filename().string();
  const std::string whole = read_file(file);
  found.add(accepts(), name + " is refused although it is whole");
  const size_t bits = whole.size() * 8, step = std::max<size_t>(1, bits / kFlips) | 1;  // odd: every bit of a byte
  for (size_t bit = 0; bit < bits; bit += step) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(file, damaged);
    found.add(!accepts(), name + " is believed although bit " + std::to_string(bit) + " is flipped");
  }
  write_file(file, whole);
}

void add_writes(const fs::path& folder, const WriteFile& write, FaultCount& found) {
  using Names = std::vector<std::string>;
  const std::string first(5000, 'a'), second(70000, 'b');
  const fs::path file = folder / "file", taken = folder / "taken";
  write(file, first);
  found.add(read_file(file) == first, "a new file has other bytes");
  write(file, second);
  found.add(read_file(file) == second, "a replaced file has other bytes");
  found.add(names_in(folder) == Names{"file"}, "a part is left beside a file");
  make_folder(taken / "inside");
  found.add(!ends_well([&] { write(taken, first); }), "a folder was replaced by a file");
  found.add(names_in(folder) == Names{"file", "taken"}, "a part is left after a failure");
  found.add(fs::is_directory(taken / "inside"), "a folder was lost in a failure");
}

extern const SelfCheck damaged_cache_check{
    .name = "damaged_cache",
    .compares = "cache entries, whole and with a flipped bit",
    .measures = "damaged ones believed, whole ones refused",
    .run = check_damage,
};

extern const SelfCheck unfinished_files_check{
    .name = "unfinished_files",
    .compares = "folders after writes, replacements, failures",
    .measures = "states that are wrong",
    .run = check_unfinished,
};

}  // namespace lw
