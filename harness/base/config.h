// A read cursor over one YAML mapping. Reading is the schema: a key that no code asked for is an
// error, and the JSON Schema for editors is what the same reading code says when it is asked to
// describe itself, so neither can drift from what the program accepts.
//
// Errors. A cursor throws ConfigErrors at the first one, unless it collects: then it takes note of each, goes on with a
// value that is allowed, and section() says where reading goes on after a check that failed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/choice.h"
#include "harness/base/problem.h"
#include "harness/base/schema.h"
#include "harness/base/tree.h"

namespace lw {

class ConfigNode {
 public:
  /// A cursor over `tree`, which must be a map (or null: an empty one).
  explicit ConfigNode(const Tree& tree);
  static ConfigNode parse(const std::string& text, const std::string& name = "<string>");
  /// A cursor over nothing that answers every question with a value that is allowed, and takes note.
  static ConfigNode describing();

  // Forms without a fallback refuse an absent key. `doc` says in one clause what the key is for.
  std::string str(std::string_view key, const std::string& doc);
  std::string str(std::string_view key, const std::string& fallback, const std::string& doc);
  int64_t integer(std::string_view key, Range<int64_t> allowed, const std::string& doc);
  int64_t integer(std::string_view key, int64_t fallback, Range<int64_t> allowed, const std::string& doc);
  double number(std::string_view key, Range<double> allowed, const std::string& doc);
  double number(std::string_view key, double fallback, Range<double> allowed, const std::string& doc);
  bool flag(std::string_view key, bool fallback, const std::string& doc);
  // Absent stays absent, for values whose absence means something; absent when describing.
  std::optional<double> optional_number(std::string_view key, Range<double> allowed, const std::string& doc);
  std::optional<int64_t> optional_integer(std::string_view key, Range<int64_t> allowed, const std::string& doc);
  std::optional<std::string> optional_str(std::string_view key, const std::string& doc);
  std::vector<int64_t> integers(std::string_view key, const std::vector<int64_t>& fallback, Range<int64_t> allowed,
                                const std::string& doc);
  std::vector<double> numbers(std::string_view key, const std::vector<double>& fallback, Range<double> allowed,
                              const std::string& doc);
  std::vector<std::string> words(std::string_view key, const std::vector<std::string>& fallback,
                                 const std::string& doc);

  /// One of `choices`; an empty fallback makes the key required.
  std::string choice(std::string_view key, const std::vector<Choice>& choices, std::string_view fallback,
                     const std::string& doc);
  /// What the chosen word stands for.
  template <Chosen Enum>
  Enum choice(std::string_view key, const NamedValues<Enum>& words, Enum fallback, const std::string& doc) {
    const std::string word = choice(key, choices_of(words), name_of(words, fallback), doc);
    for (const auto& named : words)
      if (named.name == word) return named.value;
    return fallback;
  }

  /// Chooses one of `choices` under `key`, then calls read(index) for the options that only that choice
  /// has. When describing, read() is called for every choice, last for the one that the fallback names, or the first.
  /// An empty fallback makes the key required.
  void variant(std::string_view key, const std::vector<Choice>& choices, std::string_view fallback,
               const std::string& doc, const std::function<void(size_t)>& read);
  /// The same for what the words stand for. @returns what was chosen.
  template <Chosen Enum>
  Enum variant(std::string_view key, const NamedValues<Enum>& words, Enum fallback, const std::string& doc,
               const std::function<void(Enum)>& read) {
    Enum chosen = fallback;
    variant(key, choices_of(words), name_of(words, fallback), doc, [&](size_t i) {
      chosen = words[i].value;
      read(chosen);
    });
    return chosen;
  }
  /// For schemas: `old_name` chooses the same variant as `key`.
  void note_old_name(std::string_view old_name, std::string_view key);

