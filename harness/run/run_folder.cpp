#include "harness/run/run_folder.h"

#include <algorithm>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/base/part_file.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/base/tree.h"
#include "harness/base/tree_difference.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& out, const std::string& what, const std::string& allowed) {
  throw Error(ErrorKind::kUsage,
              "--out: found " + in_quotes(out.string()) + ", which " + what + "; allowed: " + allowed);
}

bool holds(const fs::path& out, const char* name) {
  std::error_code ignored;
  return fs::exists(out / name, ignored);
}

/// How the config that the folder belongs to differs from `config`; "" where it is the same, or there is none yet.
std::string other_config(const fs::path& out, const std::string& config) {
  if (!holds(out, "config.yaml"))
    return holds(out, "results.jsonl") ? "it has results without a config.yaml, so whose they are is not known" : "";
  Tree there;
  try {
    there = parse_yaml(read_file(out / "config.yaml"), "config.yaml");
  } catch (const Error& e) {
    return std::string("its config.yaml cannot be read: ") + e.what();
  }
  if (to_yaml(there) == config) return "";
  const auto differences = tree_differences(there, parse_yaml(config, "config"));
  if (differences.empty()) return "its keys stand in another order";
  constexpr size_t kShown = 6;
  std::string out_text;
  for (size_t i = 0; i < std::min(kShown, differences.size()); ++i) {
    const auto& d = differences[i];
    out_text += (i == 0 ? "" : ", ") + d.key + " is " + d.first + " there and " + d.second + " here";
  }
  return out_text + (differences.size() > kShown ? text(", and ", differences.size() - kShown, " more") : "");
}

/// The first of NAME.old-1, NAME.old-2 ... that is free.
fs::path old_name(const fs::path& out) {
  const fs::path whole = fs::absolute(out).lexically_normal();
  std::error_code ignored;
  for (int i = 1;; ++i) {
    fs::path old = whole;
    old += ".old-" + std::to_string(i);
    if (!fs::exists(fs::symlink_status(old, ignored))) return old;
  }
}

/// Moves a run of another config out of the way, or refuses to work in its folder.
void make_room(const fs::path& out, const std::string& config, bool replace) {
  const std::string other = other_config(out, config);
  if (other.empty()) return;
  const fs::path old = old_name(out);
  if (!replace)
    refuse(out, "belongs to a run of another config: " + other,
           "another folder, or --replace, which keeps the old run as " + old.filename().string());
  std::error_code error;
  fs::rename(fs::absolute(out).lexically_normal(), old, error);
  if (error) throw Error(ErrorKind::kRuntime, out.string() + ": cannot be renamed: " + error.message());
  log_warning(out.string() + " belonged to another config (" + other + "); the old run is kept as " +
              old.filename().string());
}

}  // namespace

fs::path out_folder(const fs::path& out, const std::string& name) {
  if (out.empty()) return fs::path("runs") / name;
  return out.has_filename() ? out : out.parent_path();  // "runs/a/" is "runs/a"
}

void check_out(const fs::path& out) {
  std::error_code ignored;
  if (find_invisible(out.string()) != std::string::npos)
    refuse(out, "holds control characters", "a new folder, or an earlier run");
  for (const auto& part : out)
    if (part.native().size() > 255)
      refuse(out, text("has a name of ", part.native().size(), " bytes in it"), "a new folder, or an earlier run");
  auto above = out;  // what is there already of it
  while (!fs::exists(above, ignored) && above.has_parent_path() && above != above.parent_path())
    above = above.parent_path();
  if (fs::exists(above, ignored) && !fs::is_directory(above, ignored))
    refuse(out, above == out ? "is a file" : "lies in " + in_quotes(above.string()) + ", a file", "a folder");
  if (!fs::exists(out, ignored)) return;
  const bool earlier_run = holds(out, "run.log") || (holds(out, "config.yaml") && holds(out, "results.jsonl"));
  if (!fs::is_empty(out, ignored) && !earlier_run)
    refuse(out, "holds other files", "a new folder, an empty one, or an earlier run");
}

fs::path cache_folder(const fs::path& out) {
  if (const char* folder = ::getenv("LENGTHWISE_CACHE"); folder != nullptr && *folder != '\0') return folder;
  return (out.has_parent_path() ? out.parent_path() : fs::path(".")) / ".cache";
}

Store open_store(const fs::path& out) { return Store(cache_folder(out)); }

void open_run_folder(const fs::path& out, const std::string& config, bool replace) {
  check_out(out);
  make_room(out, config, replace);
  make_folder(out);
  for (const char* inside : {".", "tables", "figures"}) remove_abandoned_parts(out / inside);
  log_to_file(out / "run.log");  // marks the folder as a run's
  write_file(out / "config.yaml", config);
}

}  // namespace lw
