// Reads one object of a JSON file from elsewhere so that nothing in it is passed over: every key that is read is
// remembered, and finish() refuses the first one that no code read.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/json.h"

namespace lw {

class JsonFields {
 public:
  /// @param object must outlive the cursor. @param place the file, for errors. @param path of the object in the file:
  /// "normalizer.normalizers[1]"; "" for the whole file. @throws Error(kInput) for what is no object.
  JsonFields(const Json& object, std::string place, std::string path);

  /// The value as it stands, read from now on; nullptr where the key is absent or null.
  const Json* take(std::string_view key);
  /// Counts a key as read without looking at it.
  void mark_read(std::string_view key);
  bool has(std::string_view key) const;
  /// The key is there, and null.
  bool is_null(std::string_view key) const;

  // Absent, null or of another type: Error(kInput). Forms with a fallback take it where the key is absent or null.
  std::string text(const char* key);
  std::string text_or(const char* key, const std::string& fallback);
  std::optional<std::string> optional_text(const char* key);
  bool flag(const char* key, std::optional<bool> fallback = std::nullopt);
  int64_t integer(const char* key, std::optional<int64_t> fallback = std::nullopt);
  /// A cursor over each object of a list.
  std::vector<JsonFields> objects(const char* key);

  /// The keys that were not read, in the order of the file.
  std::vector<std::string> unread() const;
  const std::vector<std::string>& read_keys() const { return read_; }
  /// @throws Error(kInput) for the first key that was not read.
  void finish() const;
  [[noreturn]] void fail(std::string_view key, const std::string& found_and_allowed,
                         ErrorKind kind = ErrorKind::kInput) const;
  const std::string& path() const { return path_; }
  const std::string& place() const { return place_; }

 private:
  const Json& required(const char* key);

  const Json* object_;
  std::string place_;
  std::string path_;
  std::vector<std::string> read_;
};

/// A value as JSON in ASCII; of a long one only the start.
std::string short_dump(const Json& value);

}  // namespace lw
