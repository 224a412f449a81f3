#include "harness/selfcheck/build_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "encodings/position_setting.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "encodings/tensor.h"
#include "harness/base/config.h"
#include "harness/base/files.h"
#include "harness/base/registry.h"
#include "harness/base/rng.h"
#include "harness/base/scratch_folder.h"
#include "harness/measure/attention_cost.h"
#include "harness/model/transformer.h"
#include "harness/results/cache_entry.h"
#include "harness/train/trainer.h"
#include "reports/statistics/multiplicity.h"
#include "reports/statistics/paired.h"

namespace lw {
namespace {

double largest_gap(const std::vector<Expected>& values, bool relative) {
  double worst = values.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
  for (const auto& v : values) {
    const double gap = std::abs(v.found - v.right) / (relative ? std::abs(v.right) : 1);
    worst = std::isfinite(gap) ? std::max(worst, gap) : std::numeric_limits<double>::infinity();
  }
  return worst;
}

PositionSetting setting_of(const std::string& section, const ModelShape& shape) {
  return PositionSetting::parse(parse_yaml(section, "<selfcheck>"), shape);
}

/// One head of 16 channels, trained to 64 tokens.
ModelShape small_shape() {
  ModelConfig config;
  config.width = 32;
  config.heads = config.kv_heads = 2;
  config.head_width = 16;
  return config.shape(64);
}

/// inv_freq of RoPE under a scaling, at a length.
std::vector<double> inv_freq(const std::string& scaling, int64_t length) {
  for (const auto& fact :
       setting_of("scheme: rope\nscaling: {" + scaling + "}\n", small_shape()).build()->facts(length))
    if (fact.name == "inv_freq") return fact.numbers;
  return {};
}

void add_pairs(std::vector<Expected>& out, const std::vector<double>& found, const std::function<double(int)>& right) {
  for (int i = 0; i < 8; ++i)
    out.push_back({i < int(found.size()) ? found[size_t(i)] : std::numeric_limits<double>::quiet_NaN(), right(i)});
}

Record cached_record(int64_t index) {
  Record r;
  r.id = "needle/16/" + std::to_string(index);
  r.suite = "needle";
  r.setting = "rope/s0";
  r.length = 16;
  r.prompt_tokens = 15;
  r.answer_budget = 1;
  r.prompt_hash = "0";
  r.correct = index % 2 == 0;
  r.nll = 0.5;
  return r;
}

}  // namespace

std::vector<uint64_t> first_draws() {
  return {Rng(1234567).next(), Rng(0).stream("needle").next(), Rng(0).stream(uint64_t{7}).next(),
          Rng(1).stream("training").stream(uint64_t{3}).next()};
}

CheckResult check_random_numbers(const std::vector<uint64_t>& draws) {
  // The first is SplitMix64's published one (tests/base/rng_test.cpp has the others' origin).
  const std::vector<uint64_t> right = {6457827717110365317ULL, 7192917300503747436ULL, 18253903869471860491ULL,
                                       536975530758032204ULL};
  double wrong = draws.size() == right.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(draws.size(), right.size()); ++i) wrong += draws[i] == right[i] ? 0 : 1;
  return {"random numbers", "", "first draws of named streams that are not those of every other machine", wrong, 0};
}

std::vector<Expected> statistics_beside_tables() {
  const Interval low = wilson_count(7, 12), one = wilson_count(98, 100, kZ95OneSided);
  const Interval paired = tango({136, 14, 4, 46});
  const auto adjusted = holm(std::array{0.01, 0.04, 0.03});
  return {{low.low, .319511},
          {low.high, .806740},
          {one.low, .941352},
          {paired.low, .009393},
          {paired.high, .097051},
          {mcnemar_exact(1, 9), .021484},
          {mcnemar_exact(14, 4), .030884},
          {adjusted[0], .03},
          {adjusted[1], .06},
          {student_t_quantile(.975, 4), 2.776445},
          {normal_quantile(.975), kZ95}};
}

CheckResult check_statistics(const std::vector<Expected>& values) {
  return {"statistics", "", "intervals and p-values, and published ones with six digits", largest_gap(values, false),
          1.5e-6};
}

