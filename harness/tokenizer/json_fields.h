// Reads one object of a foreign JSON file so that nothing in it is passed over: a field that no code asked
// for is an error with its name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json_read.h"

namespace lw {

class JsonFields {
 public:
  /// @param place the file. @param path of the object in it: "normalizer.normalizers[1]".
  JsonFields(const Json& object, std::string place, std::string path);

  /// The value as it stands; nullptr if the field is absent or null.
  const Json* take(const char* key);
  std::string text(const char* key);
  std::string text_or(const char* key, const std::string& fallback);
  std::optional<std::string> optional_text(const char* key);
  bool flag(const char* key, std::optional<bool> fallback = std::nullopt);
  int64_t integer(const char* key, std::optional<int64_t> fallback = std::nullopt);
  /// Objects in a list.
  std::vector<JsonFields> objects(const char* key);

  /// Refuses the first field that was not asked for.
  void finish() const;
  [[noreturn]] void fail(const std::string& key, const std::string& found_and_allowed,
                         ErrorKind kind = ErrorKind::kUnsupported) const;
  const std::string& path() const { return path_; }
  const std::string& place() const { return place_; }

 private:
  const Json& required(const char* key);
  const Json& object_;
  std::string place_;
  std::string path_;
  std::vector<std::string> asked_;
};

/// "'x'", or the start of a long value.
std::string short_dump(const Json& value);

}  // namespace lw
