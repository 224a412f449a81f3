// A model's parameters to and from safetensors, by name.
#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace lw {

class Module;

/// Every parameter as float32: the bytes of a safetensors file.
[[nodiscard]] std::string weights_bytes(const Module& model, const std::map<std::string, std::string>& metadata);
/// The same as a file. @throws Error(kRuntime).
void save_weights(const Module& model, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata);

/// Fills every parameter of `model`; nothing may be missing, left over or of another shape.
/// @throws Error(kInput) naming the file and the tensor.
void load_weights(Module& model, const std::filesystem::path& path);

}  // namespace lw
