#include "reports/checkpoint_words.h"

#include "harness/base/error.h"
#include "harness/base/json_read.h"
#include "harness/base/numbers.h"

namespace lw {
namespace {

std::string change_text(const Json& change, const std::string& place) {
  const auto key = json_get<std::string>(change, "key", place);
  const auto own = json_optional<std::string>(change, "checkpoint", place);
  const auto used = json_optional<std::string>(change, "used", place);
  if (!used) return key + " left out (" + own.value_or("") + ")";
  return key + " " + *used + (own ? " in place of " + *own : "");
}

std::string length_text(const Json& lengths, const std::string& value, const std::string& by,
                        const std::string& place) {
  const auto tokens = json_optional<int64_t>(lengths, value, place);
  const auto origin = json_optional<std::string>(lengths, by, place).value_or("");
  return (tokens ? format_grouped(*tokens) : "not stated") + (origin.empty() ? "" : " (" + origin + ")");
}

}  // namespace

std::string CheckpointWords::position() const {
  return changes.empty() ? "as the checkpoint has it" : join(changes, "; ");
}

std::optional<CheckpointWords> checkpoint_words(const SettingInfo& setting) {
  if (setting.checkpoint.empty()) return std::nullopt;
  const std::string place = "checkpoint of " + setting.id;
  const Json json = parse_json(setting.checkpoint, place);
  CheckpointWords w;
  w.path = json_get<std::string>(json, "path", place);
  w.format = json_get<std::string>(json, "format", place);
  w.family = json_get<std::string>(json, "family", place);
  w.stored = json_get<std::string>(json, "stored", place);
  w.dtype = json_get<std::string>(json, "dtype", place);
  w.sha256 = json_get<std::string>(json, "sha256", place);
  const Json lengths = json_get<Json>(json, "train_length", place);
  w.declared = length_text(lengths, "declared", "declared_by", place);
  w.used = length_text(lengths, "used", "used_by", place);
  for (const auto& change : json_get<Json>(json, "position_changes", place)) {
    const auto key = json_get<std::string>(change, "key", place);
    const bool names = key.ends_with("rope_type") || key == "scheme";  // what the others are options of
    w.changes.insert(names ? w.changes.begin() : w.changes.end(), change_text(change, place));
  }
  for (const auto& value : json_get<Json>(json, "defaults", place))
    w.defaults.push_back(json_get<std::string>(value, "key", place) + " = " +
                         json_get<std::string>(value, "value", place) + " (" +
                         json_get<std::string>(value, "origin", place) + ")");
  w.notes = json_get<std::vector<std::string>>(json, "notes", place);
  for (const auto& text : json_get<Json>(json, "texts", place))
    w.texts.emplace_back(json_get<std::string>(text, "suite", place), json_get<std::string>(text, "tokens", place));
  return w;
}

}  // namespace lw
