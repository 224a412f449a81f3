// A config.json that is written key by key, without <nlohmann/json.hpp> in each family's file.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.h"

namespace lw {

class ConfigWriter {
 public:
  ConfigWriter();
  ConfigWriter(const ConfigWriter&) = delete;
  ~ConfigWriter();

  /// Sets or replaces a key.
  void set(const char* key, const std::string& value);
  void set(const char* key, const char* value) { set(key, std::string(value)); }
  void set(const char* key, const std::vector<std::string>& value);
  void set(const char* key, const std::vector<int64_t>& value);
  void set(const char* key, const Json& value);
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  void set(const char* key, T value) {
    if constexpr (std::same_as<T, bool>)
      set_flag(key, value);
    else if constexpr (std::integral<T>)
      set_whole(key, static_cast<int64_t>(value));
    else
      set_number(key, static_cast<double>(value));
  }
  void set_null(const char* key);
  /// Sets the object that `inner` holds.
  void set(const char* key, const ConfigWriter& inner) { set(key, inner.json()); }

  /// Renames a key that was set.
  void rename(const char* from, const char* to);
  void erase(const char* key);

  const Json& json() const { return *json_; }

 private:
  void set_flag(const char* key, bool value);
  void set_whole(const char* key, int64_t value);
  void set_number(const char* key, double value);

  std::unique_ptr<Json> json_;
};

}  // namespace lw
