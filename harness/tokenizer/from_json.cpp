#include "harness/tokenizer/from_json.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_read.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/tokenizer/bpe.h"
#include "harness/tokenizer/cuts.h"
#include "harness/tokenizer/post_processor.h"
#include "harness/tokenizer/tokenizer_file.h"
#include "harness/tokenizer/unigram.h"
#include "harness/tokenizer/wordpiece.h"

namespace lw {
namespace {

const std::string kModel = "model";

// An id far above the number of tokens would only cost memory.
void check_id(int64_t id, size_t count, const std::string& token, const std::string& place) {
  const auto most = static_cast<int64_t>(2 * count + 65536);
  if (id < 0 || id > most)
    throw Error(ErrorKind::kInput, text(place, ": '", printable(token), "': ",
                                        found_what("the id ", id).allowed("0 to ", most, " for ", count, " tokens")));
}

TokenTable table_of(const std::vector<std::pair<std::string, int64_t>>& vocab, const std::string& place) {
  TokenTable table;
  for (const auto& [token, id] : vocab) {
    check_id(id, vocab.size(), token, place + ": model.vocab");
    if (!table.add(token, static_cast<uint32_t>(id)))
      throw Error(ErrorKind::kInput, text(place, ": model.vocab: '", printable(token),
                                          "': ", found_what("the token or its id ", id, " twice").allowed("once")));
  }
  return table;
}

void require_none(JsonFields& fields, const char* key) {
  const std::string affix = fields.text_or(key, "");
  if (!affix.empty()) fields.fail(key, found(affix).allowed("none"));
}

std::unique_ptr<TokenModel> read_bpe(JsonFields& fields, const TokenizerFile& file, TokenizerParts& parts) {
  TokenTable table = table_of(file.vocab, fields.place());
  BpeOptions options;
  // The library asks for the token only when it needs it; GPT-2's own file has an empty one.
  const std::string unknown = fields.text_or("unk_token", "");
  options.unknown = table.find(unknown);
  if (!unknown.empty() && !options.unknown)
    parts.notes.push_back("model.unk_token '" + printable(unknown) +
                          "' is not in the vocabulary: unknown symbols are errors");
  options.fuse_unknown = fields.flag("fuse_unk", false);
  options.byte_fallback = fields.flag("byte_fallback", false);
  options.ignore_merges = fields.flag("ignore_merges", false);
  require_none(fields, "continuing_subword_prefix");
  require_none(fields, "end_of_word_suffix");
  if (const Json* dropout = fields.take("dropout")) {
    if (!dropout->is_number()) fields.fail("dropout", found_what(short_dump(*dropout)).allowed("a number"));
    if (dropout->get<double>() != 0.0) parts.notes.push_back("model.dropout is left out: evaluation has none");
  }
  if (const Json* merges = fields.take("merges"))
    fields.fail("merges", found_what(short_dump(*merges)).allowed("a list of pairs"));
  return make_bpe(std::move(table), file.merges, options, fields.place() + ": " + kModel);
}

std::unique_ptr<TokenModel> read_wordpiece(JsonFields& fields, const TokenizerFile& file) {
  TokenTable table = table_of(file.vocab, fields.place());
  WordPieceOptions options;
  const std::string unknown = fields.text_or("unk_token", "[UNK]");
  const auto id = table.find(unknown);
  if (!id) fields.fail("unk_token", found(unknown).allowed("a token of the vocabulary"));
  options.unknown = *id;
  options.continuing_prefix = fields.text_or("continuing_subword_prefix", "##");
  const int64_t longest = fields.integer("max_input_chars_per_word", 100);
  if (longest < 1) fields.fail("max_input_chars_per_word", found(longest).allowed("1 or more"));
  options.longest_word = static_cast<size_t>(longest);
  return make_wordpiece(std::move(table), options);
}

// Unigram finds special tokens in text as pieces of its own, which is allowed only with parse_special.
std::unique_ptr<TokenModel> read_unigram(JsonFields& fields, const TokenizerFile& file, const TokenizerParts& parts) {
  TokenTable table;
  std::vector<double> scores;
  for (size_t id = 0; id < file.scored.size(); ++id) {
    const auto& [token, score] = file.scored[id];
    if (!table.add(token, static_cast<uint32_t>(id)))
      fields.fail(text("vocab[", id, "]"), found(printable(token), " twice").allowed("once"));
    if (!std::isfinite(score))
      fields.fail(text("vocab[", id, "]"), found_what("a score that no double holds").allowed("a number"));
    scores.push_back(score);
  }
  UnigramOptions options;
  for (const AddedToken& token : parts.added.all())
    if (token.special) options.special.insert(token.id);
  options.byte_fallback = fields.flag("byte_fallback", false);
  if (const int64_t unknown = fields.integer("unk_id", -1); unknown >= 0) {
    if (unknown >= table.size()) fields.fail("unk_id", found(unknown).allowed("an id of the vocabulary"));
    options.unknown = static_cast<uint32_t>(unknown);
  }
  return make_unigram(std::move(table), scores, options, fields.place() + ": " + kModel);
}

// Older files do not state the type; there it follows from the fields.
std::string model_type(JsonFields& fields, const TokenizerFile& file) {
  if (const auto type = fields.optional_text("type")) return *type;
  if (!file.scored.empty()) return "Unigram";
  return file.merges.empty() ? "WordPiece" : "BPE";
}

std::unique_ptr<TokenModel> read_model(const TokenizerFile& file, const std::string& place, TokenizerParts& parts) {
  const auto stated = file.rest.find(kModel);
  if (stated == file.rest.end()) throw Error(ErrorKind::kInput, place + ": model: found nothing; allowed: an object");
  JsonFields fields(*stated, place, kModel);
  if (const Json* vocab = fields.take("vocab"))
    fields.fail("vocab", found_what(short_dump(*vocab)).allowed("an object or a list"));
  const std::string type = model_type(fields, file);
  const bool scored = type == "Unigram";
  if (file.vocab.empty() == file.scored.empty() || scored != file.vocab.empty())
    fields.fail("vocab", found_what("none of the form of ", type).allowed(scored ? "a list" : "an object"));
  std::unique_ptr<TokenModel> model;
  if (type == "BPE") {
    model = read_bpe(fields, file, parts);
  } else if (type == "WordPiece") {
    model = read_wordpiece(fields, file);
  } else if (type == "Unigram") {
    model = read_unigram(fields, file, parts);
  } else {
    fields.fail("type", found(type).allowed("BPE, Unigram, WordPiece"));
  }
  fields.finish();
  return model;
}

std::vector<AddedToken> read_added(JsonFields& top, const TokenizerFile& file) {
  std::vector<AddedToken> tokens;
  if (top.take("added_tokens") == nullptr) return tokens;
  std::set<int64_t> ids;
  const size_t count = std::max(file.vocab.size(), file.scored.size());
  for (JsonFields& fields : top.objects("added_tokens")) {
    AddedToken token;
    const int64_t id = fields.integer("id");
    token.content = fields.text("content");
    check_id(id, count, token.content, fields.place() + ": " + fields.path());
    token.id = static_cast<uint32_t>(id);
    token.single_word = fields.flag("single_word", false);
    token.lstrip = fields.flag("lstrip", false);
    token.rstrip = fields.flag("rstrip", false);
    token.special = fields.flag("special", false);
    token.normalized = fields.flag("normalized", !token.special);
    fields.finish();
    if (token.content.empty()) fields.fail("content", "found ''; allowed: text");
    if (!ids.insert(id).second) fields.fail("id", found(id, " twice").allowed("once"));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// An added token that is also in the model must have the same id there.
void check_added(const TokenizerParts& parts, const std::string& place) {
  const TokenTable& table = parts.model->table();
  for (const AddedToken& token : parts.added.all()) {
    const auto id = table.find(token.content);
    const std::string* in_model = table.text(token.id);
    const std::string said = text(place, ": added_tokens: '", printable(token.content), "': found the id ", token.id);
    if (id && *id != token.id)
      throw Error(ErrorKind::kInput, text(said, "; allowed: ", *id, ", its id in model.vocab"));
    if (in_model != nullptr && *in_model != token.content)
      throw Error(ErrorKind::kInput,
                  said + ", which is '" + printable(*in_model) + "' in model.vocab; allowed: an id of its own");
  }
}

void note_left_out(JsonFields& top, TokenizerParts& parts) {
  for (const char* key : {"truncation", "padding"})
    if (const Json* value = top.take(key))
      parts.notes.push_back(std::string(key) + " is left out: found " + short_dump(*value));
}

Json null_or(const Json* value) { return value == nullptr ? Json(nullptr) : *value; }

}  // namespace

TokenizerParts read_tokenizer_json(std::string_view text, const std::string& place) {
  const TokenizerFile file = parse_tokenizer_file(text, place);
  JsonFields top(file.rest, place, "");
  const std::string version = top.text_or("version", "1.0");
  if (version != "1.0") top.fail("version", found(version).allowed("1.0"));
  TokenizerParts parts;
  note_left_out(top, parts);
  parts.normalizer = read_normalizer(null_or(top.take("normalizer")), place, "normalizer");
  parts.added = AddedTokens(read_added(top, file), parts.normalizer);
  const Json pre_tokenizer = null_or(top.take("pre_tokenizer"));
  parts.pre_tokenizer = read_pre_tokenizer(pre_tokenizer, place, "pre_tokenizer");
  parts.cuts = describe_cuts(pre_tokenizer);
  parts.decoder = read_decoder(null_or(top.take("decoder")), place, "decoder");
  top.take(kModel.c_str());
  parts.model = read_model(file, place, parts);
  check_added(parts, place);
  const Surround surround = read_post_processor(null_or(top.take("post_processor")), place, "post_processor");
  parts.prefix = surround.prefix;
  parts.suffix = surround.suffix;
  top.finish();
  return parts;
}

}  // namespace lw
