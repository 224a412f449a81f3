// tests/data/families: tiny checkpoints of every family, and what transformers computes with them.
#pragma once
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "encodings/registry.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/checkpoint/pretrained.h"
#include "harness/formats/safetensors.h"
#include "harness/model/encoder_decoder.h"
#include "tests/catch_torch.h"
#include "tests/support.h"

namespace lw::checkpoint_test {

/// LW_FAMILIES points at other fixtures of the same make (./run.sh parity).
inline const std::string kFolder = std::getenv("LW_FAMILIES") != nullptr ? std::string(std::getenv("LW_FAMILIES")) + "/"
                                                                         : std::string(LW_TEST_DATA) + "/families/";

/// One .safetensors file without a config beside it.
class FileSource final : public TensorSource {
 public:
  explicit FileSource(const std::string& path) : place_(path), file_(path) {
    for (const auto& entry : file_.entries()) tensors_.push_back({entry.name, entry.shape});
  }
  std::string place() const override { return place_; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  at::Tensor read(std::string_view name) const override {
    for (const auto& entry : file_.entries()) {
      if (entry.name != name) continue;
      static const std::map<std::string, at::ScalarType> kTypes = {
          {"F32", at::kFloat}, {"F16", at::kHalf}, {"BF16", at::kBFloat16}};
      auto out = at::empty(entry.shape, kTypes.at(entry.dtype));
      if (!entry.bytes.empty()) std::memcpy(out.data_ptr(), entry.bytes.data(), entry.bytes.size());
      return out.to(at::kFloat);
    }
    throw Error(ErrorKind::kInput, place_ + ": found no tensor " + std::string(name));
  }

 private:
  std::string place_;
  SafetensorsFile file_;
  std::vector<TensorInfo> tensors_;
};

inline std::unique_ptr<TensorSource> open_safetensors(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

using Tensors = std::map<std::string, at::Tensor>;

/// Tensors in memory, for files that no test writes.
class MemorySource final : public TensorSource {
 public:
  explicit MemorySource(Tensors tensors, std::string place = "file")
      : place_(std::move(place)), tensors_(std::move(tensors)) {
    for (const auto& [name, tensor] : tensors_) infos_.push_back({name, tensor.sizes().vec()});
  }
  std::string place() const override { return place_; }
  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  at::Tensor read(std::string_view name) const override { return tensors_.at(std::string(name)); }

 private:
  std::string place_;
  Tensors tensors_;
  std::vector<TensorInfo> infos_;
};

inline Tensors tensors_in(const TensorSource& source) {
  Tensors out;
  for (const auto& tensor : source.tensors()) out[tensor.name] = source.read(tensor.name);
  return out;
}

struct FixtureCase {
  std::string name;
  Json config;
  std::string weights;                              // a file beside
  std::map<int64_t, std::vector<int64_t>> lengths;  // positions whose logits are known
  std::string family() const { return config.at("model_type").get<std::string>(); }
};

struct Fixtures {
  at::Tensor tokens_T;
  std::vector<FixtureCase> cases;
  std::unique_ptr<TensorSource> expected;

  const FixtureCase& named(const std::string& name) const {
    for (const auto& c : cases)
      if (c.name == name) return c;
    throw std::runtime_error("no case " + name);
  }
};

inline const Fixtures& fixtures() {
  static const Fixtures kAll = [] {
    Fixtures out;
    const Json json = parse_json(read_file(kFolder + "cases.json"), "cases.json");
    out.tokens_T = at::tensor(json.at("tokens").get<std::vector<int64_t>>(), at::kLong);
    for (const auto& c : json.at("cases")) {
      FixtureCase one{c.at("name").get<std::string>(), c.at("config"), c.at("weights").get<std::string>(), {}};
      for (const auto& [length, positions] : c.at("lengths").items())
        one.lengths[std::stoll(length)] = positions.get<std::vector<int64_t>>();
      out.cases.push_back(std::move(one));
    }
    out.expected = open_safetensors(kFolder + "expected.safetensors");
    return out;
  }();
  return kAll;
}

inline Checkpoint open_case(const FixtureCase& c) {
  return open_checkpoint(c.config, c.name, open_safetensors(kFolder + c.weights));
}

/// A change to a config.
using Change = std::function<void(Json&)>;

inline Change set(const char* key, const Json& value) {
  return [=](Json& config) { config[key] = value; };
}

inline Checkpoint open_with(const std::string& name, const Change& change) {
  FixtureCase c = fixtures().named(name);
  change(c.config);
  return open_case(c);
}

/// The error of a case whose config was changed; "" when it loads.
inline std::string error_with(const std::string& name, const Change& change) {
  return test::error_of([&] {
    const Checkpoint changed = open_with(name, change);
    if (changed.model.encoder.empty())
      load_transformer(changed);
    else
      load_encoder_decoder(changed);
  });
}

/// "value, origin" of a value that a checkpoint was read with; "none" when there is none.
inline std::string origin_of(const Checkpoint& checkpoint, const std::string& key) {
  for (const auto& v : checkpoint.values)
    if (v.key == key) return v.value + ", " + v.origin;
  return "none";
}

}  // namespace lw::checkpoint_test
