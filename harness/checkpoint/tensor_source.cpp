#include "harness/checkpoint/tensor_source.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "harness/base/error.h"
#include "harness/formats/safetensors.h"

namespace lw {
namespace {

class SafetensorsSource final : public TensorSource {
 public:
  explicit SafetensorsSource(const std::filesystem::path& path) : place_(path.string()), file_(path) {
    for (const auto& entry : file_.entries()) tensors_.push_back({entry.name, entry.shape});
  }

  std::string place() const override { return place_; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }

  torch::Tensor read(std::string_view name) const override {
    for (const auto& entry : file_.entries()) {
      if (entry.name != name) continue;
      auto raw = torch::empty(entry.shape, type_of(entry));
      if (!entry.bytes.empty()) std::memcpy(raw.data_ptr(), entry.bytes.data(), entry.bytes.size());
      return raw.to(torch::kFloat32);
    }
    throw Error(ErrorKind::kInput, place_ + ": found no tensor " + std::string(name));
  }

 private:
  torch::ScalarType type_of(const SafetensorsEntry& entry) const {
    static const std::map<std::string, torch::ScalarType> kTypes = {
        {"F32", torch::kFloat32}, {"F64", torch::kFloat64}, {"F16", torch::kFloat16}, {"BF16", torch::kBFloat16}};
    const auto found = kTypes.find(entry.dtype);
    if (found == kTypes.end())
      throw Error(ErrorKind::kInput,
                  place_ + ": " + entry.name + ": found dtype " + entry.dtype + "; allowed: F32, F64, F16, BF16");
    return found->second;
  }

  std::string place_;
  SafetensorsFile file_;
  std::vector<TensorInfo> tensors_;
};

}  // namespace

const TensorInfo* TensorSource::find(std::string_view name) const {
  const auto& all = tensors();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TensorInfo& t) { return t.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<TensorSource> open_safetensors(const std::filesystem::path& path) {
  return std::make_unique<SafetensorsSource>(path);
}

std::string shape_text(c10::IntArrayRef shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

}  // namespace lw
