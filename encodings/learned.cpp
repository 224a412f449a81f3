// One learned vector per position, added to the token embeddings.
// Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", arXiv:1705.03122, section 3.1; the initial
// standard deviation of 0.02 is GPT-2's (Radford et al. 2019). A position past the table is an error: clamping or
// wrapping would give numbers that mean nothing.
// `extension` declares that a trained table of P rows reaches T positions; the parameter itself does not change.
// interpolate_corners and interpolate_centres resize the table by linear interpolation, aligning its ends (row m (P -
// 1) / (T - 1)) or its cells (row (m + 0.5) P / T - 0.5, clamped): align_corners true and false in image libraries.
// tile repeats it (Beltagy et al. 2020, "Longformer", arXiv:2004.05150, section 5). divide takes row m / factor,
// interpolated. T is declared, never taken from a call: what a position means must not depend on the sequence.
#include <ATen/ops/embedding.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "encodings/parts/facts.h"
#include "encodings/parts/parameters.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw {
namespace {

enum class TableExtension { kNone, kCorners, kCentres, kTile, kDivide };

const NamedValues<TableExtension> kTableExtensions = {
    {TableExtension::kNone, "none", "no vector past the table"},
    {TableExtension::kCorners, "interpolate_corners", "resized to extended_positions, first and last row in place"},
    {TableExtension::kCentres, "interpolate_centres", "resized to extended_positions, each row as wide as the others"},
    {TableExtension::kTile, "tile", "repeated up to extended_positions"},
    {TableExtension::kDivide, "divide", "positions divided by factor, between rows interpolated"}};

struct LearnedOptions {
  int64_t rows = 0;       // of the table
  int64_t positions = 0;  // that have a vector
  TableExtension extension = TableExtension::kNone;
  double factor = 1;  // kDivide
  double init_std = 0.02;

  /// The row of each position, as a real number. @param pos_BQ int64, 0 or more. float64.
  at::Tensor row(const at::Tensor& pos_BQ) const {
    const auto m = pos_BQ.to(at::kDouble);
    const double p = double(rows), t = double(positions);
    switch (extension) {
      case TableExtension::kCorners:
        return m * (positions > 1 ? (p - 1) / (t - 1) : 0);
      case TableExtension::kCentres:
        return ((m + 0.5) * (p / t) - 0.5).clamp(0, p - 1);
      case TableExtension::kDivide:
        return m / factor;
      case TableExtension::kTile:
        return m.remainder(p);
      case TableExtension::kNone:
        break;
    }
    return m;
  }
};

class Learned final : public PositionEncoding {
 public:
  Learned(const LearnedOptions& options, int64_t width) : options_(options) {
    table_PD_ = register_parameter("table", at::zeros({options.rows, width}));
  }

  at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ) override {
    const auto wide = wide_type(x_BQD);
    return (x_BQD.to(wide) + vectors(pos_BQ.clamp_min(0), wide)).to(x_BQD.scalar_type());  // padding: any row
  }

  bool shift_invariant() const override { return false; }
  bool touches_input() const override { return true; }
  bool touches_logits(int64_t) const override { return false; }
  std::optional<int64_t> max_positions() const override { return options_.positions; }
  std::string undefined_position(int64_t position) const override {
    return text("no vector for position ", position, " (table holds ", options_.positions, ")");
  }

  std::vector<CardFact> facts(int64_t) const override {
    std::vector<CardFact> out = {number_fact("positions", double(options_.rows)),
                                 number_fact("init_std", options_.init_std),
                                 text_fact("extension", name_of(kTableExtensions, options_.extension))};
    if (options_.extension != TableExtension::kNone)
      out.push_back(number_fact("extended_positions", double(options_.positions)));
    if (options_.extension == TableExtension::kDivide) out.push_back(number_fact("factor", options_.factor));
    return out;
  }

  void reset_parameters(Rng& rng) override {
    Rng stream = rng.stream("table");
    draw_normal(table_PD_, options_.init_std, stream);
  }

 private:
  at::Tensor vectors(const at::Tensor& pos_BQ, at::ScalarType wide) const {
    if (options_.extension == TableExtension::kNone) return at::embedding(table_PD_, pos_BQ).to(wide);
    const auto row_BQ = options_.row(pos_BQ);
    const auto below_BQ = row_BQ.floor();
    const auto share_BQ1 = (row_BQ - below_BQ).to(wide).unsqueeze(-1);
    const auto index_BQ = below_BQ.to(at::kLong);
    const auto low_BQD = at::embedding(table_PD_, index_BQ).to(wide);
    const auto high_BQD = at::embedding(table_PD_, (index_BQ + 1).clamp_max(options_.rows - 1)).to(wide);
    return low_BQD * (1 - share_BQ1) + high_BQD * share_BQ1;
  }

  LearnedOptions options_;
  at::Tensor table_PD_;
};

void read_extension(ConfigNode& options, LearnedOptions& out) {
  const Range<int64_t> allowed{.min = 1, .max = int64_t(1) << 40};
  constexpr auto kReach = "extended_positions";
  const std::string doc = "positions that the extended table reaches";
  const auto read = [&](TableExtension extension) {
    if (extension == TableExtension::kNone) return;
    if (extension != TableExtension::kDivide) {
      out.positions = options.integer(kReach, allowed, doc);
    } else {
      out.factor = options.number("factor", {.min = 1.0}, "positions are divided by it");
      const int64_t most = int64_t(std::floor(double(out.rows - 1) * out.factor)) + 1;
      out.positions = options.integer(kReach, most, allowed, doc);
      options.require(out.positions <= most, kReach,
                      found(out.positions).allowed("up to ", most, ", which is the last row after division"));
    }
    options.require(out.positions >= out.rows, kReach,
                    found(out.positions).allowed("the table's ", out.rows, " positions or more"));
  };
  out.extension = options.variant<TableExtension>("extension", kTableExtensions, TableExtension::kNone,
                                                  "what a table means past its last row", read);
}

MakeEncoding read_learned(ConfigNode& options, const ModelShape& shape) {
  const std::string doc = "rows of the table: positions 0 to positions - 1 have a vector";
  const Range<int64_t> rows{.min = 1, .max = int64_t(1) << 31};
  LearnedOptions learned;
  learned.rows = shape.train_length > 0 ? options.integer("positions", shape.train_length, rows, doc)
                                        : options.integer("positions", rows, doc);
  learned.positions = learned.rows;
  learned.init_std = options.number("init_std", 0.02, {.min = 0.0}, "standard deviation of the table's start");
  options.after_training([&]() -> std::optional<std::string> {
    read_extension(options, learned);
    if (learned.extension == TableExtension::kNone) return std::nullopt;
    return text(kTableExtensions[size_t(learned.extension)].name, " to ", learned.positions);
  });
  return maker_of<Learned>(learned, shape.width);
}

}  // namespace

extern const EncodingInfo learned_encoding{
    .name = "learned",
    .summary = "one learned vector per position, added to the embeddings",
    .paper = "Gehring et al. 2017, arXiv:1705.03122",
    .golden = "rows of the table; its extensions: PyTorch's interpolate",
    .read = read_learned,
};

}  // namespace lw
