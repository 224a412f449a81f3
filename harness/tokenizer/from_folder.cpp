// The tokenizer files of a Hugging Face folder, and which of them counts for what.
#include <algorithm>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/tokenizer/bpe.h"
#include "harness/tokenizer/cuts.h"
#include "harness/tokenizer/from_json.h"
#include "harness/tokenizer/from_sentencepiece.h"
#include "harness/tokenizer/tokenizer_file.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

/// tokenizer_config.json, of which only some keys matter here: it also holds chat templates and much else.
class TokenizerConfig {
 public:
  explicit TokenizerConfig(const fs::path& path) : place_(path.string()) {
    if (fs::exists(path)) json_ = parse_json(read_file(path), place_);
  }
  const Json* get(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  /// A token as text or as an object with "content".
  std::optional<std::string> token(const char* key) const {
    const Json* value = get(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_object()) return json_get<std::string>(*value, "content", place_ + ": " + key);
    return json_get<std::string>(json_, key, place_);
  }
  const std::string& place() const { return place_; }

 private:
  std::string place_;
  Json json_ = Json::object();
};

void add_names(const TokenizerConfig& config, TokenizerParts& parts) {
  const auto is_added = [&](const std::string& content) {
    const auto& all = parts.added.all();
    return std::any_of(all.begin(), all.end(), [&](const AddedToken& token) { return token.content == content; });
  };
  const auto id_of = [&](const char* key) -> std::optional<int64_t> {
    const auto token = config.token(key);
    if (!token) return std::nullopt;
    for (const AddedToken& added : parts.added.all())
      if (added.content == *token) return added.id;
    if (const auto id = parts.model->table().find(*token)) return *id;
    throw Error(ErrorKind::kInput,
                text(config.place(), ": ", key, ": ", found(printable(*token)).allowed("a token of the vocabulary")));
  };
  if (const auto bos = id_of("bos_token")) parts.bos = bos;
  if (const auto eos = id_of("eos_token")) parts.eos = eos;
  if (const Json* entries = config.get("added_tokens_decoder"))
    for (const auto& [key, entry] : entries->items()) {
      const std::string content =
          json_get<std::string>(entry, "content", config.place() + ": added_tokens_decoder." + key);
      if (!is_added(content))
        parts.notes.push_back("'" + printable(content) +
                              "' of tokenizer_config.json is not an added token of tokenizer.json: left out");
    }
  const Json* said = config.get("add_bos_token");
  if (said == nullptr || !said->is_boolean() || !parts.bos) return;
  const bool adds = !parts.prefix.empty() && parts.prefix.front() == *parts.bos;
  if (adds != said->get<bool>())
    parts.notes.push_back(text("add_bos_token of tokenizer_config.json is ", adds ? "false" : "true",
                               ", but tokenizer.json ", adds ? "puts BOS first" : "adds no BOS",
                               ": tokenizer.json counts, unless add_bos says otherwise"));
}

AddedToken read_added(uint32_t id, const Json& entry, const std::string& place) {
  AddedToken token;
  token.id = id;
  token.content = json_get<std::string>(entry, "content", place);
  const auto flag = [&](const char* key) { return json_optional<bool>(entry, key, place).value_or(false); };
  token.single_word = flag("single_word");
  token.lstrip = flag("lstrip");
  token.rstrip = flag("rstrip");
  token.special = flag("special");
  token.normalized = json_optional<bool>(entry, "normalized", place).value_or(!token.special);
  return token;
}

std::vector<AddedToken> read_added_decoder(const TokenizerConfig& config, size_t vocab_size) {
  std::vector<AddedToken> tokens;
  const Json* entries = config.get("added_tokens_decoder");
  if (entries == nullptr || !entries->is_object())
    throw Error(ErrorKind::kInput,
                config.place() +
                    ": added_tokens_decoder: found nothing; allowed: the added tokens by id, where there "
                    "is no tokenizer.json");
  for (const auto& [key, entry] : entries->items()) {
    const std::string place = config.place() + ": added_tokens_decoder." + key;
    const bool digits = !key.empty() && key.size() < 9 && key.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || std::stoul(key) > 2 * vocab_size + 65536)
      throw Error(ErrorKind::kInput, place + ": found no id; allowed: a whole number");
    tokens.push_back(read_added(static_cast<uint32_t>(std::stoul(key)), entry, place));
  }
  return tokens;
}

Merges read_merges(const fs::path& path) {
  Merges merges;
  std::istringstream lines(read_file(path));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.rfind("#version", 0) == 0 || line.empty()) continue;
    merges.push_back(split_merge(line, text(path.string(), ":", number)));
  }
  return merges;
}

// The two classes whose pipeline is known although no file states it.
TokenizerParts read_vocab_and_merges(const fs::path& folder, const TokenizerConfig& config) {
  const std::string type = config.token("tokenizer_class").value_or("");
  const bool qwen = type == "Qwen2Tokenizer" || type == "Qwen2TokenizerFast";
  if (!qwen && type != "GPT2Tokenizer" && type != "GPT2TokenizerFast")
    throw Error(ErrorKind::kInput, config.place() + ": tokenizer_class: " +
                                       found(type, " and no tokenizer.json").allowed("GPT2Tokenizer, Qwen2Tokenizer"));
  const std::string place = (folder / "vocab.json").string();
  TokenTable table;
  const auto vocab = parse_vocab_file(read_file(place), place);
  for (const auto& [token, id] : vocab)
    if (id < 0 || id > static_cast<int64_t>(2 * vocab.size() + 65536) || !table.add(token, static_cast<uint32_t>(id)))
      throw Error(ErrorKind::kInput,
                  text(place, ": '", printable(token), "': ", found_what("the id ", id).allowed("one of its own")));
  const Cuts cuts = cuts_by_name(qwen ? "qwen2" : "gpt-2", place);
  TokenizerParts parts;
  parts.normalizer = cuts.normalizer;
  parts.pre_tokenizer = cuts.pre_tokenizer;
  parts.decoder = decode_byte_letters();
  parts.cuts = cuts.description;
  parts.added = AddedTokens(read_added_decoder(config, vocab.size()), parts.normalizer);
  parts.model = make_bpe(std::move(table), read_merges(folder / "merges.txt"), {}, place);
  return parts;
}

