// A read cursor over the description of a checkpoint (config.json, or the metadata of a GGUF file) that
// refuses what nobody understood and remembers where every value came from.
//
// A key with null is as good as absent. A value may have several names (model families disagree); two of them
// in one file must agree. Every key must be read, or be said to have no effect, before finish().
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json_read.h"
#include "harness/base/schema.h"

namespace lw {

class GgufFile;

/// One value of a description and where it came from.
struct Origin {
  enum class Kind {
    kRead,      // stands in the file
    kDefault,   // does not; filled in
    kNoEffect,  // stands in the file and changes nothing here
  };
  std::string name;   // what the value is called here, "rope_parameters.factor"
  std::string value;  // as JSON
  Kind kind = Kind::kRead;
  std::string source;  // kRead: "config.json: n_embd"; else the reason: "llama's default"

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// The names that one value may have in a file. The first is what it is called here.
class Keys {
 public:
  Keys(const char* name) : names_{name} {}
  Keys(std::string name) : names_{std::move(name)} {}
  Keys(std::initializer_list<std::string> names) : names_(names) {}
  const std::string& name() const { return names_.front(); }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Copies share what was read.
class JsonCursor {
 public:
  /// @param place the file's path, for errors. @param file its short name, for origins.
  JsonCursor(SortedJson object, std::string place, std::string file);
  /// GGUF metadata under their full keys ("llama.context_length"), without those that begin with "tokenizer.",
  /// which have a reader of their own.
  static JsonCursor of(const GgufFile& file);

  // The forms without optional_ and without a fallback throw when the key is absent.
  // `why` says whose default a fallback is: "llama's default".
  int64_t integer(const Keys& keys, Range<int64_t> allowed);
  int64_t integer(const Keys& keys, Range<int64_t> allowed, int64_t fallback, const std::string& why);
  std::optional<int64_t> optional_integer(const Keys& keys, Range<int64_t> allowed);
  double number(const Keys& keys, Range<double> allowed);
  double number(const Keys& keys, Range<double> allowed, double fallback, const std::string& why);
  std::optional<double> optional_number(const Keys& keys, Range<double> allowed);
  bool flag(const Keys& keys);
  bool flag(const Keys& keys, bool fallback, const std::string& why);
  std::optional<bool> optional_flag(const Keys& keys);
  std::string text(const Keys& keys);
  std::string text(const Keys& keys, const std::string& fallback, const std::string& why);
  std::optional<std::string> optional_text(const Keys& keys);
  /// One of the allowed texts. An empty fallback makes the key required.
  std::string choice(const Keys& keys, const std::vector<std::string>& allowed, const std::string& fallback = "",
                     const std::string& why = "");
  // Lists; absent gives nullopt. Of numbers one alone is a list of one ("eos_token_id": 2).
  std::optional<std::vector<int64_t>> optional_integers(const Keys& keys, Range<int64_t> allowed);
  std::optional<std::vector<double>> optional_numbers(const Keys& keys, Range<double> allowed);
  std::optional<std::vector<std::string>> optional_texts(const Keys& keys);

  /// Whether the key is there with a value, without reading it.
  bool has(const std::string& key) const;
  /// The value as it stands, or nullptr, without reading it.
  const SortedJson* peek(const std::string& key) const;
  /// The object below a key; an empty one when absent. Its keys count as read only when they are read.
  JsonCursor object(const std::string& key);
  /// Keys of this object, sorted.
  std::vector<std::string> key_names() const;

  /// Accepts keys that change nothing here, for the reason given, whatever their value.
  void no_effect(const std::vector<std::string>& keys, const std::string& why);
  /// The same for every key that begins with `prefix` ("general.") and was not read before.
  void no_effect_below(const std::string& prefix, const std::string& why);
  /// A key that may be absent or have one of these values and no other, since nothing else is implemented.
  /// @param why what the values mean: "a decoder". Accepted values are noted as read.
  void only(const Keys& keys, const std::vector<SortedJson>& allowed, const std::string& why);
  /// Notes a value that was filled in later, such as a default that depends on other values.
  void note_default(const std::string& name, const SortedJson& value, const std::string& why);
  /// The value of an optional one that was read, or the fallback, which is noted.
  template <class T>
  T fill(const std::optional<T>& value, const std::string& name, const T& fallback, const std::string& why) {
    if (!value) note_default(name, SortedJson(fallback), why);
    return value.value_or(fallback);
  }

  [[noreturn]] void fail(const std::string& key, const std::string& found_and_allowed) const;
  /// Throws naming every key that was not read, here and below. Call once, at the end.
  void finish() const;
  /// All that was noted so far, here and below, in the order of reading.
  const std::vector<Origin>& origins() const;
  /// "model/config.json".
  const std::string& place() const;

 private:
  struct Shared;
  struct Node;
  JsonCursor(std::shared_ptr<Shared> shared, std::shared_ptr<Node> node);
  /// The value under the first of the names that is there; all names count as read.
  const SortedJson* take(const Keys& keys, std::string& found);
  template <class T>
  std::optional<T> read(const Keys& keys, const std::string& allowed, const std::vector<std::string>* words = nullptr);
  template <class T>
  std::optional<T> read_number(const Keys& keys, const Range<T>& range);
  template <class T>
  std::optional<std::vector<T>> read_list(const Keys& keys, const Range<T>& range);
  template <class T>
  T or_fail(std::optional<T> value, const Keys& keys, const std::string& allowed) const;
  void note(const std::string& name, const SortedJson& value, Origin::Kind kind, const std::string& source);
  std::string path(const std::string& key) const;

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Node> node_;
};

}  // namespace lw
