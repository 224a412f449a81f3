#include <cstdio>
#include <memory>
#include <set>
#include <system_error>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/experiment/experiment.h"
#include "harness/results/cache_list.h"
#include "harness/run/run_folder.h"
#include "harness/run/work.h"

namespace lw {
namespace {

struct CacheOptions {
  std::filesystem::path folder;
  std::vector<std::string> keep;
  int64_t older_than = -1;  // days
  bool dry_run = false;
};

/// @throws Error(kUsage) where there is none.
std::filesystem::path existing_cache(const CacheOptions& o) {
  const auto folder = o.folder.empty() ? cache_folder(std::filesystem::path("runs") / "any") : o.folder;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorKind::kUsage, "--cache: " + found(folder.string(), ", which is no folder")
                                                     .allowed("the cache of earlier runs: .cache beside a run folder"));
  return folder;
}

std::string size_words(int64_t bytes) {
  if (bytes < 1000) return text(bytes, " B");
  if (bytes < 1000 * 1000) return text(bytes / 1000, " kB");
  return format_fixed(double(bytes) / 1e6, bytes < 100 * 1000 * 1000 ? 1 : 0) + " MB";
}

std::string age_words(double days) {
  if (days < 1.0 / 24) return text(int64_t(days * 24 * 60), " min");
  return days < 2 ? text(int64_t(days * 24), " h") : text(int64_t(days), " days");
}

std::string item_words(const CacheItem& item) {
  switch (item.kind) {
    case CacheKind::kSetAside:
      return "damaged, set aside";
    case CacheKind::kLeftover:
      return "left half written by a killed run";
    default:
      return item.what.empty() ? "does not say what it is for" : printable(item.what, 200);
  }
}

std::string name_in(const std::filesystem::path& cache, const CacheItem& item) {
  return item.path.lexically_relative(cache).string();
}

int list_entries(const CacheOptions& o) {
  const auto folder = existing_cache(o);
  int64_t bytes = 0, entries = 0;
  const auto items = list_cache(folder);
  for (const auto& item : items) {
    bytes += item.bytes;
    entries += item.is_entry() ? 1 : 0;
    std::printf("%9s %8s  %-46s  %s\n", size_words(item.bytes).c_str(), age_words(item.days).c_str(),
                name_in(folder, item).c_str(), item_words(item).c_str());
  }
  const auto others = std::ssize(items) - entries;
  std::printf("%s: %s%s, %s\n", folder.c_str(), plural(entries, "entry", "entries").c_str(),
              others == 0 ? "" : (" and " + plural(others, "leftover")).c_str(), size_words(bytes).c_str());
  return 0;
}

int verify_entries(const CacheOptions& o) {
  const auto folder = existing_cache(o);
  int64_t good = 0, damaged = 0;
  for (const auto& item : list_cache(folder)) {
    if (!item.is_entry()) continue;
    const std::string fault = fault_of(item);
    ++(fault.empty() ? good : damaged);
    if (!fault.empty()) std::printf("%s: damaged: %s\n", item.path.c_str(), fault.c_str());
  }
  std::printf("%s: %s good, %s damaged\n", folder.c_str(), plural(good, "entry", "entries").c_str(),
              text(damaged).c_str());
  return damaged == 0 ? 0 : 1;
}

/// The keys of everything that the configs train and evaluate.
std::set<std::string> needed_by(const std::vector<std::string>& configs) {
  std::set<std::string> keys;
  for (const auto& config : configs) {
    const Experiment e = read_experiment(load_yaml(config, config_shape()));
    const Work work = plan_work(e, e.limit.value_or(0));
    for (const auto& weights : work.weights) keys.insert(weights.key);
    for (const auto* jobs : {&work.gates, &work.evals})
      for (const auto& job : *jobs) keys.insert(job.keys.begin(), job.keys.end());
  }
  return keys;
}

int collect_garbage(const CacheOptions& o) {
  const auto folder = existing_cache(o);
  const auto needed = needed_by(o.keep);
  int64_t bytes = 0, removed = 0;
  for (const auto& item : list_cache(folder)) {
    const bool asked = !o.keep.empty() || o.older_than >= 0;
    const bool unneeded = asked && needed.count(item.key) == 0 && item.days >= double(o.older_than);
    if (item.is_entry() && !unneeded) continue;
    std::printf("%s %s (%s): %s\n", o.dry_run ? "would remove" : "removed", name_in(folder, item).c_str(),
                size_words(item.bytes).c_str(), item_words(item).c_str());
    bytes += item.bytes;
    ++removed;
    std::error_code error;
    if (!o.dry_run) std::filesystem::remove_all(item.path, error);
    if (error) throw Error(ErrorKind::kRuntime, item.path.string() + ": cannot be removed: " + error.message());
  }
  std::printf("%s: %s %s, %s\n", folder.c_str(), plural(removed, "entry", "entries").c_str(),
              o.dry_run ? "would be removed" : "removed", size_words(bytes).c_str());
  return 0;
}

void add_folder(Command& command, CacheOptions& o) {
  command.option("--cache", o.folder, "the cache (default: $LENGTHWISE_CACHE, or runs/.cache)").value_name("DIR");
}

void add_gc(Command& cache, const std::shared_ptr<CacheOptions>& o) {
  Command gc = cache.command("gc", "remove damaged entries that were set aside, leftovers, and what is not needed");
  add_folder(gc, *o);
  gc.option("--keep", o->keep, "also remove every entry that this config does not need; may be repeated")
      .value_name("CONFIG")
      .repeatable();
  gc.option("--older-than", o->older_than, "also remove every entry that was written more than so many days ago")
      .value_name("DAYS")
      .within(0, 36500);
  gc.flag("--dry-run", o->dry_run, "say what would be removed, and remove nothing");
  gc.footer(
      "With neither --keep nor --older-than every good entry stays. With both, an entry goes that no config needs and\n"
      "that is that old. The config.yaml of a run folder is a config, too. Probes that another build evaluated are "
      "not\n"
      "needed by this one. Do not use it while a run works on the same cache.\n\n"
      "  lengthwise cache gc --dry-run --keep runs/a/config.yaml --keep runs/b/config.yaml\n"
      "  lengthwise cache gc --older-than 30");
  gc.runs([o] { return collect_garbage(*o); });
}

}  // namespace

void add_cache(Command& program) {
  auto o = std::make_shared<CacheOptions>();
  Command cache = program.command("cache", "look at, check and clean what earlier runs kept");
  cache.require_command();
  cache.footer(
      "Runs keep trained weights and evaluated probes in .cache beside the run folder, or in $LENGTHWISE_CACHE. Each\n"
      "entry has a checksum. A run that meets a damaged one sets it aside as NAME.damaged and makes it again.");
  Command ls = cache.command("ls", "list every entry: size, age, name, and what it is for");
  add_folder(ls, *o);
  ls.runs([o] { return list_entries(*o); });
  Command verify = cache.command("verify", "read every entry and check it against its checksum");
  add_folder(verify, *o);
  verify.footer("Exits with 1 if an entry is damaged, and names each. Nothing is changed: the next run mends them.");
  verify.runs([o] { return verify_entries(*o); });
  add_gc(cache, o);
}

}  // namespace lw
