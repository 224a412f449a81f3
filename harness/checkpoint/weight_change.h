// How a parameter is stored in a file's tensor: as some of its rows, transposed, or less 1. One description serves both
// directions: loading takes the part out, exporting puts it back.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace lw {

struct WeightChange {
  using Shape = std::vector<int64_t>;

  /// The part of the file's tensor, as a view that shares its memory. It may split the rows into several
  /// dimensions, which are joined again. Null: the whole tensor. Throws c10::Error where the tensor has no such part.
  std::function<at::Tensor(const at::Tensor& theirs)> view = nullptr;
  /// From the parameter's shape to that of the file's tensor. Null: the same.
  std::function<Shape(Shape ours)> whole = nullptr;
  int64_t splits = 0;    // extra dimensions that view() splits the rows into
  double offset = 0;     // ours is the file's value plus this
  std::string how = {};  // "rows 0 to 63", "transposed"; "" for the whole tensor
};

/// Rows `begin` to `begin + count - 1` of `total`.
WeightChange rows_of(int64_t begin, int64_t count, int64_t total, std::string how);
/// Block `part` of every head, from a tensor that holds `parts` blocks of `head_width` rows for each head.
WeightChange part_of_each_head(int64_t heads, int64_t head_width, int64_t part, int64_t parts, std::string how);
/// From the order in which llama.cpp keeps the rows of q and k to ours: pair i is rows 2i and 2i + 1 of a head there,
/// and rows i and i + head_width / 2 here.
WeightChange halves_of_pairs(int64_t heads, int64_t head_width);
/// Our vector is the first row of a matrix, which is written with that row alone.
WeightChange first_row(std::string how);
/// What `part` takes from the transposed matrix.
WeightChange transposed(WeightChange part = {});
WeightChange plus(double offset, std::string how);

/// What `change` takes from a file's tensor. @throws c10::Error as view does.
at::Tensor taken(const WeightChange& change, const at::Tensor& theirs);
/// Puts a parameter into a file's tensor, and creates that first where it is undefined.
void put_back(const WeightChange& change, const at::Tensor& ours, at::Tensor& theirs);

}  // namespace lw
