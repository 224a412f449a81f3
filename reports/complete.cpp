// Results held against what the config asks for, so that lost lines are noticed.
#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/index.h"

namespace lw {
namespace {

constexpr size_t kMostPlaces = 3;  // named in a message

std::string length_list(const std::vector<int64_t>& lengths) {
  std::vector<std::string> words;
  for (const int64_t length : lengths) words.push_back(std::to_string(length));
  return join(words);
}

/// Gathers what is missing of every setting, and refuses what is too much at once.
class Count {
 public:
  explicit Count(const std::string& file) : file_(file) {}

  void not_asked(const SettingInfo& setting, const std::string& suite, std::span<const Record* const> records) const {
    if (!records.empty()) refuse(*records.front(), "suite: " + found(suite).allowed("the suites of ", setting.variant));
  }

  void asked(const SettingInfo& setting, const SuiteMeta& suite, std::span<const Record* const> records) {
    for (const Record* r : records)
      if (std::find(suite.lengths.begin(), suite.lengths.end(), r->length) == suite.lengths.end())
        refuse(*r, "length: " + found(r->length).allowed(length_list(suite.lengths), ", the lengths of ", suite.name));
    for (const int64_t length : suite.lengths) {
      const auto here =
          std::count_if(records.begin(), records.end(), [&](const auto* r) { return r->length == length; });
      const std::string place = text(" of ", suite.name, " at length ", length, " of ", setting.id);
      if (here > suite.probes)
        throw Error(ErrorKind::kInput, text(file_, ": ", found(here, " probes", place).allowed(suite.probes)));
      if (here < suite.probes) missing_.push_back(text(here, " of ", suite.probes, " probes", place));
    }
  }

  void finish() const {
    if (missing_.empty()) return;
    std::vector<std::string> named(missing_.begin(),
                                   missing_.begin() + ptrdiff_t(std::min(missing_.size(), kMostPlaces)));
    if (missing_.size() > named.size())
      named.push_back(text("and too few in ", missing_.size() - named.size(), " more"));
    throw Error(ErrorKind::kInput,
                text(file_, ": ", found_what(join(named)).allowed("every probe that the config asks for")));
  }

 private:
  [[noreturn]] void refuse(const Record& r, const std::string& what) const {
    throw Error(ErrorKind::kInput, text(file_, r.line > 0 ? text(":", r.line) : "", ": ", what));
  }

  const std::string& file_;
  std::vector<std::string> missing_;
};

}  // namespace

void check_complete(const Manifest& manifest, const RecordIndex& index, const std::string& file) {
  Count count(file);
  for (size_t setting = 0; setting < manifest.settings.size(); ++setting)
    for (size_t i = 0; i < manifest.suites.size(); ++i) {
      const SettingInfo& info = manifest.settings[setting];
      const SuiteMeta* suite = asked_suite(manifest, info, manifest.suites[i].name);
      if (suite == nullptr)
        count.not_asked(info, manifest.suites[i].name, index.of(setting, i));
      else if (suite->probes > 0)
        count.asked(info, *suite, index.of(setting, i));
    }
  count.finish();
}

}  // namespace lw
