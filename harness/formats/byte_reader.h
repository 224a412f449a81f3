// Reads little-endian values from a span of bytes; every read is checked against the bytes that are left.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {

class ByteReader {
 public:
  /// @param place the file's name, for errors.
  ByteReader(std::span<const std::byte> bytes, std::string place) : bytes_(bytes), place_(std::move(place)) {}

  size_t position() const { return position_; }
  uint64_t left() const { return bytes_.size() - position_; }
  const std::string& place() const { return place_; }

  /// @param what is read, for errors: "the number of tensors". @throws Error(kInput) at the end of the file.
  template <class T>
  T read(const std::string& what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  /// The next `size` bytes. @throws Error(kInput) when fewer are left.
  std::string_view take(uint64_t size, const std::string& what) {
    if (size > left())
      throw Error(ErrorKind::kInput, text(place_, ": ", what, ": found ", left(), " bytes left in the file where ",
                                          size, " are needed; cut short, or damaged?"));
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + position_;
    position_ += size;
    return {begin, static_cast<size_t>(size)};
  }

 private:
  std::span<const std::byte> bytes_;
  std::string place_;
  size_t position_ = 0;
};

}  // namespace lw
