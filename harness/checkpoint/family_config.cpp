#include "harness/checkpoint/family_config.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"

namespace lw {
namespace {

/// Keys that transformers writes into any config.json and that do not affect the arithmetic of a forward pass.
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

/// A widened float32 (GGUF) is shown as a float32: 1e-05, not 9.999999747378752e-06.
std::string shown(const Json& value) {
  const double number = value.is_number_float() ? value.get<double>() : 0.0;
  const auto single = static_cast<float>(number);
  const bool is_widened = double{single} == number && format_float(single) != format_number(number);
  return is_widened ? format_float(single) : value.dump();
}

std::shared_ptr<const Json> object_of(const Json& object, const std::string& place) {
  if (!object.is_object()) throw Error(ErrorKind::kInput, place + ": found no JSON object");
  return std::make_shared<const Json>(object);
}

}  // namespace

FamilyConfig::FamilyConfig(const Json& object, std::string family, std::string place, std::string origin)
    : object_(object_of(object, place)),
      fields_(*object_, std::move(place), ""),
      family_(std::move(family)),
      origin_(std::move(origin)) {}

void FamilyConfig::fail(const std::string& key, const std::string& found_and_allowed) const {
  fields_.fail(key, found_and_allowed, ErrorKind::kInput);
}

void FamilyConfig::require(bool ok, const std::string& key, const std::string& found_and_allowed) const {
  if (!ok) fail(key, found_and_allowed);
}

const Json* FamilyConfig::find(const KeyNames& keys) {
  const Json* value = nullptr;
  const char* first = nullptr;
  for (const char* key : keys) {
    const Json* here = fields_.take(key);
    if (here == nullptr) continue;
    if (value != nullptr && *value != *here)
      fail(key,
           found_what(json_shown(*here), " beside ", first, ": ", json_shown(*value)).allowed("one value for both"));
    if (value == nullptr) first = key;
    value = here;
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
  } catch (const nlohmann::json::exception&) {  // reported below
  }
  fail(*keys.begin(), found_what(json_shown(*value)).allowed(kind));
}

template <class T>
T FamilyConfig::get_or(const KeyNames& keys, const std::optional<T>& fallback, const char* kind) {
  if (const auto value = get<T>(keys, kind)) return *value;
  if (!fallback) fail(*keys.begin(), found_what("nothing").allowed(kind));
  note(*keys.begin(), Json(*fallback).dump(), "default of " + family_);
  return *fallback;
}

void FamilyConfig::require_range(const char* key, int64_t value, int64_t least, int64_t most) const {
  require(value >= least, key, found(value).allowed(least, " or more"));
  require(value <= most, key, found(value).allowed(least, " to ", most));
}

int64_t FamilyConfig::whole(const KeyNames& keys, std::optional<int64_t> fallback, int64_t least, int64_t most) {
  const int64_t value = get_or<int64_t>(keys, fallback, "a whole number");
  require_range(*keys.begin(), value, least, most);
  return value;
}

double FamilyConfig::number(const KeyNames& keys, std::optional<double> fallback) {
  const double value = get_or<double>(keys, fallback, "a number");
  require(std::isfinite(value), *keys.begin(), found_what("a value that is not finite").allowed("a number"));
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
  require(!value || std::isfinite(*value), *keys.begin(), found_what("a value that is not finite").allowed("a number"));
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

FamilyConfig FamilyConfig::below(const char* key) {
  return {optional_json(key).value_or(Json::object()), family_, place() + ": " + key, origin_};
}

void FamilyConfig::ignore(const KeyNames& keys) {
  for (const char* key : keys) fields_.mark_read(key);
}

void FamilyConfig::require_only(const char* key, const Json& allowed, const std::string& reason) {
  const Json* value = find({key});
  if (value != nullptr && *value != allowed)
    fail(key, found_what(json_shown(*value)).allowed(allowed.dump(), ", since ", reason));
}

void FamilyConfig::only(const char* key, bool allowed, const std::string& reason) {
  require_only(key, allowed, reason);
}

void FamilyConfig::only(const char* key, const char* allowed, const std::string& reason) {
  require_only(key, allowed, reason);
}

void FamilyConfig::only_empty_object(const char* key, const std::string& reason) {
  require_only(key, Json::object(), reason);
}

void FamilyConfig::note(const std::string& key, const std::string& value, const std::string& origin) {
  values_.push_back({key, value, origin});
}

void FamilyConfig::remark(const std::string& message) { remarks_.push_back(message); }

void FamilyConfig::note_all(const std::string& key, const FamilyConfig& inner) {
  for (const auto& value : inner.values()) note(key + "." + value.key, value.value, value.origin);
}

void FamilyConfig::finish() const {
  for (const auto& key : fields_.unread()) {
    if (fields_.is_null(key) || harmless_keys().count(key) > 0) continue;
    fail(key, found_what("a key that is not known for ", family_, " and may change the model").allowed("known keys") +
                  did_you_mean(key, fields_.read_keys()));
  }
}

}  // namespace lw
