#include "harness/checkpoint/family_config.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

#include "harness/base/numbers.h"

namespace lw {
namespace {

/// What transformers writes into any config.json and the arithmetic of a forward pass does not look at.
constexpr const char* kHarmless =
    // what the file is, and of what type its weights are
    "architectures auto_map model_type transformers_version _name_or_path name_or_path _commit_hash language "
    "torch_dtype dtype use_bfloat16 init_device init_config "
    // training
    "initializer_range initializer_factor attention_dropout hidden_dropout hidden_dropout_prob resid_pdrop embd_pdrop "
    "attention_probs_dropout_prob attn_pdrop emb_pdrop dropout dropout_rate embedding_dropout resid_dropout "
    "classifier_dropout classifier_dropout_prob gradient_checkpointing pretraining_tp slow_but_exact "
    // how transformers runs it
    "use_cache return_dict return_dict_in_generate output_hidden_states output_attentions output_scores torchscript "
    "_attn_implementation_autoset _attn_implementation attn_implementation tf_legacy_loss chunk_size_feed_forward "
    "is_encoder_decoder is_composition "
    // heads of other kinds
    "id2label label2id num_labels problem_type finetuning_task task_specific_params summary_type summary_use_proj "
    "summary_activation summary_proj_to_labels summary_first_dropout "
    // tokens and generation
    "tokenizer_class model_max_length bos_token_id eos_token_id pad_token_id sep_token_id cls_token_id mask_token_id "
    "unk_token_id decoder_start_token_id forced_bos_token_id forced_eos_token_id prefix max_length min_length "
    "do_sample "
    "early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p typical_p repetition_penalty "
    "length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids num_return_sequences "
    "suppress_tokens begin_suppress_tokens exponential_decay_length_penalty remove_invalid_values";

const std::set<std::string>& harmless_keys() {
  static const std::set<std::string> kKeys = [] {
    std::istringstream words(kHarmless);
    return std::set<std::string>(std::istream_iterator<std::string>(words), {});
  }();
  return kKeys;
}

/// A float32 that was widened (GGUF) is shown as the float32 that it is: 1e-05, not 9.999999747378752e-06.
std::string shown(const Json& value) {
  const double number = value.is_number_float() ? value.get<double>() : 0.0;
  const auto single = static_cast<float>(number);
  const bool is_widened = double{single} == number && format_float(single) != format_number(number);
  return is_widened ? format_float(single) : value.dump();
}

}  // namespace

FamilyConfig::FamilyConfig(Json object, std::string family, std::string place, std::string origin)
    : object_(std::move(object)), family_(std::move(family)), place_(std::move(place)), origin_(std::move(origin)) {
  if (!object_.is_object()) throw Error(ErrorKind::kInput, place_ + ": found no JSON object");
}

void FamilyConfig::fail(const std::string& key, const std::string& found_and_allowed) const {
  throw Error(ErrorKind::kInput, place_ + ": " + key + ": " + found_and_allowed);
}

void FamilyConfig::require(bool ok, const std::string& key, const std::string& found_and_allowed) const {
  if (!ok) fail(key, found_and_allowed);
}

bool FamilyConfig::has(const char* key) const {
  const auto found = object_.find(key);
  return found != object_.end() && !found->is_null();
}

bool FamilyConfig::nulled(const char* key) const {
  const auto found = object_.find(key);
  return found != object_.end() && found->is_null();
}

const Json* FamilyConfig::find(const KeyNames& keys) {
  const Json* value = nullptr;
  const char* first = nullptr;
  for (const char* key : keys) {
    read_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) continue;
    require(value == nullptr || *value == *found, key,
            "found " + json_shown(*found) + " beside " + (first ? first : "") + ": " +
                (value ? json_shown(*value) : "") + "; allowed: one value for both");
    if (value == nullptr) first = key;
    value = &*found;
  }
  if (value != nullptr) note(*keys.begin(), shown(*value), origin_);
  return value;
}

