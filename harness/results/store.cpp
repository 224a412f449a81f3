#include "harness/results/store.h"

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/log.h"

namespace lw {

std::optional<std::vector<Record>> Store::find(const std::string& key, const std::string& setting, int64_t seed) const {
  const auto path = unit(key);
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    auto records = read_records(path.string());
    for (auto& r : records) {
      r.setting = setting;
      r.seed = seed;
    }
    return records;
  } catch (const Error& e) {
    log_warning(std::string("a cached result is damaged and will be made again: ") + e.what());
    return std::nullopt;
  }
}

void Store::put(const std::string& key, const std::vector<Record>& records) const {
  std::string text;
  for (const auto& r : records) text += to_json_line(r) + "\n";
  write_file(unit(key), text);
}

}  // namespace lw
