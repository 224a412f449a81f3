// Finding run folders and reading what each says of itself.
#include "reports/run_index.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/text.h"
#include "reports/index.h"

namespace lw {
namespace fs = std::filesystem;
namespace {

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Of a fault, what stands behind the path that the list has already.
std::string without_folder(const std::string& what, const fs::path& folder) {
  const std::string prefix = (folder / "").string();
  return what.starts_with(prefix) ? what.substr(prefix.size()) : what;
}

/// When the run was finished; "" where its provenance does not say.
std::string finished_of(const fs::path& folder) {
  const fs::path path = folder / "provenance.json";
  if (!is_file(path)) return "";
  const Json json = parse_json(read_file(path), path.string());
  return json_optional<std::string>(json, "finished", path.string()).value_or("");
}

/// The variant of each suite that is proven to reach farthest, corrected for the choice; of equal ones the point
/// estimate counts, then the order.
std::vector<EffectiveLength> farthest(const std::vector<EffectiveLength>& all) {
  std::vector<EffectiveLength> best;
  const auto rank = [](const EffectiveLength& e) {
    return std::tuple(e.longest > 0, e.claimed.value_or(0), e.point.value_or(0));
  };
  for (const auto& e : all) {
    const auto known = std::find_if(best.begin(), best.end(), [&](const auto& b) { return b.suite == e.suite; });
    if (known == best.end())
      best.push_back(e);
    else if (rank(e) > rank(*known))
      *known = e;
  }
  return best;
}

void read_run(const fs::path& folder, IndexedRun& run) {
  const fs::path path = folder / "summary.json";
  if (!is_file(path)) {
    run.fault = "summary.json: found no such file; the run did not finish";
    return;
  }
  Conclusions read = conclusions_from_json(read_file(path), path.string());
  run.finished = finished_of(folder);
  run.name = read.manifest.name;
  run.config = read.manifest.config;
  for (const auto& suite : read.manifest.suites) run.suites.push_back(suite.name);
  std::set<int64_t> seeds;
  for (const auto& setting : read.manifest.settings) seeds.insert(setting.seed);
  run.variants = std::ssize(variants_of(read.manifest));
  run.seeds = std::ssize(seeds);
  run.reach = farthest(read.effective_length);
  run.verdict = std::move(read.verdict);
  run.page = is_file(folder / "report.html") ? "report.html" : "";
}

/// One search: the runs that were found so far, and where it stands.
class Search {
 public:
  explicit Search(RunIndex& index) : index_(index) {}

  void visit(const fs::path& folder, int depth) {
    std::error_code error;
    std::vector<fs::path> below;
    auto entry = fs::directory_iterator(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      if (entry->symlink_status(ignored).type() != fs::file_type::directory) continue;
      if (!entry->path().filename().string().starts_with(".")) below.push_back(entry->path());
    }
    if (error) {
      add(folder).fault = "cannot be read: " + error.message();
      return;
    }
    if (is_file(folder / "summary.json") || (is_file(folder / "config.yaml") && is_file(folder / "run.log"))) {
      IndexedRun& run = add(folder);
      try {
        read_run(folder, run);
      } catch (const Error& e) {
        run = {.folder = run.folder, .fault = without_folder(e.what(), folder)};
      }
    }
    if (depth == kIndexDepth) return;
    std::sort(below.begin(), below.end());
    for (const auto& path : below) visit(path, depth + 1);
  }

 private:
  IndexedRun& add(const fs::path& folder) {
    IndexedRun& run = index_.runs.emplace_back();
    run.folder = folder.lexically_relative(index_.folder).generic_string();
    return run;
  }

  RunIndex& index_;
};

}  // namespace

int64_t RunIndex::readable() const {
  return std::count_if(runs.begin(), runs.end(), [](const IndexedRun& run) { return run.fault.empty(); });
}

RunIndex index_runs(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw Error(ErrorKind::kUsage,
                "dir: " + found(folder.string(), ", which is no folder").allowed("a folder of runs"));
  RunIndex index{folder.lexically_normal(), {}};
  if (!index.folder.has_filename() && index.folder.has_relative_path()) index.folder = index.folder.parent_path();
  Search(index).visit(index.folder, 0);
  if (index.runs.empty())
    throw Error(ErrorKind::kUsage,
                "dir: " + found(folder.string(), " without a run")
                              .allowed("a folder with run folders in it, which have a summary.json, at most ",
                                       kIndexDepth, " folders deep"));
  return index;
}

std::string farthest_words(const EffectiveLength& reach) {
  if (reach.longest == 0) return reach.suite + ": none" + (reach.reason.empty() ? "" : " (" + reach.reason + ")");
  if (!reach.point && !reach.claimed) return reach.suite + ": " + reach.text({});
  const std::string point = "point " + reach.text(reach.point);
  if (!reach.claimed) return text(reach.suite, ": not proven, ", point, " (", reach.variant, ")");
  return text(reach.suite, ": ", reach.variant, " ", reach.text(reach.claimed),
              reach.point == reach.claimed ? "" : ", " + point);
}

}  // namespace lw