template <class T>
std::optional<T> FamilyConfig::get(const KeyNames& keys, const char* kind) {
  const Json* value = find(keys);
  if (value == nullptr) return std::nullopt;
  try {
    // 2048.0 is as whole as 2048: some tools write every number with a point.
    if constexpr (std::is_same_v<T, int64_t>)
      if (value->is_number_float() && std::abs(value->get<double>()) < 1e15 &&
          std::trunc(value->get<double>()) == value->get<double>())
        return static_cast<int64_t>(value->get<double>());
    if (JsonFits<T>::check(*value)) return value->get<T>();
  } catch (const nlohmann::json::exception&) {  // told below
  }
  fail(*keys.begin(), "found " + json_shown(*value) + "; allowed: " + kind);
}

template <class T>
T FamilyConfig::get_or(const KeyNames& keys, const std::optional<T>& fallback, const char* kind) {
  if (const auto value = get<T>(keys, kind)) return *value;
  if (!fallback) fail(*keys.begin(), std::string("found nothing; allowed: ") + kind);
  note(*keys.begin(), Json(*fallback).dump(), "default of " + family_);
  return *fallback;
}

void FamilyConfig::require_range(const char* key, int64_t value, int64_t least, int64_t most) const {
  const std::string found = "found " + std::to_string(value) + "; allowed: " + std::to_string(least);
  require(value >= least, key, found + " or more");
  require(value <= most, key, found + " to " + std::to_string(most));
}

int64_t FamilyConfig::whole(const KeyNames& keys, std::optional<int64_t> fallback, int64_t least, int64_t most) {
  const int64_t value = get_or<int64_t>(keys, fallback, "a whole number");
  require_range(*keys.begin(), value, least, most);
  return value;
}

double FamilyConfig::number(const KeyNames& keys, std::optional<double> fallback) {
  const double value = get_or<double>(keys, fallback, "a number");
  require(std::isfinite(value), *keys.begin(), "found a value that is not finite; allowed: a number");
  return value;
}

bool FamilyConfig::flag(const KeyNames& keys, bool fallback) { return get_or<bool>(keys, fallback, "true or false"); }

std::string FamilyConfig::text(const KeyNames& keys, const std::string& fallback) {
  return get_or<std::string>(keys, fallback, "a text");
}

std::optional<int64_t> FamilyConfig::optional_whole(const KeyNames& keys, int64_t least, int64_t most) {
  const auto value = get<int64_t>(keys, "a whole number");
  if (value) require_range(*keys.begin(), *value, least, most);
  return value;
}

std::optional<double> FamilyConfig::optional_number(const KeyNames& keys) {
  const auto value = get<double>(keys, "a number");
  require(!value || std::isfinite(*value), *keys.begin(), "found a value that is not finite; allowed: a number");
  return value;
}

std::optional<std::vector<std::string>> FamilyConfig::optional_words(const char* key) {
  return get<std::vector<std::string>>({key}, "a list of texts");
}

std::optional<std::vector<int64_t>> FamilyConfig::optional_wholes(const char* key) {
  return get<std::vector<int64_t>>({key}, "a list of whole numbers");
}

std::optional<Json> FamilyConfig::optional_json(const char* key) {
  const Json* value = find({key});
  return value == nullptr ? std::nullopt : std::optional<Json>(*value);
}

void FamilyConfig::ignore(const KeyNames& keys) { read_.insert(read_.end(), keys.begin(), keys.end()); }

void FamilyConfig::only(const char* key, const Json& allowed, const std::string& why) {
  const Json* value = find({key});
  if (value != nullptr && *value != allowed)
    fail(key, "found " + json_shown(*value) + "; allowed: " + allowed.dump() + ", since " + why);
}

void FamilyConfig::note(const std::string& key, const std::string& value, const std::string& origin) {
  values_.push_back({key, value, origin});
}

void FamilyConfig::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (value.is_null() || harmless_keys().count(key) > 0) continue;
    if (std::find(read_.begin(), read_.end(), key) != read_.end()) continue;
    fail(key, "found a key that is not known for " + family_ +
                  " and may change the model; allowed: " + "keys that are" + did_you_mean(key, read_));
  }
}

}  // namespace lw
