// RoPE: queries and keys rotated by their positions, so that their product depends on the difference.
// Su et al. 2021, "RoFormer", arXiv:2104.09864, section 3.2. Frequencies come from a RopeScaling; only part of the head
// may be rotated (`partial_rotary_factor`, GPT-NeoX), with frequencies of that part's width.
// Layers may differ (rope_layers.h).
#include "encodings/parts/rope_layers.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class Rope final : public PositionEncoding {
 public:
  explicit Rope(RopeRotation rotation) : rotation_(std::move(rotation)) {}

  at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at) override {
    return rotation_.rotate_query(q_BHQE, at.query_pos_BQ, at);
  }
  at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at) override {
    return rotation_.rotate_key(k_BHKE, at.key_pos_BK, at);
  }

  KeyCache key_cache() const override { return rotation_.depends_on_length() ? KeyCache::kNone : KeyCache::kRotated; }
  bool shift_invariant() const override { return true; }
  int64_t changes_after() const override { return rotation_.changes_after().value_or(0); }
  std::optional<int64_t> max_positions() const override { return rotation_.max_length(); }
  std::string undefined_position(int64_t position) const override { return rotation_.undefined_position(position); }
  bool touches_logits(int64_t) const override { return false; }
  std::vector<CardFact> facts(int64_t length) const override { return rotation_.facts(length); }

 private:
  RopeRotation rotation_;
};

}  // namespace

extern const EncodingInfo rope_encoding{
    .name = "rope",
    .summary = "queries and keys rotated by position",
    .paper = "Su et al. 2021, arXiv:2104.09864",
    .golden = "transformers, GPT-NeoX and GPT-J",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      return read_rope_layers(options, shape, [](RopeRotation r) { return maker_of<Rope>(std::move(r)); });
    },
};

}  // namespace lw
