// A module owns named parameters and other modules that own more of them, as torch::nn::Module does. This one holds
// what the project uses and nothing else: <torch/nn/module.h> takes ten seconds to compile, this header two.
#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lw {

class NamedTensor {
 public:
  NamedTensor(std::string key, at::Tensor value) : key_(std::move(key)), value_(std::move(value)) {}
  const std::string& key() const { return key_; }
  const at::Tensor& value() const { return value_; }
  at::Tensor& value() { return value_; }

 private:
  std::string key_;
  at::Tensor value_;
};

/// Tensors by name, in the order in which they were added.
class NamedTensors {
 public:
  /// A name that exists already is an internal error.
  void insert(std::string name, at::Tensor value);
  /// Null when there is no such name.
  at::Tensor* find(std::string_view name);
  const at::Tensor* find(std::string_view name) const;
  /// An absent name is an internal error.
  at::Tensor& operator[](std::string_view name);
  const at::Tensor& operator[](std::string_view name) const;

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

 private:
  std::vector<NamedTensor> items_;
};

class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  /// A module's own parameters first, then those of its parts under "part.name", each in the order of registration.
  [[nodiscard]] NamedTensors named_parameters() const;
  [[nodiscard]] std::vector<at::Tensor> parameters() const;

  /// The count of numbers in all parameters.
  [[nodiscard]] int64_t count_parameters() const;

  /// Moves and casts the parameters, including tensors that several parts share.
  void to(at::ScalarType type);
  void to(at::Device device);
  void to(at::Device device, at::ScalarType type);
  /// Clears the gradients.
  void zero_grad();

  /// @returns `value`, which from now on requires a gradient.
  at::Tensor register_parameter(const std::string& name, at::Tensor value);
  /// @returns `part`.
  template <class T>
  std::shared_ptr<T> register_module(const std::string& name, std::shared_ptr<T> part) {
    add_part(name, part);
    return part;
  }
  /// Replaces the part of that name.
  template <class T>
  std::shared_ptr<T> replace_module(const std::string& name, std::shared_ptr<T> part) {
    replace_part(name, part);
    return part;
  }
  /// Replaces the parameter of that name by `value`, without a copy.
  at::Tensor replace_parameter(const std::string& name, const at::Tensor& value);
  /// Registers the parameters and parts of `other` under their names, for a module that wraps it.
  void register_all_of(const Module& other);

 private:
  void add_part(const std::string& name, std::shared_ptr<Module> part);
  void replace_part(const std::string& name, std::shared_ptr<Module> part);
  void collect(const std::string& prefix, NamedTensors& out) const;

  NamedTensors own_;
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> parts_;
};

}  // namespace lw
