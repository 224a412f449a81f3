// Which distance each pair of tokens is turned by, recovered from logits, and logits turned by given distances,
// written out pair by pair.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/encodings/support.h"

namespace lw::encoding_test {

using Matrix = std::vector<std::vector<double>>;
/// Distance of a query at i and a key at j <= i.
using DistanceRule = std::function<double(int64_t i, int64_t j)>;

inline ModelShape one_pair_shape(int64_t train_length) {
  ModelShape shape = small_shape();
  shape.width = shape.head_width = 2;
  shape.heads = 1;
  shape.train_length = train_length;
  return shape;
}

/// Heads of one pair that turns by 1/1000 of the distance: the logits of (1, 0) with (1, 0) and with (0, 1) are its
/// cosine and sine. Rows i hold keys 0 .. i.
inline Matrix effective_distances(const std::string& yaml, int64_t length, int64_t train_length) {
  auto encoding = build(yaml + "scaling: {rope_type: linear, factor: 1000}\n", one_pair_shape(train_length));
  const auto pos = positions(length);
  const auto along = at::tensor({1.0, 0.0}, at::kDouble).expand({1, 1, length, 2});
  const auto logits_with = [&](const at::Tensor& k) {
    const Site at{pos, pos, 0, nullptr};
    const auto q = encoding->rotate_query(along, at), rotated_k = encoding->rotate_key(k, at);
    return encoding->adjust_logits(at::matmul(q, rotated_k.transpose(-1, -2)) / std::sqrt(2.0), q, rotated_k, at);
  };
  const auto cosine = logits_with(along), sine = logits_with(along.flip(-1));
  Matrix out;
  for (int64_t i = 0; i < length; ++i) {
    out.emplace_back();
    for (int64_t j = 0; j <= i; ++j)
      out.back().push_back(1000 * std::atan2(sine[0][0][i][j].item<double>(), cosine[0][0][i][j].item<double>()));
  }
  return out;
}

inline double worst_gap(const Matrix& got, const Matrix& want) {
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].size() != want[i].size()) return std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < got[i].size(); ++j) {
      const double gap = std::abs(got[i][j] - want[i][j]);
      worst = std::isfinite(gap) ? std::max(worst, gap) : std::numeric_limits<double>::infinity();
    }
  }
  return worst;
}

inline Matrix distances_by(const DistanceRule& rule, int64_t length) {
  Matrix out;
  for (int64_t i = 0; i < length; ++i) {
    out.emplace_back();
    for (int64_t j = 0; j <= i; ++j) out.back().push_back(rule(i, j));
  }
  return out;
}

inline double largest_of(const Matrix& distances) {
  double largest = 0;
  for (const auto& row : distances)
    for (const double distance : row) largest = std::max(largest, distance);
  return largest;
}

/// q . k with q turned by `distance` and k as it is, over sqrt(E): each pair of channels in turn.
inline double turned_product(const at::Tensor& q_E, const at::Tensor& k_E, double distance, bool interleaved) {
  const int64_t width = q_E.size(0), pairs = width / 2;
  double sum = 0;
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + pairs;
    const double angle = distance * std::pow(10000.0, -2.0 * double(i) / double(width));
    const double x = q_E[a].item<double>(), y = q_E[b].item<double>();
    sum += (x * std::cos(angle) - y * std::sin(angle)) * k_E[a].item<double>() +
           (x * std::sin(angle) + y * std::cos(angle)) * k_E[b].item<double>();
  }
  return sum / std::sqrt(double(width));
}

/// What the encoding's logits are for `length` tokens at 0, 1, ...: [1, 2, length, length], heads of 8 channels.
inline at::Tensor logits_of(PositionEncoding& encoding, int64_t length) {
  const auto q = draw({1, 2, length, 8}, "q"), k = draw({1, 2, length, 8}, "k");
  const auto pos = positions(length);
  const Site at{pos, pos, 0, nullptr};
  const auto rotated_q = encoding.rotate_query(q, at), rotated_k = encoding.rotate_key(k, at);
  return encoding.adjust_logits(at::matmul(rotated_q, rotated_k.transpose(-1, -2)) / std::sqrt(8.0), rotated_q,
                                rotated_k, at);
}

/// The largest gap between those logits and products turned by the rule's distance, both layouts, keys <= query.
inline double worst_gap_to_pairs(const std::string& yaml, const DistanceRule& rule, int64_t length,
                                 int64_t train_length = 16) {
  ModelShape shape = small_shape();
  shape.train_length = train_length;
  const auto q = draw({1, 2, length, 8}, "q"), k = draw({1, 2, length, 8}, "k");
  double worst = 0;
  for (const bool interleaved : {false, true}) {
    const auto got =
        logits_of(*build(yaml + (interleaved ? "layout: interleaved\n" : "layout: half\n"), shape), length);
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t i = 0; i < length; ++i)
        for (int64_t j = 0; j <= i; ++j) {
          const double want = turned_product(q[0][h][i], k[0][h][j], rule(i, j), interleaved);
          const double gap = std::abs(got[0][h][i][j].item<double>() - want);
          worst = std::isfinite(gap) ? std::max(worst, gap) : std::numeric_limits<double>::infinity();
        }
  }
  return worst;
}

/// The largest gap to plain RoPE's logits for keys <= query, at a training length of 64.
inline double worst_gap_to_rope(const std::string& yaml, int64_t length) {
  ModelShape shape = small_shape();
  shape.train_length = 64;
  return largest_gap(logits_of(*build(yaml, shape), length).tril(),
                     logits_of(*build("scheme: rope\n", shape), length).tril());
}

}  // namespace lw::encoding_test
