#include "reports/index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {
namespace {

/// Refuses records with their place: "results.jsonl:17: length: found 9; allowed: 16, 32".
class RecordCheck {
 public:
  explicit RecordCheck(const std::string& file) : file_(file) {}

  [[noreturn]] void refuse(const Record& r, const std::string& what) const {
    const std::string line = r.line > 0 ? text(":", r.line) : "";
    throw Error(ErrorKind::kInput, text(file_, line, ": probe ", r.id, " of ", r.setting, ": ", what));
  }
  void check_score(const Record& r) const;
  void check_place(const Record& r, const SettingInfo& setting) const;

 private:
  const std::string& file_;
};

template <class T>
std::map<std::string, size_t> places(const std::vector<T>& items, std::string T::*name) {
  std::map<std::string, size_t> result;
  for (size_t i = 0; i < items.size(); ++i) result.emplace(items[i].*name, i);
  return result;
}

void RecordCheck::check_score(const Record& r) const {
  const bool any = r.nll || r.correct || r.correct_free || !r.targets.empty();
  if (r.status == Status::kScored && !any) refuse(r, "found status 'scored' without a score; allowed: nll or correct");
  if (r.status != Status::kScored && any)
    refuse(r, "found a score with status '" + std::string(status_name(r.status)) + "'; allowed: none");
  const auto bad = [](double nll) { return !std::isfinite(nll) || nll < -1e-6; };
  bool broken = r.nll && bad(*r.nll);
  for (const auto& t : r.targets) broken = broken || bad(t.nll);
  if (broken) refuse(r, "found an nll that is negative or not finite; allowed: a likelihood's, or status 'failed'");
}

void RecordCheck::check_place(const Record& r, const SettingInfo& setting) const {
  if (r.length < 1) refuse(r, "length: found " + std::to_string(r.length) + "; allowed: at least 1");
  if (r.in_length != (r.length <= setting.train_length))
    refuse(r, "in_length: found " + std::string(r.in_length ? "true" : "false") + " at length " +
                  std::to_string(r.length) + ", trained to " + std::to_string(setting.train_length));
  if (r.seed != setting.seed)
    refuse(r, "seed: found " + std::to_string(r.seed) + "; the setting's is " + std::to_string(setting.seed));
  if (r.distance && *r.distance < 0) refuse(r, "distance: found a negative one");
  if (r.depth && !(*r.depth >= 0 && *r.depth <= 1)) refuse(r, "depth: found a value outside 0 to 1");
}

}  // namespace

RecordIndex::RecordIndex(const Manifest& manifest, std::span<const Record> records, const std::string& file)
    : suites_(manifest.suites.size()),
      lists_(manifest.settings.size() * manifest.suites.size()),
      lengths_(manifest.suites.size()) {
  const auto settings = places(manifest.settings, &SettingInfo::id);
  const auto suites = places(manifest.suites, &SuiteMeta::name);
  if (settings.size() != manifest.settings.size()) throw Error(ErrorKind::kInput, "settings: an id stands twice");
  if (suites.size() != manifest.suites.size()) throw Error(ErrorKind::kInput, "suites: a name stands twice");

  const RecordCheck check(file);
  std::vector<std::set<int64_t>> lengths(suites_);
  for (size_t i = 0; i < suites_; ++i)
    lengths[i].insert(manifest.suites[i].lengths.begin(), manifest.suites[i].lengths.end());
  for (const auto& r : records) {
    const auto setting = settings.find(r.setting);
    if (setting == settings.end()) check.refuse(r, "its setting is not in this run's settings");
    const auto suite = suites.find(r.suite);
    if (suite == suites.end()) check.refuse(r, "its suite '" + r.suite + "' is not in this run's suites");
    check.check_place(r, manifest.settings[setting->second]);
    check.check_score(r);
    lists_[setting->second * suites_ + suite->second].push_back(&r);
    lengths[suite->second].insert(r.length);
  }
  for (auto& list : lists_) {
    std::sort(list.begin(), list.end(), [](const Record* x, const Record* y) {
      return x->length != y->length ? x->length < y->length : x->id < y->id;
    });
    std::set<std::string_view> ids;
    for (const Record* r : list)
      if (!ids.insert(r->id).second) check.refuse(*r, "found twice; allowed: once in a setting");
  }
  for (size_t i = 0; i < suites_; ++i) lengths_[i].assign(lengths[i].begin(), lengths[i].end());
}

std::span<const Record* const> RecordIndex::of(size_t setting, size_t suite, int64_t length) const {
  const auto& list = lists_[setting * suites_ + suite];
  const auto begin =
      std::partition_point(list.begin(), list.end(), [&](const Record* r) { return r->length < length; });
  const auto end = std::partition_point(begin, list.end(), [&](const Record* r) { return r->length <= length; });
  return {begin, end};
}

std::vector<std::string> variants_of(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const auto& s : manifest.settings)
    if (std::find(names.begin(), names.end(), s.variant) == names.end()) names.push_back(s.variant);
  return names;
}

std::vector<size_t> seeds_of(const Manifest& manifest, const std::string& variant) {
  std::vector<size_t> result;
  for (size_t i = 0; i < manifest.settings.size(); ++i)
    if (manifest.settings[i].variant == variant) result.push_back(i);
  return result;
}

}  // namespace lw
