// Where loaded weights come from, and under which positions they are used. Filled by harness/experiment, kept in
// summary.json, shown by reports and by `inspect`.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/fields.h"

namespace lw {

struct CheckpointLength {
  std::optional<int64_t> declared;  // absent: the checkpoint does not state it
  std::string declared_by;          // where it stands: "context_length, metadata"
  int64_t used = 0;
  std::string used_by;  // "the checkpoint", "model.train_length of the config"
  bool operator==(const CheckpointLength&) const = default;
};

/// A text that a suite evaluates the checkpoint on.
struct CheckpointText {
  std::string suite;
  std::string tokens;  // "4,096 tokens, ids 1f…, each window begins with <s>"
  bool operator==(const CheckpointText&) const = default;
};

/// An option of the position setting in force that is not the checkpoint's own.
struct ChangedOption {
  std::string key;                  // "scaling.rope_type"
  std::optional<std::string> own;   // the checkpoint's; absent: it has none
  std::optional<std::string> used;  // absent: left out
  bool operator==(const ChangedOption&) const = default;
};

/// A value that the checkpoint does not state.
struct FilledValue {
  std::string key, value, origin;
  bool operator==(const FilledValue&) const = default;
};

struct CheckpointVocabulary {
  std::optional<int64_t> tokens;  // of the tokenizer; absent: there is none
  int64_t rows = 0;               // of the embedding
  bool operator==(const CheckpointVocabulary&) const = default;
};

struct CheckpointInfo {
  std::string path, format, sha256, family;
  std::string stored;  // "float16 safetensors"
  std::string dtype;   // of the arithmetic
  CheckpointLength train_length;
  std::vector<CheckpointText> texts;
  std::vector<ChangedOption> position_changes;  // none: the checkpoint's own position
  std::vector<FilledValue> defaults;
  CheckpointVocabulary vocabulary;
  std::vector<std::string> notes;
  bool operator==(const CheckpointInfo&) const = default;
};

nlohmann::ordered_json to_json(const CheckpointInfo& info);
/// @param place what errors call it. @throws Error(kInput).
CheckpointInfo checkpoint_info_from_json(const nlohmann::ordered_json& json, const std::string& place);

// One list of keys a struct, for writing and reading.

void fields(auto& io, FieldsOf<CheckpointLength> auto& l) {
  io("declared", l.declared);
  io("declared_by", l.declared_by);
  io("used", l.used);
  io("used_by", l.used_by);
}

void fields(auto& io, FieldsOf<CheckpointText> auto& t) {
  io("suite", t.suite);
  io("tokens", t.tokens);
}

void fields(auto& io, FieldsOf<ChangedOption> auto& c) {
  io("key", c.key);
  io("checkpoint", c.own);
  io("used", c.used);
}

void fields(auto& io, FieldsOf<FilledValue> auto& v) {
  io("key", v.key);
  io("value", v.value);
  io("origin", v.origin);
}

void fields(auto& io, FieldsOf<CheckpointVocabulary> auto& v) {
  io("tokens", v.tokens);
  io("rows", v.rows);
}

void fields(auto& io, FieldsOf<CheckpointInfo> auto& c) {
  io("path", c.path);
  io("format", c.format);
  io("sha256", c.sha256);
  io("family", c.family);
  io("stored", c.stored);
  io("dtype", c.dtype);
  io("train_length", c.train_length);
  io("texts", c.texts);
  io("position_changes", c.position_changes);
  io("defaults", c.defaults);
  io.sparse("vocabulary", c.vocabulary);
  io("notes", c.notes);
}

}  // namespace lw
