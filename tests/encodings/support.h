// What the tests of position encodings share: settings over the registries, golden numbers, and a small
// attention stack written apart from the model, so that a fault in one cannot hide in the other.
#pragma once
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "encodings/position_encoding.h"
#include "encodings/registry.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/base/config.h"
#include "harness/base/files.h"
#include "harness/base/rng.h"
#include "tests/catch_torch.h"
#include "tests/encodings/settings.h"

namespace lw::encoding_test {

using Json = nlohmann::json;

/// Numbers made by peers' own functions, 12 significant digits: they can hold a relative 1e-11, no finer.
constexpr double kGoldenDigits = 1e-11;

/// Strict JSON has no Infinity; the file holds it where a position overflows float16, and here it is null.
inline const Json& goldens() {
  static const Json json = [] {
    static const std::string infinity = ":Infinity";
    std::string text = read_file(LW_TEST_DATA "/positions.json");
    for (size_t at = text.find(infinity); at != std::string::npos; at = text.find(infinity, at))
      text.replace(at, infinity.size(), ":null");
    return Json::parse(text);
  }();
  return json;
}

/// "yarn|d=8|f=2" -> {"": "yarn", "d": "8", "f": "2"}.
inline std::map<std::string, std::string> golden_fields(const std::string& key) {
  std::map<std::string, std::string> out;
  size_t begin = 0;
  while (begin <= key.size()) {
    const size_t end = std::min(key.find('|', begin), key.size());
    const std::string part = key.substr(begin, end - begin);
    const size_t equals = part.find('=');
    out[equals == std::string::npos ? "" : part.substr(0, equals)] =
        equals == std::string::npos ? part : part.substr(equals + 1);
    begin = end + 1;
  }
  return out;
}

/// How far `got` is from a golden number, as a share of what 12 printed digits allow: half a unit of the last digit,
/// and 1e-12 of the value for the last steps of the peer's own arithmetic. Up to 1 is equal.
inline double golden_gap(double got, double want) {
  if (got == want) return 0;
  if (!std::isfinite(got) || want == 0) return std::numeric_limits<double>::infinity();
  const double last_digit = std::pow(10.0, std::floor(std::log10(std::abs(want))) - 11);
  return std::abs(got - want) / (0.5 * last_digit + 1e-12 * std::abs(want));
}

inline double golden_gap(const std::vector<double>& got, const std::vector<double>& want) {
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, golden_gap(got[i], want[i]));
  return worst;
}

inline double worst_relative(const std::vector<double>& got, const std::vector<double>& want) {
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;  // both 0, for a pair that never rotates
    const double gap = std::abs(got[i] - want[i]) / std::abs(want[i]);
    if (std::isnan(gap)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, gap);
  }
  return worst;
}

inline std::vector<double> numbers_of(const Json& list) { return list.get<std::vector<double>>(); }

/// The one-line error that `yaml` gives, or "" when it is accepted.
inline std::string config_error(const std::string& yaml, const ModelShape& shape = small_shape()) {
  try {
    build(yaml, shape);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kConfig ? error.what() : "not a config error: " + std::string(error.what());
  }
  return "";
}

inline std::vector<double> fact_numbers(const PositionEncoding& encoding, const std::string& name, int64_t length = 1) {
  for (const auto& fact : encoding.facts(length))
    if (fact.name == name) return fact.numbers;
  FAIL("the card has no fact called " << name);
  return {};
}

inline double fact_number(const PositionEncoding& encoding, const std::string& name, int64_t length = 1) {
  return fact_numbers(encoding, name, length).at(0);
}

/// Built in float64 with drawn parameters.
inline std::shared_ptr<PositionEncoding> build_drawn(const std::string& yaml, const ModelShape& shape = small_shape()) {
  auto encoding = build(yaml, shape);
  encoding->to(at::kDouble);
  Rng rng(7);
  encoding->reset_parameters(rng);
  return encoding;
}

inline at::Tensor positions(int64_t length, int64_t first = 0) {
  return at::arange(first, first + length, at::kLong).unsqueeze(0);
}

/// Reproducible normal draws in float64.
inline at::Tensor draw(std::vector<int64_t> sizes, const std::string& name) {
  Rng rng = Rng(11).stream(name);
  auto out = at::empty(sizes, at::kDouble);
  double* values = out.data_ptr<double>();
  for (int64_t i = 0; i < out.numel(); ++i) values[i] = rng.normal();
  return out;
}

/// Causal attention layers with fixed weights, nothing but positions between them.
class Stack {
 public:
  explicit Stack(const ModelShape& shape = small_shape()) : shape_(shape) {
    const double scale = 1.0 / std::sqrt(double(shape.width));
    for (int64_t l = 0; l < shape.layers; ++l)
      for (const char* role : {"q", "k", "v"})
        weights_.push_back(draw({shape.width, shape.width}, role + std::to_string(l)) * scale);
  }

