#include "reports/tables/checkpoint_tables.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/numbers.h"

namespace lw {
namespace {

std::string stated_length(const std::optional<int64_t>& tokens, const std::string& origin) {
  return (tokens ? format_grouped(*tokens) : "not stated") + (origin.empty() ? "" : " (" + origin + ")");
}

std::string change_words(const ChangedOption& change) {
  if (!change.used) return change.key + " left out (" + change.own.value_or("") + ")";
  return change.key + " " + *change.used + (change.own ? " in place of " + *change.own : "");
}

TableColumn left(const char* name) { return {.name = name, .align = Align::kLeft, .wraps = true}; }

}  // namespace

std::string declared_length_words(const CheckpointInfo& info) {
  return stated_length(info.train_length.declared, info.train_length.declared_by);
}

std::string used_length_words(const CheckpointInfo& info) {
  return stated_length(info.train_length.used, info.train_length.used_by);
}

std::string position_change_words(const CheckpointInfo& info) {
  std::vector<std::string> words;
  for (const auto& change : info.position_changes) {
    const bool names = change.key.ends_with("rope_type") || change.key == "scheme";  // the others are its options
    words.insert(names ? words.begin() : words.end(), change_words(change));
  }
  return words.empty() ? "as the checkpoint has it" : join(words, "; ");
}

std::string filled_words(const FilledValue& value) {
  return value.key + " = " + value.value + " (" + value.origin + ")";
}

std::vector<const CheckpointInfo*> checkpoints_of(const View& view) {
  std::vector<const CheckpointInfo*> found;
  for (const auto& variant : view.variants()) {
    const auto& info = view.setting(variant).checkpoint;
    if (info && std::none_of(found.begin(), found.end(), [&](const CheckpointInfo* other) {
          return other->sha256 == info->sha256 && other->dtype == info->dtype;
        }))
      found.push_back(&*info);
  }
  return found;
}

Table checkpoints_table(const View& view) {
  Table table;
  table.id = "checkpoints";
  table.title = "Checkpoints";
  table.how_to_read =
      "Weights that were loaded. The training length decides what counts as extrapolation: what the file declares, "
      "what "
      "this run used, and where each was found. Positions are the checkpoint's own but for what is named.";
  table.by_variant = true;
  table.columns = {{.name = "variant", .align = Align::kLeft},
                   left("checkpoint"),
                   left("dtype"),
                   left("declared length"),
                   left("length used"),
                   left("position")};
  for (const auto& variant : view.variants())
    if (const auto& info = view.setting(variant).checkpoint)
      table.add({{variant},
                 {info->path},
                 {info->dtype},
                 {declared_length_words(*info)},
                 {used_length_words(*info)},
                 {position_change_words(*info)}});
  return table;
}

Table checkpoint_files_table(const View& view) {
  Table table;
  table.id = "checkpoint-files";
  table.title = "Files";
  table.columns = {left("checkpoint"), left("family"), left("stored as"), left("computed in"), left("SHA-256")};
  for (const CheckpointInfo* info : checkpoints_of(view))
    table.add({{info->path}, {info->family}, {info->format + ", " + info->stored}, {info->dtype}, {info->sha256}});
  return table;
}

Table checkpoint_texts_table(const View& view) {
  Table table;
  table.id = "checkpoint-texts";
  table.title = "Texts";
  table.columns = {left("checkpoint"), left("suite"), left("tokens")};
  for (const CheckpointInfo* info : checkpoints_of(view))
    for (const auto& text : info->texts) table.add({{info->path}, {text.suite}, {text.tokens}});
  return table;
}

}  // namespace lw