std::vector<Expected> frequencies_beside_formulas() {
  const auto plain = [](int i) { return std::pow(10000.0, -i / 8.0); };
  std::vector<Expected> out;
  add_pairs(out, inv_freq("rope_type: default", 64), plain);
  add_pairs(out, inv_freq("rope_type: linear, factor: 8", 64), [&](int i) { return plain(i) / 8; });
  const double wider = 10000.0 * std::pow(4.0, 16.0 / 14);  // bloc97's base for alpha 4 and a head of 16 channels
  add_pairs(out, inv_freq("rope_type: ntk, alpha: 4", 64), [&](int i) { return std::pow(wider, -i / 8.0); });
  add_pairs(out, inv_freq("rope_type: dynamic, factor: 2", 64), plain);    // unchanged up to the original length
  const double grown = 10000.0 * std::pow(2 * 128.0 / 64 - 1, 16.0 / 14);  // transformers' base at twice the length
  add_pairs(out, inv_freq("rope_type: dynamic, factor: 2", 128), [&](int i) { return std::pow(grown, -i / 8.0); });
  return out;
}

CheckResult check_frequencies(const std::vector<Expected>& values) {
  return {"frequencies", "", "inv_freq of RoPE, linear, NTK and dynamic scaling, and their formulas: relative gap",
          largest_gap(values, true), 1e-14};
}

std::string train_small_model() {
  ConfigNode none = ConfigNode::parse("{}");
  const auto suite = find_named(suites(), "order_swap")->make(none);
  const VocabularyPlan vocabulary({suite.get()}, false);
  ModelConfig config;
  config.width = 16;
  config.heads = config.kv_heads = 2;
  config.head_width = 8;
  config.ffn = 32;
  config.vocabulary = vocabulary.size();
  TrainConfig train_config;
  train_config.min_length = train_config.max_length = 32;
  train_config.steps = 4;
  train_config.batch = 4;
  Transformer model(config, setting_of("scheme: t5\n", config.shape(32)).build());
  model.reset_parameters(Rng(3));
  train(model, train_config, {{"order_swap", suite.get()}}, vocabulary, Rng(5), [](int64_t, double) {});
  std::string bytes;
  for (const auto& p : model.parameters()) {
    const auto flat = p.detach().contiguous();
    bytes.append(static_cast<const char*>(flat.data_ptr()), flat.nbytes());
  }
  return bytes;
}

CheckResult check_training(const std::function<std::string()>& train) {
  const std::string first = train(), second = train();
  double differing = std::abs(double(first.size()) - double(second.size()));
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) differing += first[i] == second[i] ? 0 : 1;
  return {"training", "", "bytes of weights in which two equal trainings differ", differing, 0};
}

void flip_one_bit(const std::string& path, int64_t trial) {
  std::string bytes = read_file(path);
  char& byte = bytes[size_t(trial * 37) % bytes.size()];
  byte = static_cast<char>(byte ^ (1 << (trial % 8)));
  write_file(path, bytes);
}

CheckResult check_damage(const std::function<void(const std::string& path, int64_t trial)>& damage) {
  constexpr int64_t kTrials = 24;
  const ScratchFolder folder;
  const auto path = folder / "unit.jsonl";
  double believed = 0;
  for (int64_t trial = 0; trial < kTrials; ++trial) {
    write_unit_entry(path, {{"unit", "selfcheck"}, {cached_record(0), cached_record(1)}});
    damage(path.string(), trial);
    try {
      (void)read_unit_entry(path);
      ++believed;
    } catch (const Error&) {
    }
  }
  return {"damage", "", "cache entries with one bit changed, of 24, that are believed", believed, 0};
}

int64_t peak_bytes_in_tiles(int64_t length) {
  const auto encoding = setting_of("scheme: alibi\n", small_shape()).build();
  const AttentionLoad load(small_shape(), length, 32);
  return peak_bytes_of([&] { load.forward(*encoding); });
}

CheckResult check_memory(const std::function<int64_t(int64_t length)>& peak_bytes) {
  return {"memory", "", "what attention in tiles holds at 1,024 tokens, over what it holds at 512",
          double(peak_bytes(1024)) / double(peak_bytes(512)), 2.3};
}

std::vector<CheckResult> check_build() {
  return {check_random_numbers(first_draws()),
          check_statistics(statistics_beside_tables()),
          check_frequencies(frequencies_beside_formulas()),
          check_training(train_small_model),
          check_damage(flip_one_bit),
          check_memory(peak_bytes_in_tiles)};
}

}  // namespace lw