  /// Hidden states after all layers; queries go in tiles when `tile` > 0.
  at::Tensor run(PositionEncoding& encoding, const at::Tensor& x_BTD, const at::Tensor& pos_BT, int64_t tile = 0,
                 bool share = true) const {
    PassMemo memo;
    encoding.check_positions(pos_BT);
    auto hidden = encoding.embed(x_BTD, pos_BT);
    for (int64_t l = 0; l < shape_.layers; ++l) {
      Site at{pos_BT, pos_BT, l, share ? &memo : nullptr};
      const auto k = encoding.rotate_key(heads(hidden, l, 1), at), v = heads(hidden, l, 2), q = heads(hidden, l, 0);
      std::vector<at::Tensor> parts;
      const int64_t length = q.size(2), step = tile > 0 ? tile : length;
      for (int64_t begin = 0; begin < length; begin += step) {
        const int64_t count = std::min(step, length - begin);
        at.query_pos_BQ = pos_BT.narrow(1, begin, count);
        parts.push_back(attend(encoding, q.narrow(2, begin, count), k, v, at));
      }
      hidden = hidden + merge(at::cat(parts, 2));
    }
    return hidden;
  }

  /// The same, one token at a time, keeping keys raw where the encoding says so, else as rotate_key() gave them.
  at::Tensor decode(PositionEncoding& encoding, const at::Tensor& x_BTD, const at::Tensor& pos_BT) const {
    std::vector<at::Tensor> keys(size_t(shape_.layers)), values(size_t(shape_.layers)), out;
    for (int64_t t = 0; t < pos_BT.size(1); ++t) {
      const auto here = pos_BT.narrow(1, t, 1), so_far = pos_BT.narrow(1, 0, t + 1);
      auto hidden = encoding.embed(x_BTD.narrow(1, t, 1), here);
      for (int64_t l = 0; l < shape_.layers; ++l) {
        const bool raw = encoding.key_cache() == KeyCache::kRaw;
        auto k = heads(hidden, l, 1), v = heads(hidden, l, 2);
        if (!raw) k = encoding.rotate_key(k, {here, here, l, nullptr});
        keys[size_t(l)] = t == 0 ? k : at::cat({keys[size_t(l)], k}, 2);
        values[size_t(l)] = t == 0 ? v : at::cat({values[size_t(l)], v}, 2);
        const Site at{here, so_far, l, nullptr};
        const auto all_keys = raw ? encoding.rotate_key(keys[size_t(l)], at) : keys[size_t(l)];
        hidden = hidden + merge(attend(encoding, heads(hidden, l, 0), all_keys, values[size_t(l)], at));
      }
      out.push_back(hidden);
    }
    return at::cat(out, 1);
  }

  /// Logits of the first layer, no mask.
  at::Tensor logits(PositionEncoding& encoding, const at::Tensor& x_BTD, const at::Tensor& pos_BT) const {
    const auto hidden = encoding.embed(x_BTD, pos_BT);
    const Site at{pos_BT, pos_BT, 0, nullptr};
    return scores(encoding, heads(hidden, 0, 0), encoding.rotate_key(heads(hidden, 0, 1), at), at);
  }

 private:
  at::Tensor heads(const at::Tensor& x_BTD, int64_t layer, int64_t role) const {
    const auto y = at::matmul(x_BTD, weights_[size_t(layer * 3 + role)].to(x_BTD.scalar_type()));
    return y.view({y.size(0), y.size(1), shape_.heads, shape_.head_width}).transpose(1, 2);
  }
  static at::Tensor merge(const at::Tensor& y_BHTE) { return y_BHTE.transpose(1, 2).flatten(2); }

  static at::Tensor scores(PositionEncoding& encoding, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) {
    const auto q = encoding.rotate_query(q_BHQE, at);
    const auto plain = at::matmul(q, k_BHKE.transpose(-1, -2)) / std::sqrt(double(q.size(-1)));
    return encoding.adjust_logits(plain, q, k_BHKE, at);
  }

  static at::Tensor attend(PositionEncoding& encoding, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const at::Tensor& v_BHKE, const Site& at) {
    const auto ahead = (at.key_pos_BK.unsqueeze(-2) > at.query_pos_BQ.unsqueeze(-1)).unsqueeze(1);
    const auto weights = scores(encoding, q_BHQE, k_BHKE, at).masked_fill(ahead, -INFINITY).softmax(-1);
    return encoding.adjust_output(at::matmul(weights.to(v_BHKE.scalar_type()), v_BHKE), weights, at);
  }

  ModelShape shape_;
  std::vector<at::Tensor> weights_;  // q, k, v of each layer
};

/// Equal infinities, as of masked logits, are no gap; NaN is an infinite one.
inline double largest_gap(const at::Tensor& a, const at::Tensor& b) {
  const auto x = a.to(at::kDouble), y = b.to(at::kDouble);
  const double gap = (x - y).masked_fill(x == y, 0.0).abs().max().item<double>();
  return std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
}

}  // namespace lw::encoding_test