  bool has(std::string_view key) const;
  /// The mapping below `key`; an empty one when absent. Asked for again, it is the same cursor.
  ConfigNode map(std::string_view key, const std::string& doc);
  /// Maps under names that the user chooses, below `key`; none when absent. When describing: one, named "*".
  /// @param chosen_by_name the variant of each that may be left out where its name says it, for schemas.
  std::vector<std::pair<std::string, ConfigNode>> named_maps(std::string_view key, const std::string& doc,
                                                             const std::string& chosen_by_name = "");
  /// A subtree that other code will read; it counts as read here.
  Tree take(std::string_view key, const std::string& doc, const SchemaNode& shape);
  /// Keys that begin with `prefix` are the user's own: they are neither read nor refused here.
  void ignore(const std::string& prefix);
  /// A key without a value (`key: null`) is not refused here, whatever its name: blocks of config.json have such.
  void ignore_nulls();
  /// Fails where `key` stands: one that files from elsewhere may have, with why it is not read.
  void refuse(std::string_view key, const std::string& found_and_allowed) const;

  /// This mapping as if `child` stood under `key` and the entries of `own` in place of this mapping's (null: as
  /// if absent), for readers that expect one arrangement of keys where files have several. Keys read through it
  /// count as read here; values of `own` are not kept here, and schemas note `child` alone.
  [[nodiscard]] ConfigNode with(std::string_view key, const ConfigNode& child, const Tree& own) const;

  // What is added to a model after its training, as the code that reads it says. See config_training.cpp.
  /// Reads options that are added after training. `read` returns what they add in words ("linear x8"), "" where
  /// there is nothing to say, or nothing where they are absent or shape the training after all.
  void after_training(const std::function<std::optional<std::string>()>& read);
  /// While a model is trained, `key`, read from this mapping, has another value (null: it is absent). @param added
  /// as above.
  void in_training(std::string_view key, const Tree& value, const std::string& added);
  /// What this mapping and those below add after training, in words and in order of reading.
  std::vector<std::string> added_after_training() const;
  /// As resolved(), but as it holds while a model is trained; named maps in order of their names.
  Tree trained() const;

  /// Notes a value that is allowed but perhaps not meant. Whoever reads the config decides when to show it.
  void warn(std::string_view key, const std::string& message) const;
  std::vector<std::string> warnings() const;

  /// Fails at this key when `ok` is false, so that what follows may rely on it; passes when describing. Where a value
  /// of the section was refused already, nothing is said of a check that may only follow from it.
  void require(bool ok, std::string_view key, const std::string& found_and_allowed) const;
  /// Like require(), for a check that nothing relies on: where errors are collected, reading goes on. @returns ok.
  bool expect(bool ok, std::string_view key, const std::string& found_and_allowed) const;
  [[noreturn]] void fail(std::string_view key, const std::string& found_and_allowed) const;
  /// Runs `check`, which looks at the values that were read or at what they name; not when describing, and not where
  /// one of the section was refused.
  void verify(const std::function<void()>& check) const;
  /// Runs `read` when describing alone: for keys that are otherwise read under a condition.
  void describe(const std::function<void()>& read) const;

  /// From here on errors are collected, here and in every cursor made from this one.
  void collect();
  /// Runs `read`, one part of a config that collects. A check that fails ends it, and what was not read in it is not
  /// refused as unknown. @param sound false: its values rest on others that were refused, and so none of its checks
  /// counts. @returns whether everything in it was good.
  bool section(const std::function<void()>& read, bool sound = true) const;
  /// Ends the section that is being read: nothing further can be said of it.
  [[noreturn]] void leave() const;
  /// As section() does at a check that failed: what was not read here and below is not refused as unknown.
  void leave_unread() const;
  /// What was collected so far.
  const std::vector<Problem>& problems() const;

  /// Fails for the keys that were never read, here and below. Call once, at the end.
  void finish() const;
  /// The same; keys in parts that were not read to the end are held against `whole`, the schema of this mapping.
  void finish(const SchemaNode& whole) const;
  /// What was read, defaults included.
  Tree resolved() const;
  /// What this mapping may hold.
  const SchemaNode& schema() const;
  /// "position.scaling", or "" at the top.
  std::string path() const;

 private:
  struct Impl;
  explicit ConfigNode(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace lw
