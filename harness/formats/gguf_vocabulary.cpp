#include "harness/formats/gguf_vocabulary.h"

#include <limits>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/formats/gguf.h"

namespace lw {
namespace {

using Type = GgufValue::Type;
constexpr uint64_t kNone = std::numeric_limits<uint32_t>::max();  // -1 written as u32

/// Reads keys under "tokenizer.ggml." with the one type each may have.
class Reader {
 public:
  explicit Reader(const GgufFile& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw Error(ErrorKind::kInput, file_.file().place() + ": tokenizer.ggml." + key + ": " + what);
  }

  /// nullptr when absent.
  const GgufValue* find(const std::string& key, bool is_array, const std::vector<Type>& types,
                        const std::string& allowed) const {
    const GgufValue* value = file_.find("tokenizer.ggml." + key);
    if (value == nullptr) return nullptr;
    bool fits = false;
    for (const Type type : types) fits = fits || value->type == type;
    if (value->is_array != is_array || !fits)
      fail(key, found_what(value->is_array ? "an array of " : "a ", gguf_type_name(value->type)).allowed(allowed));
    return value;
  }

  std::vector<std::string> texts(const std::string& key) const {
    const GgufValue* value = find(key, true, {Type::kText}, "an array of text");
    return value == nullptr ? std::vector<std::string>{} : std::get<GgufValue::Texts>(value->values);
  }

  std::optional<std::string> text(const std::string& key) const {
    const GgufValue* value = find(key, false, {Type::kText}, "a text");
    if (value == nullptr) return std::nullopt;
    return std::get<GgufValue::Texts>(value->values)[0];
  }

  std::optional<bool> flag(const std::string& key) const {
    const GgufValue* value = find(key, false, {Type::kBool}, "a bool");
    if (value == nullptr) return std::nullopt;
    return std::get<GgufValue::Naturals>(value->values)[0] != 0;
  }

  /// A token's id, whatever the number of tokens.
  std::optional<int64_t> any_id(const std::string& key, size_t count) const {
    const GgufValue* value =
        find(key, false, {Type::kU32, Type::kI32, Type::kU64, Type::kI64, Type::kU16}, "a whole number");
    if (value == nullptr) return std::nullopt;
    uint64_t number = 0;
    if (const auto* natural = std::get_if<GgufValue::Naturals>(&value->values))
      number = (*natural)[0];
    else if (const int64_t whole = std::get<GgufValue::Wholes>(value->values)[0]; whole >= -1)
      number = whole == -1 ? kNone : static_cast<uint64_t>(whole);
    else
      number = kNone + 1;
    if (number == kNone) return std::nullopt;
    if (number > kNone) refuse_id(key, value->text(), count);
    return static_cast<int64_t>(number);
  }
  /// The same, less than `count`.
  std::optional<int64_t> id(const std::string& key, size_t count) const {
    const auto number = any_id(key, count);
    if (number && static_cast<uint64_t>(*number) >= count) refuse_id(key, std::to_string(*number), count);
    return number;
  }

  [[noreturn]] void refuse_id(const std::string& key, const std::string& id, size_t count) const {
    fail(key, found_what(id).allowed("less than ", count, ", the number of tokens"));
  }

  void require_one_each(const std::string& key, size_t values, size_t tokens) const {
    if (values != tokens)
      fail(key, found_what(plural(static_cast<int64_t>(values), "value")).allowed(tokens, ", one for each token"));
  }

 private:
  const GgufFile& file_;
};

void read_scores_and_types(const Reader& in, GgufVocabulary& v) {
  if (const GgufValue* scores = in.find("scores", true, {Type::kF32}, "an array of f32")) {
    in.require_one_each("scores", scores->size(), v.tokens.size());
    for (const double score : std::get<GgufValue::Numbers>(scores->values))
      v.scores.push_back(static_cast<float>(score));
  }
  const GgufValue* types = in.find("token_type", true, {Type::kI32, Type::kU32}, "an array of i32");
  if (types == nullptr) return;
  in.require_one_each("token_type", types->size(), v.tokens.size());
  const auto add = [&](auto type) {
    if (type < 1 || type > 6) in.fail("token_type", found(type).allowed("1 to 6"));
    v.types.push_back(static_cast<int64_t>(type));
  };
  if (const auto* naturals = std::get_if<GgufValue::Naturals>(&types->values))
    for (const uint64_t type : *naturals) add(type);
  else
    for (const int64_t type : std::get<GgufValue::Wholes>(types->values)) add(type);
}

}  // namespace

GgufVocabulary read_gguf_vocabulary(const GgufFile& file) {
  const Reader in(file);
  GgufVocabulary v;
  const auto model = in.text("model");
  if (!model) in.fail("model", "found nothing; allowed: a file with its tokenizer");
  v.model = *model;
  v.pre = in.text("pre");
  v.tokens = in.texts("tokens");
  if (v.tokens.empty()) in.fail("tokens", "found nothing; allowed: an array of text");
  read_scores_and_types(in, v);
  v.merges = in.texts("merges");
  if (const GgufValue* map = in.find("precompiled_charsmap", true, {Type::kU8, Type::kI8}, "an array of u8")) {
    if (const auto* naturals = std::get_if<GgufValue::Naturals>(&map->values))
      for (const uint64_t byte : *naturals) v.precompiled_charsmap += static_cast<char>(byte);
    else
      for (const int64_t byte : std::get<GgufValue::Wholes>(map->values))
        v.precompiled_charsmap += static_cast<char>(byte);
  }
  v.bos = in.id("bos_token_id", v.tokens.size());
  v.eos = in.id("eos_token_id", v.tokens.size());
  v.unknown = in.id("unknown_token_id", v.tokens.size());
  v.separator = in.any_id("seperator_token_id", v.tokens.size());  // spelt like this in the format
  v.padding = in.any_id("padding_token_id", v.tokens.size());
  v.add_bos = in.flag("add_bos_token");
  v.add_eos = in.flag("add_eos_token");
  v.add_sep = in.flag("add_sep_token");
  v.add_space_prefix = in.flag("add_space_prefix");
  v.remove_extra_whitespaces = in.flag("remove_extra_whitespaces");
  v.lowercase = in.flag("normalizer.lowercase");
  v.strip_accents = in.flag("normalizer.strip_accents");
  return v;
}

void require_rows_for_tokens(const GgufFile& file, int64_t rows) {
  const GgufValue* tokens = file.find("tokenizer.ggml.tokens");
  if (tokens == nullptr || rows >= static_cast<int64_t>(tokens->size())) return;
  throw Error(ErrorKind::kInput,
              file.file().place() + ": token_embd.weight: " +
                  found_what(plural(rows, "row")).allowed(tokens->size(), " or more, one for each token"));
}

}  // namespace lw
