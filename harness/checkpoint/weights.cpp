#include "harness/checkpoint/weights.h"

#include <cstring>
#include <set>

#include "encodings/module.h"
#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/formats/dtypes.h"
#include "harness/formats/safetensors.h"

namespace lw {

std::string weights_bytes(const Module& model, const std::map<std::string, std::string>& metadata) {
  std::vector<at::Tensor> held;
  std::vector<SafetensorsEntry> entries;
  for (const auto& item : model.named_parameters()) {
    held.push_back(item.value().detach().to(at::kCPU, at::kFloat).contiguous());
    const auto& t = held.back();
    entries.push_back({item.key(),
                       "F32",
                       t.sizes().vec(),
                       {static_cast<const std::byte*>(t.data_ptr()), static_cast<size_t>(t.nbytes())}});
  }
  return safetensors_bytes(std::move(entries), metadata);
}

void save_weights(const Module& model, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata) {
  write_file(path, weights_bytes(model, metadata));
}

void load_weights(Module& model, const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  at::NoGradGuard no_grad;
  auto parameters = model.named_parameters();
  std::set<std::string> filled;
  for (const auto& entry : file.entries()) {
    const std::string at = path.string() + ": " + entry.name;
    auto* parameter = parameters.find(entry.name);
    if (parameter == nullptr) throw Error(ErrorKind::kInput, at + ": found a tensor that this model does not have");
    if (entry.dtype != "F32")
      throw Error(ErrorKind::kInput, at + ": " + found_what("dtype ", entry.dtype).allowed("F32"));
    if (parameter->sizes() != at::IntArrayRef(entry.shape))
      throw Error(ErrorKind::kInput, at + ": found shape " + shape_text(entry.shape) + "; the model needs " +
                                         shape_text(parameter->sizes()));
    auto values = at::empty(entry.shape, at::kFloat);
    if (!entry.bytes.empty()) std::memcpy(values.data_ptr(), entry.bytes.data(), entry.bytes.size());
    parameter->copy_(values);
    filled.insert(entry.name);
  }
  for (const auto& item : parameters)
    if (filled.count(item.key()) == 0)
      throw Error(ErrorKind::kInput, path.string() + ": found no tensor " + item.key() + ", which this model needs");
}

}  // namespace lw
