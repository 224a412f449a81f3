#include "harness/model/slot_logits.h"

#include <algorithm>

#include "encodings/parts/precision.h"
#include "harness/model/transformer.h"

namespace lw {

at::Tensor wide_logits(const Transformer& model, const at::Tensor& hidden_D) {
  return model.logits(hidden_D.to(wide_type(hidden_D)));
}

void wide_logits_in_parts(const Transformer& model, const at::Tensor& h_BKD, int64_t most,
                          const std::function<void(int64_t, const at::Tensor&)>& part) {
  const int64_t slots = h_BKD.size(1), slot_size = h_BKD.size(0) * model.config().vocabulary;
  const int64_t step = std::max<int64_t>(1, most / std::max<int64_t>(1, slot_size));
  for (int64_t first = 0; first < slots; first += step)
    part(first, wide_logits(model, h_BKD.narrow(1, first, std::min(step, slots - first))));
}

}  // namespace lw
