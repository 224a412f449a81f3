#include "harness/formats/hf_rope.h"

#include <utility>

namespace lw {
namespace {

const std::vector<std::string> kTypes = {"default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional"};
const std::vector<std::string> kLayerTypes = {"full_attention", "sliding_attention"};
constexpr Range<double> kAnything{}, kPositive{0.0, std::numeric_limits<double>::max(), true};
constexpr Range<double> kTheta{1.0, std::numeric_limits<double>::max(), true};
constexpr Range<double> kFraction{0.0, 1.0, true}, kFactor{1.0};
constexpr Range<int64_t> kLength{1};
constexpr const char* kOriginal = "original_max_position_embeddings";

/// "type" is the older name of "rope_type"; both may stand there if they mean the same.
std::string read_type(JsonCursor& block) {
  const auto meant = [&](const char* key) -> std::string {
    const SortedJson* value = block.peek(key);
    if (value == nullptr) return "";
    if (!value->is_string()) block.fail(key, "found " + json_shown(*value) + "; allowed: " + join(kTypes));
    return *value == "su" ? "longrope" : value->get<std::string>();
  };
  const std::string older = meant("type"), newer = meant("rope_type");
  if (!older.empty() && !newer.empty() && older != newer)
    block.fail("type", "found \"" + older + "\", where rope_type says \"" + newer + "\"; allowed: one type");
  const std::string type = !newer.empty() ? newer : older;
  if (type.empty()) {
    if (block.has("factor")) block.fail("rope_type", "found nothing beside a factor; allowed: " + join(kTypes));
    return "default";
  }
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end())
    block.fail(!newer.empty() ? "rope_type" : "type",
               "found \"" + type + "\"; allowed: " + join(kTypes) + did_you_mean(type, kTypes));
  block.optional_text(newer.empty() ? "type" : "rope_type");
  if (!newer.empty() && !older.empty()) block.no_effect({"type"}, "the older name of rope_type");
  return type;
}

/// Reads one option and copies it as it stands.
class Options {
 public:
  Options(JsonCursor& block, SortedJson& out) : block_(block), out_(out) {}

  void number(const std::string& key, Range<double> range, bool required = false) {
    if (required)
      block_.number(key, range);
    else
      block_.optional_number(key, range);
    copy(key);
  }
  void length() {
    block_.optional_integer(kOriginal, kLength);
    copy(kOriginal);
  }
  void flag(const std::string& key) {
    block_.optional_flag(key);
    copy(key);
  }
  void factors(const std::string& key) {
    if (!block_.optional_numbers(key, kPositive)) block_.fail(key, "found nothing; allowed: a list of numbers above 0");
    if (!block_.peek(key)->is_array())
      block_.fail(key, "found " + json_shown(*block_.peek(key)) + "; allowed: a list of numbers above 0");
    copy(key);
  }

 private:
  void copy(const std::string& key) {
    if (const SortedJson* value = block_.peek(key)) out_[key] = *value;
  }

