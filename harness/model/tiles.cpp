#include "harness/model/tiles.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lw {

at::Tensor joined_tiles(at::IntArrayRef sizes_BHQE, int64_t tile, const at::TensorOptions& options,
                        const std::function<at::Tensor(int64_t begin, int64_t count)>& attended) {
  const int64_t total = sizes_BHQE[2];
  std::vector<std::pair<int64_t, int64_t>> tiles;
  for (int64_t begin = 0; begin < total; begin += tile) tiles.emplace_back(begin, std::min(tile, total - begin));
  if (at::GradMode::is_enabled()) {
    std::vector<at::Tensor> kept;
    for (const auto& [begin, count] : tiles) kept.push_back(attended(begin, count));
    return at::cat(kept, 2);
  }
  auto out_BHQE = at::empty(sizes_BHQE, options);
  for (auto it = tiles.rbegin(); it != tiles.rend(); ++it)
    out_BHQE.narrow(2, it->first, it->second).copy_(attended(it->first, it->second));
  return out_BHQE;
}

}  // namespace lw
