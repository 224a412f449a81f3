// One learned vector per position, added to the token embeddings.
// Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", arXiv:1705.03122, section 3.1; the start
// of 0.02 is GPT-2's (Radford et al. 2019). A position past the table is an error: clamping or wrapping would
// give numbers that mean nothing.
#include <string>

#include "encodings/facts.h"
#include "encodings/parameters.h"
#include "encodings/position_encoding.h"
#include "encodings/precision.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"

namespace lw {
namespace {

class Learned final : public PositionEncoding {
 public:
  Learned(int64_t positions, int64_t width, double init_std) : positions_(positions), init_std_(init_std) {
    table_PD_ = register_parameter("table", torch::zeros({positions, width}));
  }

  torch::Tensor embed(const torch::Tensor& x_BQD, const torch::Tensor& pos_BQ) override {
    check_inside(pos_BQ);
    const auto wide = wide_type(x_BQD);
    const auto vector_BQD = torch::embedding(table_PD_, pos_BQ.clamp_min(0)).to(wide);  // padding: any row
    return (x_BQD.to(wide) + vector_BQD).to(x_BQD.scalar_type());
  }

  bool shift_invariant() const override { return false; }
  bool touches_input() const override { return true; }
  std::optional<int64_t> max_positions() const override { return positions_; }

  std::vector<CardFact> facts(int64_t) const override {
    return {number_fact("positions", double(positions_)), number_fact("init_std", init_std_)};
  }

  void reset_parameters(Rng& rng) override {
    Rng stream = rng.stream("table");
    draw_normal(table_PD_, init_std_, stream);
  }

 private:
  void check_inside(const torch::Tensor& pos_BQ) const {
    if (pos_BQ.numel() == 0) return;
    const int64_t low = pos_BQ.min().item<int64_t>(), high = pos_BQ.max().item<int64_t>();
    if (low >= kPadding && high < positions_) return;
    throw Error(ErrorKind::kUnsupported, "no vector for position " + std::to_string(low < kPadding ? low : high) +
                                             " (table holds " + std::to_string(positions_) + ")");
  }

  int64_t positions_;
  double init_std_;
  torch::Tensor table_PD_;
};

std::shared_ptr<PositionEncoding> make_learned(ConfigNode& options, const ModelShape& shape) {
  const std::string doc = "rows of the table: positions 0 to positions - 1 have a vector";
  const Range<int64_t> rows{.min = 1, .max = int64_t(1) << 31};
  const int64_t positions = shape.train_length > 0 ? options.integer("positions", shape.train_length, rows, doc)
                                                   : options.integer("positions", rows, doc);
  const double init_std = options.number("init_std", 0.02, {.min = 0.0}, "standard deviation of the table's start");
  return std::make_shared<Learned>(positions, shape.width, init_std);
}

}  // namespace

extern const EncodingInfo learned_encoding{"learned", "one learned vector per position, added to the embeddings",
                                           "Gehring et al. 2017, arXiv:1705.03122", "rows of the table", make_learned};

}  // namespace lw
