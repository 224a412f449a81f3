#include "harness/experiment/checkpoint_variant.h"

#include <algorithm>
#include <filesystem>

#include "harness/base/config.h"
#include "harness/base/numbers.h"
#include "harness/experiment/checkpoint_position.h"
#include "harness/experiment/experiment.h"
#include "harness/experiment/trained_position.h"

namespace lw {
namespace {

std::string text_of(const Tree& map, const char* key) {
  const Tree* value = map.find(key);
  return value == nullptr ? "" : value->text;
}

std::string text_at(const Tree& config, const char* section, const char* key) {
  const Tree* map = config.find(section);
  return map == nullptr || !map->is_map() ? "" : text_of(*map, key);
}

/// What stands beside every perplexity.
std::string text_words(const TokenCodec& text, const std::vector<Token>& ids) {
  const auto begin = text.begin();
  return format_grouped(static_cast<int64_t>(ids.size())) + " tokens, ids " + hash_ids(ids).substr(0, 12) +
         (begin ? ", each window begins with " + text.tokenizer().id_to_token(*begin) : ", no BOS");
}

const Tree& scaling_of(const Tree& position) {
  static const Tree kNone;
  const Tree* scaling = position.find("scaling");
  return scaling == nullptr ? kNone : *scaling;
}

}  // namespace

std::optional<CheckpointUse> read_checkpoint(ConfigNode& model, CheckpointSources& sources) {
  const auto path = model.optional_str("checkpoint",
                                       "weights to load in place of training: a Hugging Face folder or a "
                                       ".gguf file, relative to where the program runs");
  if (!path && !model.is_describing()) return std::nullopt;
  CheckpointUse use;
  use.dtype = model.choice("dtype", {{"float32", ""}, {"bfloat16", ""}, {"float16", ""}, {"float64", "slow"}},
                           "float32", "of a checkpoint's weights and arithmetic; sums and losses are wider");
  const auto length = model.optional_integer("train_length", {2, 1 << 30},
                                             "tokens that a checkpoint was trained on; absent: as it states");
  const auto pre = model.optional_str("pre", "how text is cut into words, for a GGUF file that does not say");
  if (model.is_describing()) return std::nullopt;
  try {
    use.source = sources.open(*path, pre.value_or(""));
  } catch (const Error& e) {
    const bool absent = !std::filesystem::exists(*path);
    model.fail("checkpoint", e.what() + std::string(absent ? " ('./run.sh get' lists models that it brings)" : ""));
  }
  const FamilyModel& own = use.source->checkpoint().model;
  use.train_length = length.value_or(own.train_length);
  model.require(use.train_length > 0, "train_length",
                "found nothing, and the checkpoint does not state one; allowed: whole number, 2 or more");
  use.own_position = resolve_position(own.position, own.model.shape(use.train_length));
  return use;
}

Tree with_whole_position(const Tree& config, CheckpointSources& sources) {
  const std::string path = text_at(config, "model", "checkpoint");
  if (path.empty()) return config;
  std::shared_ptr<const CheckpointSource> source;
  try {
    source = sources.open(path, text_at(config, "model", "pre"));
  } catch (const Error&) {
    return config;
  }
  const FamilyModel& own = source->checkpoint().model;
  const auto length = parse_whole(text_at(config, "model", "train_length"));
  const ModelShape shape = own.model.shape(length && *length > 0 ? *length : own.train_length);
  const Tree* given = config.find("position");
  Tree out = config;
  out.set("position", position_over(resolve_position(own.position, shape), given == nullptr ? Tree() : *given));
  return out;
}

void mark_changes(const CheckpointUse& checkpoint, Tree& position) {
  const Tree& own = scaling_of(checkpoint.own_position);
  if (own.kind != Tree::Kind::kNull && !own.same(scaling_of(position)))
    position.set(kScalingOverKey, Tree::scalar("replace", true));
  if (text_of(position, "scheme") != text_of(checkpoint.own_position, "scheme")) return;
  for (const auto& entry : checkpoint.own_position.entries)
    if (position.find(entry.key) == nullptr) position.set(entry.key, Tree());
}

std::string change_words(const CheckpointUse& checkpoint, const Tree& position) {
  const auto changes = position_changes(checkpoint.own_position, position);
  if (changes.empty()) return "";
  const auto before = put_on_after_training(checkpoint.own_position), after = put_on_after_training(position);
  std::vector<std::string> words;
  for (const auto& word : after)
    if (std::find(before.begin(), before.end(), word) == before.end()) words.push_back(word);
  for (const auto& change : changes) {
    const bool told = change.key.find('.') != std::string::npos && !words.empty();  // part of what is put on
    if (told || words.size() > 2) continue;
    words.push_back(change.key + " " + (change.used.empty() ? "left out" : change.used));
  }
  return join(words);
}

CheckpointInfo checkpoint_info(const Variant& v) {
  const CheckpointUse& use = *v.checkpoint;
  const Checkpoint& c = use.source->checkpoint();
  CheckpointInfo info;
  info.path = use.source->path();
  info.format = use.source->format();
  info.sha256 = use.source->sha256();
  info.family = c.family->name;
  info.stored = use.source->stored();
  info.dtype = use.dtype;
  const bool as_stated = use.train_length == c.model.train_length;
  info.train_length = {c.model.train_length > 0 ? std::optional(c.model.train_length) : std::nullopt,
                       use.source->train_length_origin(), use.train_length,
                       as_stated ? "the checkpoint" : "model.train_length of the config"};
  for (const auto& plan : v.suites)
    if (const auto* ids = plan.suite->text_tokens())
      info.texts.push_back({plan.name, text_words(use.source->text(), *ids)});
  const auto unless_empty = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  for (const auto& change : position_changes(use.own_position, v.position))
    info.position_changes.push_back({change.key, unless_empty(change.own), unless_empty(change.used)});
  for (const auto& value : c.values)
    if (value.origin.starts_with("default")) info.defaults.push_back({value.key, value.value, value.origin});
  if (use.source->why_no_text().empty()) info.vocabulary.tokens = use.source->text().tokenizer().size();
  info.vocabulary.rows = c.model.model.vocabulary;
  info.notes = use.source->notes();
  return info;
}

}  // namespace lw
