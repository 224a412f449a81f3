// A summary with its numbers findable by name, for everything that prints it.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "reports/metrics/metric.h"
#include "reports/summary.h"

namespace lw {

/// Variants that belong in one figure.
struct VariantGroup {
  std::string title;  // "schemes", or "rope, scaled after training"
  std::vector<std::string> variants;
};

class View {
 public:
  /// Keeps a reference: the summary must outlive the view.
  explicit View(const Summary& summary);
  const Summary& summary() const { return summary_; }

  const std::vector<std::string>& variants() const { return variants_; }
  /// The variant's settings, seed by seed.
  const std::vector<const SettingInfo*>& settings(const std::string& variant) const { return settings_.at(variant); }
  const SettingInfo& setting(const std::string& variant) const { return *settings_.at(variant).front(); }
  /// Unscaled variants first, in pieces of at most `most`; then each family of scaled ones behind its baseline.
  std::vector<VariantGroup> groups(size_t most = 12) const;
  /// The unscaled variant with the same weights, or "".
  std::string baseline(const std::string& variant) const;

  /// The metric by which the suite is mainly evaluated; null when it has no numbers at all.
  const Metric* main_metric(const std::string& suite) const;
  /// Whether that metric counts right answers.
  bool has_answers(const std::string& suite) const;
  /// The metrics that reports show of the suite by length, the main one first.
  std::vector<const Metric*> shown_metrics(const std::string& suite) const;
  bool has(const std::string& suite, const Metric& metric) const;
  /// Lengths of a suite, ascending, whether or not they gave numbers.
  const std::vector<int64_t>& lengths(const std::string& suite) const;
  /// Distance bins at one length, depths and offset bins that a metric of a suite was broken down by, ascending.
  std::vector<Bin> distances(const std::string& suite, const Metric& metric, int64_t length) const;
  std::vector<double> depths(const std::string& suite, const Metric& metric) const;
  std::vector<Bin> offsets(const std::string& suite, const Metric& metric) const;

  /// Null when the summary holds no such number.
  const Pooled* at(const std::string& variant, const std::string& suite, const Metric& metric, int64_t length) const;
  const Pooled* at_distance(const std::string& variant, const std::string& suite, const Metric& metric, int64_t length,
                            const Bin& distance) const;
  const Pooled* at_depth(const std::string& variant, const std::string& suite, const Metric& metric, int64_t length,
                         double depth) const;
  /// As at_distance() or at_depth() found it; where that is null and there is no number at this length at all, the
  /// whole length, which knows the reason.
  static const Pooled* part_or_whole(const Pooled* part, const Pooled* whole);
  const Pooled* at_offset(const std::string& variant, const std::string& suite, const Metric& metric, int64_t length,
                          const Bin& offset) const;
  const EffectiveLength* effective(const std::string& variant, const std::string& suite) const;
  /// 0: not known.
  int64_t train_length(const std::string& variant) const { return setting(variant).train_length; }
  /// The training length of all variants; 0 where they differ or none is known.
  int64_t train_length() const;
  /// Every training length, ascending.
  std::vector<int64_t> train_lengths() const;
  /// The longest length of any suite.
  int64_t longest() const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, int64_t, std::optional<Bin>, std::optional<double>,
                         std::optional<Bin>>;
  const Pooled* find(const Key& key) const;

  const Summary& summary_;
  std::vector<std::string> variants_;
  std::map<std::string, std::vector<const SettingInfo*>> settings_;
  std::map<Key, const Pooled*> pooled_;
  std::map<std::string, std::vector<int64_t>> lengths_;
};

/// The short part of a reason: "no position" of "no position: no vector for position 32".
std::string short_reason(const std::string& reason);
/// "a", "a and b", "a, b and c"; beyond `most` names "a, b and 4 more".
std::string name_list(const std::vector<std::string>& names, size_t most = 6);
/// A share that is known rather than measured: "0.50", "0.125".
std::string share_words(double value);
/// "p<0.001" or "p=0.012".
std::string p_words(double p);
/// "+0.53", "-0.02", "0.00".
std::string signed_number(double value, int digits = 2);
/// "8x" for a length of 256 and a training length of 32; "" when the training length is unknown.
std::string multiple(int64_t length, int64_t train_length);
/// "32-63": a bin as readers count, both ends included; "5" for a bin of one.
std::string bin_words(const Bin& bin);

}  // namespace lw
