#include "encodings/module.h"

#include <algorithm>

#include "harness/base/error.h"

namespace lw {

void NamedTensors::insert(std::string name, at::Tensor value) {
  LW_CHECK(find(name) == nullptr, "two tensors are named " + name);
  items_.emplace_back(std::move(name), std::move(value));
}

const at::Tensor* NamedTensors::find(std::string_view name) const {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const auto& item) { return item.key() == name; });
  return found == items_.end() ? nullptr : &found->value();
}

at::Tensor* NamedTensors::find(std::string_view name) {
  return const_cast<at::Tensor*>(std::as_const(*this).find(name));
}

const at::Tensor& NamedTensors::operator[](std::string_view name) const {
  const at::Tensor* found = find(name);
  LW_CHECK(found != nullptr, "no tensor is named " + std::string(name));
  return *found;
}

at::Tensor& NamedTensors::operator[](std::string_view name) {
  return const_cast<at::Tensor&>(std::as_const(*this)[name]);
}

NamedTensors Module::named_parameters() const {
  NamedTensors out;
  collect("", out);
  return out;
}

std::vector<at::Tensor> Module::parameters() const {
  std::vector<at::Tensor> out;
  for (const auto& item : named_parameters()) out.push_back(item.value());
  return out;
}

int64_t Module::count_parameters() const {
  int64_t count = 0;
  for (const auto& parameter : parameters()) count += parameter.numel();
  return count;
}

void Module::to(at::ScalarType type) {
  for (const auto& tensor : parameters()) tensor.set_data(tensor.to(type));
}

void Module::to(at::Device device) {
  for (const auto& tensor : parameters()) tensor.set_data(tensor.to(device));
}

void Module::to(at::Device device, at::ScalarType type) {
  for (const auto& tensor : parameters()) tensor.set_data(tensor.to(device, type));
}

void Module::zero_grad() {
  for (auto& tensor : parameters()) tensor.mutable_grad().reset();
}

at::Tensor Module::register_parameter(const std::string& name, at::Tensor value) {
  value.set_requires_grad(true);
  own_.insert(name, value);
  return value;
}

at::Tensor Module::replace_parameter(const std::string& name, const at::Tensor& value) { return own_[name] = value; }

void Module::register_all_of(const Module& other) {
  for (const auto& item : other.own_) own_.insert(item.key(), item.value());
  for (const auto& [name, part] : other.parts_) add_part(name, part);
}

void Module::add_part(const std::string& name, std::shared_ptr<Module> part) {
  for (const auto& known : parts_) LW_CHECK(known.first != name, "two modules are named " + name);
  parts_.emplace_back(name, std::move(part));
}

void Module::replace_part(const std::string& name, std::shared_ptr<Module> part) {
  const auto known = std::find_if(parts_.begin(), parts_.end(), [&](const auto& p) { return p.first == name; });
  LW_CHECK(known != parts_.end(), "no module is named " + name);
  known->second = std::move(part);
}

void Module::collect(const std::string& prefix, NamedTensors& out) const {
  for (const auto& item : own_) out.insert(prefix + item.key(), item.value());
  for (const auto& [name, part] : parts_) part->collect(prefix + name + ".", out);
}

}  // namespace lw
