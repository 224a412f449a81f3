// What tests of file formats share: files built byte by byte, and real ones where the machine has them.
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/formats/container.h"
#include "tests/catch.h"
#include "tests/support.h"

namespace lw::formats_test {

/// A file of the data that lies beside the source folder on machines that have it. Absent files are told and
/// leave the test without effect.
inline std::optional<std::filesystem::path> real_data(const std::string& name) {
  const auto path = std::filesystem::path(LW_SOURCE_DIR).parent_path() / "shared" / "data" / name;
  if (std::filesystem::exists(path)) return path;
  WARN("skipped: there is no " + name + " in the data beside the source folder");
  CHECK(true);
  return std::nullopt;
}

template <class T>
std::string raw(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// A safetensors file from the text of its header and the bytes of its data.
inline std::string safetensors_of(const std::string& header, const std::string& data) {
  return raw(static_cast<uint64_t>(header.size())) + header + data;
}

/// One tensor of type F32 for each name, with the values 1, 2, 3, ...
inline std::string small_safetensors(const std::vector<std::string>& names, size_t count = 2) {
  std::string header = "{", data;
  for (const auto& name : names) {
    header += (data.empty() ? "\"" : ",\"") + name + "\":{\"dtype\":\"F32\",\"shape\":[" + std::to_string(count) +
              "],\"data_offsets\":[" + std::to_string(data.size()) + "," + std::to_string(data.size() + 4 * count) +
              "]}";
    for (size_t i = 0; i < count; ++i) data += raw(static_cast<float>(i + 1));
  }
  return safetensors_of(header + "}", data);
}

/// A GGUF file, field by field, so that each can be made wrong.
struct Gguf {
  uint32_t version = 3;
  std::optional<uint64_t> tensor_count, key_count;  // other than there are
  std::vector<std::string> keys;                    // each whole: key(...)
  std::vector<std::string> tensors;                 // each whole: tensor(...)
  std::string data;
  uint64_t alignment = 32;

  static std::string text(const std::string& s) { return raw(static_cast<uint64_t>(s.size())) + s; }
  static std::string key(const std::string& name, uint32_t type, const std::string& value) {
    return text(name) + raw(type) + value;
  }
  static std::string array(const std::string& name, uint32_t type, uint64_t count, const std::string& elements) {
    return key(name, 9, raw(type) + raw(count) + elements);
  }
  static std::string tensor(const std::string& name, const std::vector<uint64_t>& sizes, uint32_t type,
                            uint64_t offset) {
    std::string out = text(name) + raw(static_cast<uint32_t>(sizes.size()));
    for (const uint64_t size : sizes) out += raw(size);
    return out + raw(type) + raw(offset);
  }

  std::string bytes() const {
    std::string out =
        "GGUF" + raw(version) + raw(tensor_count.value_or(tensors.size())) + raw(key_count.value_or(keys.size()));
    for (const auto& k : keys) out += k;
    for (const auto& t : tensors) out += t;
    if (!data.empty()) out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
    return out + data;
  }
};

/// The whole message of an input error, checked to be one line that begins with `place`, without that beginning.
inline std::string message_of(const std::string& place, const std::function<void()>& act,
                              ErrorKind kind = ErrorKind::kInput) {
  const std::string error = test::error_of(act);
  if (error.empty()) return "";
  CHECK(test::error_kind_of(act) == kind);
  CHECK(error.rfind(place + ": ", 0) == 0);
  CHECK(error.find('\n') == std::string::npos);
  return error.substr(std::min(error.size(), place.size() + 2));
}

/// A tensor's values as float32.
inline std::vector<float> values_of(const Container& c, const std::string& name) {
  const ContainerTensor* tensor = c.find(name);
  REQUIRE(tensor != nullptr);
  std::vector<float> out(tensor->count);
  c.read_float32(*tensor, out);
  return out;
}

}  // namespace lw::formats_test
