// Where weights are read from: names, shapes, and values as float32, whatever the container.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace at {
class Tensor;
}

namespace lw {

class Container;

struct TensorInfo {
  std::string name;
  std::vector<int64_t> shape;  // row-major
};

class TensorSource {
 public:
  virtual ~TensorSource() = default;
  /// The file or folder, for errors.
  virtual std::string place() const = 0;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  /// Float32, on the CPU. @throws Error(kInput) for an unknown name, or a type that cannot be read as numbers.
  virtual at::Tensor read(std::string_view name) const = 0;

  const TensorInfo* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
};

/// The tensors of an open container, which lives as long as any of its sources.
std::unique_ptr<TensorSource> source_of(std::shared_ptr<const Container> container);

}  // namespace lw
