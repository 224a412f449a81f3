#include "harness/experiment/checkpoint_variant.h"

#include <algorithm>
#include <filesystem>

#include "harness/base/config.h"
#include "harness/base/numbers.h"
#include "harness/experiment/checkpoint_position.h"
#include "harness/experiment/experiment.h"

namespace lw {
namespace {

std::string text_at(const Tree& config, const char* section, const char* key) {
  const Tree* map = config.find(section);
  return map == nullptr || !map->is_map() ? "" : map->text_of(key);
}

/// Printed beside every perplexity.
std::string text_words(const TokenCodec& text, const std::vector<Token>& ids) {
  return format_grouped(static_cast<int64_t>(ids.size())) + " tokens, ids " + hash_ids(ids).substr(0, 12) +
         (text.begin() ? ", each window begins with BOS: " : "; BOS: ") + text.bos().words;
}

const Tree& scaling_of(const Tree& position) {
  static const Tree kNone;
  const Tree* scaling = position.find("scaling");
  return scaling == nullptr ? kNone : *scaling;
}

/// How a checkpoint is to be loaded.
struct Loading {
  std::string dtype;
  std::optional<int64_t> train_length;
  std::optional<std::string> pre;
  AddBos add_bos = AddBos::kAuto;
};

Loading read_loading(ConfigNode& model) {
  Loading out;
  out.dtype = model.choice("dtype", {{"float32", ""}, {"bfloat16", ""}, {"float16", ""}, {"float64", "slow"}},
                           "float32", "of a checkpoint's weights and arithmetic; sums and losses are wider");
  out.train_length = model.optional_integer("train_length", {2, 1 << 30},
                                            "tokens that a checkpoint was trained on; absent: as it states");
  out.pre = model.optional_str("pre", "how text is cut into words, for a GGUF file that does not name one we know");
  out.add_bos = model.choice("add_bos", kAddBosWords, AddBos::kAuto, "whether texts begin with the BOS token");
  return out;
}

}  // namespace

std::optional<CheckpointUse> read_checkpoint(ConfigNode& model, CheckpointSources& sources) {
  const auto path = model.optional_str("checkpoint",
                                       "weights to load in place of training: a Hugging Face folder or a "
                                       ".gguf file, relative to where the program runs, or the id of a model in "
                                       "the Hugging Face cache, org/name or org/name@revision");
  model.describe([&] { read_loading(model); });
  if (!path) return std::nullopt;
  const auto [dtype, length, pre, add_bos] = read_loading(model);
  CheckpointUse use;
  use.dtype = dtype;
  try {
    use.source = sources.open(*path, pre.value_or(""), add_bos);
  } catch (const Error& e) {
    std::error_code unknown;
    const bool absent = !std::filesystem::exists(*path, unknown);
    model.fail("checkpoint", e.what() + std::string(absent ? " ('./run.sh get' lists models that it brings)" : ""));
  }
  const FamilyModel& own = use.source->checkpoint().model;
  use.train_length = length.value_or(own.train_length);
  model.require(use.train_length > 0, "train_length",
                "found nothing, and the checkpoint does not state one; allowed: whole number, 2 or more");
  use.own_position = position_on(use.source->checkpoint(), own.position, use.train_length);
  return use;
}

Tree with_whole_position(const Tree& config, CheckpointSources& sources) {
  const std::string path = text_at(config, "model", "checkpoint");
  if (path.empty()) return config;
  std::shared_ptr<const CheckpointSource> source;
  try {
    const std::string word = text_at(config, "model", "add_bos");
    AddBos add_bos = AddBos::kAuto;
    for (const auto& known : kAddBosWords)
      if (known.name == word) add_bos = known.value;
    source = sources.open(path, text_at(config, "model", "pre"), add_bos);
  } catch (const Error&) {
    return config;
  }
  const auto length = parse_whole(text_at(config, "model", "train_length"));
  const PositionSetting own =
      position_on(source->checkpoint(), source->checkpoint().model.position, std::max<int64_t>(0, length.value_or(0)));
  const Tree* given = config.find("position");
  Tree out = config;
  out.set("position", merge_position(own.resolved(), given == nullptr ? Tree() : *given));
  return out;
}

void mark_changes(const CheckpointUse& checkpoint, Tree& position) {
  const Tree& own_section = checkpoint.own_position.resolved();
  const Tree& own = scaling_of(own_section);
  if (own.kind != Tree::Kind::kNull && !own.same(scaling_of(position)))
    position.set(kScalingOverKey, Tree::scalar("replace", true));
  if (position.text_of("scheme") != own_section.text_of("scheme")) return;
  for (const auto& entry : own_section.entries)
    if (position.find(entry.key) == nullptr) position.set(entry.key, Tree());
}

std::vector<std::string> changes_in_words(const CheckpointUse& checkpoint, const PositionSetting& position) {
  const auto &before = checkpoint.own_position.added_after_training(), &after = position.added_after_training();
  std::vector<std::string> words;
  for (const auto& word : after)
    if (std::find(before.begin(), before.end(), word) == before.end()) words.push_back(word);
  for (const auto& change : position_changes(checkpoint.own_position.resolved(), position.resolved())) {
    const bool said = !words.empty() && change.key.find('.') != std::string::npos;  // part of what is added
    if (said || words.size() > 2) continue;
    words.push_back(change.key + " " + (change.used.empty() ? "left out" : change.used));
  }
  return words;
}

CheckpointInfo checkpoint_info(const Variant& v) {
  const CheckpointUse& use = *v.checkpoint;
  const Checkpoint& c = use.source->checkpoint();
  CheckpointInfo info;
  info.path = use.source->name();
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
    if (const auto* ids = plan.bound->text_tokens())
      info.texts.push_back({plan.name, text_words(use.source->text(), *ids)});
  const auto unless_empty = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  for (const auto& change : position_changes(use.own_position.resolved(), v.position.resolved()))
    info.position_changes.push_back({change.key, unless_empty(change.own), unless_empty(change.used)});
  for (const auto& value : c.values)
    if (value.origin.starts_with("default")) info.defaults.push_back({value.key, value.value, value.origin});
  if (use.source->why_no_text().empty()) info.vocabulary.tokens = use.source->text().tokenizer().size();
  info.vocabulary.rows = c.model.model.vocabulary;
  info.notes = use.source->notes();
  return info;
}

}  // namespace lw