  JsonCursor& block_;
  SortedJson& out_;
};

void read_options(const std::string& type, Options options) {
  if (type == "linear") {
    options.number("factor", kFactor, true);
  } else if (type == "dynamic") {
    options.number("factor", kFactor, true);
    options.length();
  } else if (type == "yarn") {
    options.number("factor", kFactor);  // absent: the ratio of the lengths
    options.length();
    for (const char* key : {"attention_factor", "beta_fast", "beta_slow"}) options.number(key, kPositive);
    for (const char* key : {"mscale", "mscale_all_dim"}) options.number(key, kAnything);
    options.flag("truncate");
  } else if (type == "longrope") {
    options.factors("short_factor");
    options.factors("long_factor");
    options.number("factor", kFactor);
    options.length();
    options.number("attention_factor", kPositive);
  } else if (type == "llama3") {
    for (const char* key : {"factor", "low_freq_factor", "high_freq_factor"})
      options.number(key, key == std::string("factor") ? kFactor : kPositive, true);
    options.length();
  } else if (type == "proportional") {
    options.number("factor", kFactor);
  }
}

HfRope read_block(JsonCursor block, const std::string& layers) {
  HfRope rope;
  rope.layers = layers;
  rope.rope_type = read_type(block);
  rope.rope_theta = block.optional_number("rope_theta", kTheta);
  rope.partial_rotary_factor = block.optional_number("partial_rotary_factor", kFraction);
  if (rope.rope_type != "default") {
    rope.scaling["rope_type"] = rope.rope_type;
    read_options(rope.rope_type, Options(block, rope.scaling));
    block.no_effect({"finetuned"}, "says how the weights were made");
  }
  if (rope.scaling.contains(kOriginal)) rope.original_max_position_embeddings = rope.scaling[kOriginal].get<int64_t>();
  return rope;
}

/// A block without what may stand outside it, for comparing two.
SortedJson core_of(const SortedJson& block) {
  SortedJson core = SortedJson::object();
  for (const auto& [key, value] : block.items()) {
    if (value.is_null() || key == "rope_theta" || key == "partial_rotary_factor") continue;
    core[key == "type" ? "rope_type" : key] = value == "su" ? SortedJson("longrope") : value;
  }
  if (core == SortedJson{{"rope_type", "default"}}) core.clear();
  return core;
}

bool is_nested(const SortedJson* block) {
  if (block == nullptr || !block->is_object()) return false;
  for (const auto& [key, value] : block->items())
    if (value.is_object()) return true;
  return false;
}

/// The blocks that the file has, as one list: rope_parameters, or rope_scaling, or neither.
std::vector<HfRope> read_blocks(JsonCursor& keys) {
  const SortedJson *scaling = keys.peek("rope_scaling"), *parameters = keys.peek("rope_parameters");
  if (is_nested(parameters)) {
    if (scaling != nullptr)
      keys.fail("rope_scaling", "found beside rope_parameters that differ by layer type; allowed: one of them");
    JsonCursor block = keys.object("rope_parameters");
    std::vector<HfRope> out;
    for (const auto& layers : kLayerTypes)
      if (block.has(layers)) out.push_back(read_block(block.object(layers), layers));
    if (out.empty())
      block.fail(block.key_names().front(), "found an unknown layer type; allowed: " + join(kLayerTypes));
    return out;
  }
  if (scaling == nullptr && parameters == nullptr) return {HfRope{}};
  if (scaling != nullptr && parameters != nullptr) {
    if (!scaling->is_object() || !parameters->is_object() || core_of(*scaling) != core_of(*parameters))
      keys.fail("rope_scaling", "found " + json_shown(*scaling) + ", where rope_parameters says " +
                                    json_shown(*parameters) + "; allowed: one of them, or both the same");
    for (const std::string key : {"rope_theta", "partial_rotary_factor"}) {
      const SortedJson old_value = scaling->value(key, SortedJson()), new_value = parameters->value(key, SortedJson());
      if (!old_value.is_null() && old_value != new_value)
        keys.fail("rope_scaling." + key, "found " + json_shown(old_value) + ", where rope_parameters says " +
                                             json_shown(new_value) + "; allowed: one value");
    }
    keys.no_effect({"rope_scaling"}, "the same as rope_parameters");
  }
  return {read_block(keys.object(parameters != nullptr ? "rope_parameters" : "rope_scaling"), "")};
}

/// Lays a value from the top of the file under the blocks that state none. Sliding layers may have their own.
template <class T>
void lay_under(JsonCursor& keys, std::vector<HfRope>& ropes, std::optional<T> HfRope::*member, const std::string& name,
               const std::optional<T>& value) {
  for (HfRope& rope : ropes) {
    if (!value || rope.layers == "sliding_attention") continue;
    if (rope.*member && *(rope.*member) != *value)
      keys.fail(name, "found " + SortedJson(*value).dump() + ", where the rope settings say " +
                          SortedJson(*(rope.*member)).dump() + "; allowed: one value");
    rope.*member = value;
  }
}

/// Gemma 3's older form: scaling and theta are of the layers that see everything, sliding ones have a base of
/// their own and no scaling.
void add_local_base(JsonCursor& keys, std::vector<HfRope>& ropes) {
  const auto local = keys.optional_number("rope_local_base_freq", kTheta);
  if (!local) return;
  if (ropes.size() == 1 && ropes[0].layers.empty()) {
    HfRope sliding;
    sliding.layers = "sliding_attention";
    ropes[0].layers = "full_attention";
    ropes.push_back(sliding);
  }
  for (HfRope& rope : ropes) {
    if (rope.layers != "sliding_attention") continue;
    if (rope.rope_theta && *rope.rope_theta != *local)
      keys.fail("rope_local_base_freq", "found " + SortedJson(*local).dump() + ", where rope_parameters says " +
                                            SortedJson(*rope.rope_theta).dump() + "; allowed: one value");
    rope.rope_theta = local;
  }
}

}  // namespace

std::vector<HfRope> read_hf_rope(JsonCursor& keys) {
  std::vector<HfRope> ropes = read_blocks(keys);
  const auto theta = keys.optional_number({"rope_theta", "rotary_emb_base"}, kTheta);
  const auto partial = keys.optional_number({"partial_rotary_factor", "rotary_pct"}, kFraction);
  const auto original = keys.optional_integer(kOriginal, kLength);
  lay_under(keys, ropes, &HfRope::rope_theta, "rope_theta", theta);
  lay_under(keys, ropes, &HfRope::partial_rotary_factor, "partial_rotary_factor", partial);
  lay_under(keys, ropes, &HfRope::original_max_position_embeddings, kOriginal, original);
  add_local_base(keys, ropes);
  for (HfRope& rope : ropes) {
    const bool starts_from = rope.rope_type == "dynamic" || rope.rope_type == "yarn" || rope.rope_type == "longrope" ||
                             rope.rope_type == "llama3";
    if (starts_from && rope.original_max_position_embeddings)
      rope.scaling[kOriginal] = *rope.original_max_position_embeddings;
    if (rope.layers == "sliding_attention" && !rope.partial_rotary_factor) rope.partial_rotary_factor = partial;
  }
  return ropes;
}

}  // namespace lw
