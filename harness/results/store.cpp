#include "harness/results/store.h"

#include <new>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/base/part_file.h"
#include "harness/base/text.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

/// What `read` gives, unless the entry turns out to be damaged: then it is out of the way. Where the system refuses to
/// read it, or memory runs out, nothing is known of the entry: it stays, and the error goes on.
template <class Read>
auto read_or_set_aside(const fs::path& entry, const Read& read) -> std::optional<decltype(read())> {
  std::string reason;
  try {
    return read();
  } catch (const FileError& e) {
    if (e.is_of_system()) throw;
    reason = e.what();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {  // Error, or JSON's: a list where a number belongs
    reason = e.what();
  }
  const fs::path aside = set_aside(entry);
  log_warning(entry.string() + ": this cache entry is damaged (" + reason + "); " +
              (aside.empty() ? "it" : "it is kept as " + aside.filename().string() + " and") + " is made again");
  return std::nullopt;
}

}  // namespace

std::optional<CachedWeights> Store::find_weights(const std::string& key) const {
  const fs::path folder = weights(key);
  std::error_code ignored;
  // Without tensors it is an entry on its way, unless a file stands in place of the folder.
  if (!is_there(folder) || (fs::is_directory(folder, ignored) && !is_there(folder / kWeightsFile))) return std::nullopt;
  return read_or_set_aside(folder, [&] { return read_weights_entry(folder); });
}

void Store::put_weights(const CachedWeights& w, std::string_view tensors) const {
  write_weights_entry(weights(w.label.key), w, tensors);
}

std::optional<std::vector<Record>> Store::find(const std::string& key, int64_t probes, const std::string& setting,
                                               int64_t seed) const {
  const fs::path path = unit(key);
  if (!is_there(path)) return std::nullopt;
  return read_or_set_aside(path, [&] {
    auto records = read_unit_entry(path).records;
    if (std::ssize(records) != probes)
      throw Error(ErrorKind::kInput, found(std::ssize(records), " probes").allowed(probes));
    for (auto& r : records) {
      r.setting = setting;
      r.seed = seed;
    }
    return records;
  });
}

void Store::put(const CacheLabel& label, const std::vector<Record>& records) const {
  write_unit_entry(unit(label.key), {label, records});
}

void Store::remove_leftovers() const {
  remove_abandoned_parts(folder_ / "units");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_ / "weights", ignored)) remove_abandoned_parts(entry.path());
}

}  // namespace lw
