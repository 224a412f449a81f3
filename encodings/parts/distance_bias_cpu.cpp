#include "encodings/parts/distance_bias_cpu.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "harness/base/parallel.h"

namespace lw {
namespace {

/// Keys `begin` .. `begin + count - 1` of a row have consecutive positions from `position` on, so their biases for one
/// query are one contiguous piece of the table. A plain row is one run; left padding adds a few short ones.
struct KeyRun {
  int64_t begin, count, position;
};

std::vector<KeyRun> key_runs(const int64_t* pos_K, int64_t keys) {
  std::vector<KeyRun> runs;
  for (int64_t k = 0; k < keys; ++k) {
    if (k > 0 && pos_K[k] == pos_K[k - 1] + 1)
      ++runs.back().count;
    else
      runs.push_back({k, 1, pos_K[k]});
  }
  return runs;
}

/// The pairs of a call, and the place of each one's bias in a table of distances.
struct Pairs {
  int64_t rows, heads, queries, keys;  // B, H, Q, K
  at::Tensor query_pos_BQ;
  std::vector<std::vector<KeyRun>> runs;  // one list, or one per row
  int64_t least;                          // the table's first distance

  Pairs(at::IntArrayRef sizes_BHQK, const BiasPlaces& places)
      : rows(sizes_BHQK[0]),
        heads(sizes_BHQK[1]),
        queries(sizes_BHQK[2]),
        keys(sizes_BHQK[3]),
        query_pos_BQ(places.query_pos_BQ.contiguous()),
        least(places.least) {
    const auto key_pos_BK = places.key_pos_BK.contiguous();
    for (int64_t b = 0; b < key_pos_BK.size(0); ++b)
      runs.push_back(key_runs(key_pos_BK.data_ptr<int64_t>() + b * keys, keys));
  }

  const std::vector<KeyRun>& runs_of(int64_t row) const { return runs[runs.size() == 1 ? 0 : size_t(row)]; }
  int64_t query_pos(int64_t row, int64_t query) const {
    return query_pos_BQ.data_ptr<int64_t>()[(query_pos_BQ.size(0) == 1 ? 0 : row) * queries + query];
  }
};

/// Calls part(begin, end) over 0 .. count - 1, on LibTorch's number of threads when there are enough `elements` to pay
/// for starting them. (at::parallel_for is serial in programs that are not themselves built with OpenMP.)
void in_parts(int64_t count, int64_t elements, const std::function<void(int64_t, int64_t)>& part) {
  constexpr int64_t kElementsPerThread = 1 << 19;
  const int64_t threads = at::in_parallel_region() ? 1 : at::get_num_threads();
  const int64_t parts = std::clamp<int64_t>(elements / kElementsPerThread, 1, std::min(threads, count));
  run_jobs(parts, parts, [&](int64_t i) { part(count * i / parts, count * (i + 1) / parts); });
}

/// In blocks of a fixed size, which compilers turn into vector instructions at -O2.
template <class T>
void add_run(const T* __restrict a, const T* __restrict b, T* __restrict sum, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int64_t j = 0; j < 16; ++j) sum[i + j] = a[i + j] + b[i + j];
  for (; i < n; ++i) sum[i] = a[i] + b[i];
}

template <class T>
at::Tensor add_as(const at::Tensor& logits_BHQK, const at::Tensor& table_HN, const Pairs& pairs) {
  const auto in = logits_BHQK.contiguous(), table = table_HN.contiguous();
  auto out = at::empty_like(in);
  const T* in_data = in.data_ptr<T>();
  const T* table_data = table.data_ptr<T>();
  T* out_data = out.template data_ptr<T>();
  const int64_t lines = pairs.rows * pairs.heads * pairs.queries, distances = table.size(1);
  in_parts(lines, in.numel(), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t query = line % pairs.queries, head = line / pairs.queries % pairs.heads;
      const int64_t row = line / (pairs.queries * pairs.heads);
      const int64_t shift = head * distances - pairs.least - pairs.query_pos(row, query);
      for (const KeyRun& run : pairs.runs_of(row)) {
        const int64_t at = line * pairs.keys + run.begin;
        add_run(in_data + at, table_data + (shift + run.position), out_data + at, run.count);
      }
    }
  });
  return out;
}

template <class T>
at::Tensor sum_as(const at::Tensor& grad_BHQK, int64_t distances, const Pairs& pairs) {
  const auto grad = grad_BHQK.contiguous();
  const T* grad_data = grad.data_ptr<T>();
  auto sum_HN = at::zeros({pairs.heads, distances}, at::kDouble);
  double* sum_data = sum_HN.data_ptr<double>();
  in_parts(pairs.heads, grad.numel(), [&](int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head)
      for (int64_t row = 0; row < pairs.rows; ++row)
        for (int64_t query = 0; query < pairs.queries; ++query) {
          const int64_t shift = head * distances - pairs.least - pairs.query_pos(row, query);
          const int64_t line = (row * pairs.heads + head) * pairs.queries + query;
          for (const KeyRun& run : pairs.runs_of(row)) {
            double* __restrict to = sum_data + (shift + run.position);
            const T* __restrict from = grad_data + (line * pairs.keys + run.begin);
            for (int64_t k = 0; k < run.count; ++k) to[k] += double(from[k]);
          }
        }
  });
  return sum_HN.to(grad.scalar_type());
}

}  // namespace

at::Tensor add_bias_on_cpu(const at::Tensor& logits_BHQK, const at::Tensor& table_HN, const BiasPlaces& places) {
  const Pairs pairs(logits_BHQK.sizes(), places);
  return logits_BHQK.scalar_type() == at::kDouble ? add_as<double>(logits_BHQK, table_HN, pairs)
                                                  : add_as<float>(logits_BHQK, table_HN, pairs);
}

at::Tensor sum_by_distance_on_cpu(const at::Tensor& grad_BHQK, int64_t distances, const BiasPlaces& places) {
  const Pairs pairs(grad_BHQK.sizes(), places);
  return grad_BHQK.scalar_type() == at::kDouble ? sum_as<double>(grad_BHQK, distances, pairs)
                                                : sum_as<float>(grad_BHQK, distances, pairs);
}

}  // namespace lw
