#include "harness/checkpoint/tensor_source.h"

#include <algorithm>
#include <utility>

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/formats/container.h"

namespace lw {
namespace {

class ContainerSource final : public TensorSource {
 public:
  explicit ContainerSource(std::shared_ptr<const Container> container)
      : place_(container->path().string()), container_(std::move(container)) {
    for (const auto& tensor : container_->tensors()) tensors_.push_back({tensor.name, tensor.shape});
  }

  std::string place() const override { return place_; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }

  at::Tensor read(std::string_view name) const override {
    const ContainerTensor* tensor = container_->find(name);
    if (tensor == nullptr) throw Error(ErrorKind::kInput, place_ + ": found no tensor " + std::string(name));
    auto out = at::empty(tensor->shape, at::kFloat);
    container_->read_float32(*tensor, {out.data_ptr<float>(), static_cast<size_t>(out.numel())});
    return out;
  }

 private:
  std::string place_;
  std::shared_ptr<const Container> container_;
  std::vector<TensorInfo> tensors_;
};

}  // namespace

const TensorInfo* TensorSource::find(std::string_view name) const {
  const auto& all = tensors();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TensorInfo& t) { return t.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<TensorSource> source_of(std::shared_ptr<const Container> container) {
  return std::make_unique<ContainerSource>(std::move(container));
}

}  // namespace lw
