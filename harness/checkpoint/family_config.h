// A read cursor over a checkpoint's config.json. As with our own configs, reading is the schema: a key that no code
// read and that is not known to be harmless is refused, and every value is noted with its origin.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_fields.h"

namespace lw {

/// One value of a model and its origin.
struct SourcedValue {
  std::string key;
  std::string value;
  std::string origin;  // "config.json", "default of llama"
};

using KeyNames = std::vector<const char*>;  // synonyms; errors name the first

class FamilyConfig {
 public:
  static constexpr int64_t kMost = int64_t{1} << 40;  // no count in a model is larger

  /// @param origin where the values of `object` come from: "config.json". @param place for errors.
  FamilyConfig(const Json& object, std::string family, std::string place, std::string origin = "config.json");

  // null counts as absent. Absent without a fallback, of another type or out of range: Error(kInput).
  int64_t whole(const KeyNames& keys, std::optional<int64_t> fallback, int64_t least = 1, int64_t most = kMost);
  double number(const KeyNames& keys, std::optional<double> fallback);
  bool flag(const KeyNames& keys, bool fallback);
  std::string text(const KeyNames& keys, const std::string& fallback);
  std::optional<int64_t> optional_whole(const KeyNames& keys, int64_t least = 1, int64_t most = kMost);
  std::optional<double> optional_number(const KeyNames& keys);
  std::optional<std::vector<std::string>> optional_words(const char* key);
  std::optional<std::vector<int64_t>> optional_wholes(const char* key);
  /// The value as JSON, marked as read; nullopt when absent.
  std::optional<Json> optional_json(const char* key);
  /// A cursor over the object below `key`, over an empty one when that is absent. What it reads is noted here by
  /// note_all(). @throws Error(kInput) when the value is not an object.
  FamilyConfig below(const char* key);

  bool has(const char* key) const { return fields_.has(key); }
  /// The key is there and null: switched off, where absence would mean the default.
  bool nulled(const char* key) const { return fields_.is_null(key); }
  /// Marks keys as known to change nothing that is computed here.
  void ignore(const KeyNames& keys);
  // Refuse every value but one, for switches without a counterpart here.
  void only(const char* key, bool allowed, const std::string& reason);
  void only(const char* key, const char* allowed, const std::string& reason);
  void only_empty_object(const char* key, const std::string& reason);
  void note(const std::string& key, const std::string& value, const std::string& origin);
  /// What a user should know of a value: one that contradicts another, or has no effect. @param message "factor: …".
  void remark(const std::string& message);
  /// Notes what `inner` read, under "key.".
  void note_all(const std::string& key, const FamilyConfig& inner);
  [[noreturn]] void fail(const std::string& key, const std::string& found_and_allowed) const;
  void require(bool ok, const std::string& key, const std::string& found_and_allowed) const;

  /// @throws Error(kInput) for the first key that was not read and is not known to be harmless.
  void finish() const;
  const std::vector<SourcedValue>& values() const { return values_; }
  const std::vector<std::string>& remarks() const { return remarks_; }
  const std::string& family() const { return family_; }
  const std::string& place() const { return fields_.place(); }

 private:
  void require_range(const char* key, int64_t value, int64_t least, int64_t most) const;
  void require_only(const char* key, const Json& allowed, const std::string& reason);
  /// The value under any of `keys`. @throws Error(kInput) when two of them disagree.
  const Json* find(const KeyNames& keys);
  template <class T>
  std::optional<T> get(const KeyNames& keys, const char* kind);
  template <class T>
  T get_or(const KeyNames& keys, const std::optional<T>& fallback, const char* kind);

  std::shared_ptr<const Json> object_;
  JsonFields fields_;
  std::string family_, origin_;
  std::vector<SourcedValue> values_;
  std::vector<std::string> remarks_;
};

}  // namespace lw