/// The tokens that tokenizer_config.json or added_tokens.json add to a SentencePiece model, or that it has anyway.
std::vector<AddedToken> added_to_pieces(const fs::path& folder, const TokenizerConfig& config, size_t pieces) {
  if (config.get("added_tokens_decoder") != nullptr) return read_added_decoder(config, pieces);
  std::vector<AddedToken> tokens;
  const fs::path path = folder / "added_tokens.json";
  if (!fs::exists(path)) return tokens;
  const std::string place = path.string();
  for (const auto& [content, id] : parse_vocab_file(read_file(path), place)) {
    if (id < 0 || id > static_cast<int64_t>(2 * pieces + 65536) || content.empty())
      throw Error(ErrorKind::kInput,
                  text(place, ": '", printable(content), "': ", found_what("the id ", id).allowed("one of its own")));
    AddedToken token;
    token.id = static_cast<uint32_t>(id);
    token.content = content;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

/// BOS and EOS around a text: as tokenizer_config.json states it, or as its class of transformers does without a word.
void add_surround(const TokenizerConfig& config, TokenizerParts& parts) {
  const std::string type = config.token("tokenizer_class").value_or("");
  const auto is_class = [&](const std::string& name) { return type == name || type == name + "Fast"; };
  const auto wanted = [&](const char* key, bool by_class) {
    const Json* said = config.get(key);
    return said != nullptr && said->is_boolean() ? said->get<bool>() : by_class;
  };
  const bool bos = is_class("LlamaTokenizer") || is_class("CodeLlamaTokenizer") || is_class("GemmaTokenizer");
  if (wanted("add_bos_token", bos) && parts.bos) parts.prefix = {*parts.bos};
  if (wanted("add_eos_token", is_class("T5Tokenizer")) && parts.eos) parts.suffix = {*parts.eos};
  if (type.empty() && config.get("add_bos_token") == nullptr)
    parts.notes.push_back("no file says whether BOS stands before a text: none is put");
}

TokenizerParts read_pieces(const fs::path& path, const TokenizerConfig& config) {
  const std::string place = path.string();
  TokenizerParts parts = read_sentencepiece_file(path);
  const auto pieces = static_cast<size_t>(parts.model->table().size());
  std::vector<AddedToken> all = parts.added.all();
  for (AddedToken& token : added_to_pieces(path.parent_path(), config, pieces)) {
    const std::string* piece = parts.model->table().text(token.id);
    if (piece != nullptr && *piece != token.content)
      throw Error(ErrorKind::kInput, text(place, ": the added token '", printable(token.content), "': found the id ",
                                          token.id, ", which is '", printable(*piece), "' in the model"));
    const auto known = std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.id == token.id; });
    if (known == all.end()) all.push_back(std::move(token));
  }
  parts.added = AddedTokens(std::move(all), nullptr);
  return parts;
}

/// SentencePiece's file under one of the two names of transformers; "" where there is none.
fs::path pieces_in(const fs::path& folder) {
  for (const char* name : {"tokenizer.model", "spiece.model"})
    if (fs::exists(folder / name)) return folder / name;
  return {};
}

/// Vocabularies in other forms are refused: tokenizer.json holds the same as text.
[[noreturn]] void refuse_others(const fs::path& folder) {
  constexpr const char* kFiles = "tokenizer.json, vocab.json and merges.txt, or SentencePiece's tokenizer.model";
  for (const char* name : {"sentencepiece.bpe.model", "tekken.json", "tiktoken.model", "vocab.txt"})
    if (fs::exists(folder / name))
      throw Error(ErrorKind::kInput,
                  folder.string() + ": " +
                      found_what(name, " and no tokenizer.json: vocabularies of this form are not read")
                          .allowed(kFiles, " (a fast tokenizer of transformers saves it)"));
  throw Error(ErrorKind::kInput, folder.string() + ": " + found_what("no tokenizer").allowed(kFiles));
}

}  // namespace

Tokenizer tokenizer_from_folder(const fs::path& folder) {
  const TokenizerConfig config(folder / "tokenizer_config.json");
  const fs::path whole = folder / "tokenizer.json";
  TokenizerParts parts;
  if (fs::exists(whole)) {
    parts = read_tokenizer_json(read_file(whole), whole.string());
  } else if (fs::exists(folder / "vocab.json") && fs::exists(folder / "merges.txt")) {
    parts = read_vocab_and_merges(folder, config);
  } else if (const fs::path pieces = pieces_in(folder); !pieces.empty()) {
    parts = read_pieces(pieces, config);
    add_names(config, parts);
    add_surround(config, parts);
    return Tokenizer(std::move(parts));
  } else {
    refuse_others(folder);
  }
  add_names(config, parts);
  return Tokenizer(std::move(parts));
}

Tokenizer tokenizer_from_file(const fs::path& path) {
  if (path.extension() == ".model") return Tokenizer(read_sentencepiece_file(path));
  return Tokenizer(read_tokenizer_json(read_file(path), path.string()));
}

bool is_tokenizer_file(const fs::path& path) {
  std::error_code unknown;
  return (path.extension() == ".model" || path.filename() == "tokenizer.json") && fs::is_regular_file(path, unknown);
}

}  // namespace lw
