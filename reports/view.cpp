#include "reports/view.h"

#include <algorithm>
#include <set>

#include "harness/base/numbers.h"
#include "reports/index.h"

namespace lw {

View::View(const Summary& summary) : summary_(summary), variants_(variants_of(summary.manifest)) {
  for (const auto& s : summary.manifest.settings) settings_[s.variant].push_back(&s);
  for (const auto& suite : summary.manifest.suites) lengths_[suite.name] = suite.lengths;
  std::map<std::string, std::set<int64_t>> lengths;
  for (const auto& p : summary.pooled) {
    pooled_[{p.variant, p.suite, p.metric, p.length, p.distance, p.depth, p.offset}] = &p;
    lengths[p.suite].insert(p.length);
  }
  for (const auto& [suite, set] : lengths) lengths_[suite].assign(set.begin(), set.end());
  for (auto& [suite, list] : lengths_) std::sort(list.begin(), list.end());
}

std::string View::baseline(const std::string& variant) const {
  for (const auto& c : summary_.comparisons)
    if (c.variant == variant) return c.baseline;
  return "";
}

std::vector<VariantGroup> View::groups(size_t most) const {
  std::vector<VariantGroup> result;
  const auto add = [&](const std::string& title, const std::string& base, const std::vector<std::string>& names) {
    const size_t most_names = most - (base.empty() ? 0 : 1);
    const size_t pieces = (names.size() + most_names - 1) / most_names;
    const size_t room = pieces == 0 ? 1 : (names.size() + pieces - 1) / pieces;  // pieces of one size
    for (size_t i = 0; i < names.size(); i += room) {
      VariantGroup group;
      group.title = title + (i == 0 ? "" : ", continued");
      if (!base.empty()) group.variants.push_back(base);
      group.variants.insert(group.variants.end(), names.begin() + ptrdiff_t(i),
                            names.begin() + ptrdiff_t(std::min(names.size(), i + room)));
      result.push_back(group);
    }
  };
  std::vector<std::string> plain;
  std::vector<std::pair<std::string, std::vector<std::string>>> scaled;  // by baseline, in config order
  for (const auto& v : variants_) {
    const std::string base = setting(v).scaled ? baseline(v) : "";
    if (base.empty()) {
      plain.push_back(v);
      continue;
    }
    auto family = std::find_if(scaled.begin(), scaled.end(), [&](const auto& f) { return f.first == base; });
    if (family == scaled.end()) family = scaled.insert(scaled.end(), {base, {}});
    family->second.push_back(v);
  }
  add("position schemes", "", plain);
  for (const auto& [base, names] : scaled) add(base + ", scaled after training", base, names);
  // A lone baseline is in its family's figure already.
  if (plain.size() == 1 && scaled.size() == 1) result.erase(result.begin());
  return result;
}

bool View::has(const std::string& suite, const Metric& metric) const {
  return std::any_of(summary_.pooled.begin(), summary_.pooled.end(),
                     [&](const Pooled& p) { return p.suite == suite && p.metric == metric.name; });
}

const Metric* View::main_metric(const std::string& suite) const {
  const Metric* main = nullptr;
  for (const Metric* m : metrics())
    if (m->main > 0 && (main == nullptr || m->main < main->main) && has(suite, *m)) main = m;
  return main;
}

bool View::has_answers(const std::string& suite) const {
  const Metric* main = main_metric(suite);
  return main != nullptr && main->shown == Shown::kAnswers;
}

std::vector<const Metric*> View::shown_metrics(const std::string& suite) const {
  const Metric* main = main_metric(suite);
  if (main == nullptr) return {};
  std::vector<const Metric*> shown = {main};
  for (const Metric* m : metrics()) {
    const bool fits = m->shown == main->shown || m->shown == Shown::kPairs;
    if (m != main && fits && has(suite, *m)) shown.push_back(m);
  }
  return shown;
}

const std::vector<int64_t>& View::lengths(const std::string& suite) const { return lengths_.at(suite); }

namespace {

template <class T>
std::vector<T> distinct(const Summary& summary, const std::string& suite, const Metric& metric,
                        std::optional<T> Pooled::*part) {
  std::set<T> values;
  for (const auto& p : summary.pooled)
    if (p.suite == suite && p.metric == metric.name && p.*part) values.insert(*(p.*part));
  return {values.begin(), values.end()};
}

}  // namespace

std::vector<Bin> View::distances(const std::string& suite, const Metric& metric, int64_t length) const {
  std::set<Bin> bins;
  for (const auto& p : summary_.pooled)
    if (p.suite == suite && p.metric == metric.name && p.length == length && p.distance) bins.insert(*p.distance);
  return {bins.begin(), bins.end()};
}

std::vector<double> View::depths(const std::string& suite, const Metric& metric) const {
  return distinct(summary_, suite, metric, &Pooled::depth);
}

std::vector<Bin> View::offsets(const std::string& suite, const Metric& metric) const {
  return distinct(summary_, suite, metric, &Pooled::offset);
}

const Pooled* View::find(const Key& key) const {
  const auto found = pooled_.find(key);
  return found == pooled_.end() ? nullptr : found->second;
}

const Pooled* View::at(const std::string& variant, const std::string& suite, const Metric& metric,
                       int64_t length) const {
  return find({variant, suite, std::string(metric.name), length, {}, {}, {}});
}

const Pooled* View::at_distance(const std::string& variant, const std::string& suite, const Metric& metric,
                                int64_t length, const Bin& distance) const {
  return find({variant, suite, std::string(metric.name), length, distance, {}, {}});
}

const Pooled* View::at_depth(const std::string& variant, const std::string& suite, const Metric& metric, int64_t length,
                             double depth) const {
  return find({variant, suite, std::string(metric.name), length, {}, depth, {}});
}

const Pooled* View::part_or_whole(const Pooled* part, const Pooled* whole) {
  return part == nullptr && whole != nullptr && !whole->value ? whole : part;
}

const Pooled* View::at_offset(const std::string& variant, const std::string& suite, const Metric& metric,
                              int64_t length, const Bin& offset) const {
  return find({variant, suite, std::string(metric.name), length, {}, {}, offset});
}

const EffectiveLength* View::effective(const std::string& variant, const std::string& suite) const {
  for (const auto& e : summary_.effective_length)
    if (e.variant == variant && e.suite == suite) return &e;
  return nullptr;
}

std::vector<int64_t> View::train_lengths() const {
  std::set<int64_t> lengths;
  for (const auto& s : summary_.manifest.settings)
    if (s.train_length > 0) lengths.insert(s.train_length);
  return {lengths.begin(), lengths.end()};
}

int64_t View::train_length() const {
  const auto& settings = summary_.manifest.settings;
  const bool same = std::all_of(settings.begin(), settings.end(),
                                [&](const SettingInfo& s) { return s.train_length == settings.front().train_length; });
  return same && !settings.empty() ? settings.front().train_length : 0;
}

int64_t View::longest() const {
  int64_t longest = 0;
  for (const auto& [suite, lengths] : lengths_)
    if (!lengths.empty()) longest = std::max(longest, lengths.back());
  return longest;
}

std::string short_reason(const std::string& reason) { return reason.substr(0, reason.find(':')); }

std::string name_list(const std::vector<std::string>& names, size_t most) {
  if (names.empty()) return "";
  const size_t shown = names.size() > most ? most - 1 : names.size() - 1;
  const std::string last = names.size() > most ? std::to_string(names.size() - shown) + " more" : names.back();
  std::string text;
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return shown == 0 ? last : text + " and " + last;
}

std::string share_words(double value) {
  std::string text = format_fixed(value, 4);
  while (text.back() == '0' && text.size() > 4) text.pop_back();
  return text;
}

std::string p_words(double p) { return p < 0.001 ? "p<0.001" : "p=" + format_fixed(p, p < 0.1 ? 3 : 2); }

std::string signed_number(double value, int digits) {
  const std::string text = format_fixed(value, digits);
  if (text.find_first_of("123456789") == text.npos) return format_fixed(0, digits);
  return value > 0 ? "+" + text : text;
}

std::string multiple(int64_t length, int64_t train_length) {
  if (train_length <= 0) return "";
  const double ratio = static_cast<double>(length) / static_cast<double>(train_length);
  return (ratio == static_cast<double>(static_cast<int64_t>(ratio)) ? format_number(ratio) : format_fixed(ratio, 1)) +
         "x";
}

std::string bin_words(const Bin& bin) {
  if (bin.high - bin.low <= 1) return format_grouped(bin.low);
  return format_grouped(bin.low) + "-" + format_grouped(bin.high - 1);
}

}  // namespace lw
