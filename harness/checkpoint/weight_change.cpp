#include "harness/checkpoint/weight_change.h"

#include <utility>

#include "encodings/tensor.h"

namespace lw {
namespace {

using Shape = WeightChange::Shape;

/// The same shape with another number of rows.
std::function<Shape(Shape)> with_rows(int64_t rows) {
  return [rows](Shape shape) {
    shape.at(0) = rows;
    return shape;
  };
}

}  // namespace

WeightChange rows_of(int64_t begin, int64_t count, int64_t total, std::string how) {
  WeightChange out;
  out.view = [=](const at::Tensor& x) {
    TORCH_CHECK(x.dim() > 0 && x.size(0) == total);
    return x.narrow(0, begin, count);
  };
  out.whole = with_rows(total);
  out.how = std::move(how);
  return out;
}

WeightChange part_of_each_head(int64_t heads, int64_t head_width, int64_t part, int64_t parts, std::string how) {
  WeightChange out;
  out.view = [=](const at::Tensor& x) { return x.unflatten(0, {heads, parts, head_width}).select(1, part); };
  out.whole = with_rows(heads * parts * head_width);
  out.splits = 1;
  out.how = std::move(how);
  return out;
}

WeightChange halves_of_pairs(int64_t heads, int64_t head_width) {
  WeightChange out;
  out.view = [=](const at::Tensor& x) { return x.unflatten(0, {heads, head_width / 2, 2}).transpose(1, 2); };
  out.splits = 2;
  return out;
}

WeightChange first_row(std::string how) {
  WeightChange out;
  out.view = [](const at::Tensor& x) { return x.select(0, 0); };
  out.whole = [](Shape shape) {
    shape.insert(shape.begin(), 1);
    return shape;
  };
  out.how = std::move(how);
  return out;
}

WeightChange transposed(WeightChange part) {
  WeightChange out;
  out.splits = part.splits;
  out.offset = part.offset;
  out.how = part.how.empty() ? "transposed" : "transposed, " + part.how;
  out.view = [part](const at::Tensor& x) { return part.view ? part.view(x.t()) : x.t(); };
  out.whole = [part](Shape shape) {
    if (part.whole) shape = part.whole(std::move(shape));
    return Shape(shape.rbegin(), shape.rend());
  };
  return out;
}

WeightChange plus(double offset, std::string how) {
  WeightChange out;
  out.offset = offset;
  out.how = std::move(how);
  return out;
}

at::Tensor taken(const WeightChange& change, const at::Tensor& theirs) {
  auto out = change.view ? change.view(theirs) : theirs;
  if (change.splits > 0) out = out.flatten(0, change.splits);
  return change.offset == 0 ? out : out + change.offset;
}

void put_back(const WeightChange& change, const at::Tensor& ours, at::Tensor& theirs) {
  if (!theirs.defined()) {
    const auto shape = ours.sizes().vec();
    theirs = at::zeros(change.whole ? change.whole(shape) : shape, at::kFloat);
  }
  const auto part = change.view ? change.view(theirs) : theirs;
  const auto values = ours.to(at::kCPU, at::kFloat) - change.offset;
  part.copy_(values.reshape(part.sizes()));
}

}  // namespace lw
