#include "harness/tokenizer/from_gguf.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/json_read.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/tokenizer/bpe.h"
#include "harness/tokenizer/byte_tokens.h"
#include "harness/tokenizer/charsmap.h"
#include "harness/tokenizer/cuts.h"
#include "harness/tokenizer/tokenizer_file.h"
#include "harness/tokenizer/unicode.h"
#include "harness/tokenizer/unigram.h"
#include "harness/tokenizer/wordpiece.h"

namespace lw {
namespace {

constexpr const char* kMark = "\xE2\x96\x81";  // U+2581, a space of SentencePiece

enum TokenType { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

class Reader {
 public:
  Reader(const GgufVocabulary& vocabulary, std::string place) : vocab_(vocabulary), place_(std::move(place)) {}

  Tokenizer read(const std::optional<std::string>& pre) {
    check_arrays();
    parts_.bos = id("bos_token_id", vocab_.bos);
    parts_.eos = id("eos_token_id", vocab_.eos);
    unknown_ = id("unknown_token_id", vocab_.unknown);
    note_ids_without_token();
    bool adds_bos = true, adds_eos = false;
    if (vocab_.model == "bert") {
      read_wordpiece();
      return surrounded_by_separator();
    }
    if (vocab_.model == "llama") {
      read_sentencepiece();
    } else if (vocab_.model == "gpt2") {
      adds_bos = read_byte_level(pre);
    } else if (vocab_.model == "t5") {
      read_unigram();
      adds_bos = false;
      adds_eos = true;
    } else {
      const std::vector<std::string> known = {"bert", "gpt2", "llama", "t5"};
      fail("model", found(printable(vocab_.model)).allowed(join(known)) + did_you_mean(vocab_.model, known));
    }
    if (vocab_.add_bos.value_or(adds_bos)) parts_.prefix = {required("bos_token_id", parts_.bos, "add_bos_token")};
    if (vocab_.add_eos.value_or(adds_eos)) parts_.suffix = {required("eos_token_id", parts_.eos, "add_eos_token")};
    return Tokenizer(std::move(parts_));
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw Error(ErrorKind::kInput, place_ + ": tokenizer.ggml." + key + ": " + what);
  }

  int64_t required(const char* key, std::optional<int64_t> id, const char* flag) const {
    if (!id) fail(key, std::string("found nothing, though ") + flag + " is set or the default; allowed: an id");
    return *id;
  }

  std::optional<int64_t> id(const char* key, std::optional<int64_t> id) const {
    if (!id || *id == -1 || *id == 0xFFFFFFFF) return std::nullopt;
    if (*id < 0 || *id >= static_cast<int64_t>(vocab_.tokens.size()))
      fail(key, found(*id).allowed("0 to ", vocab_.tokens.size() - 1));
    return id;
  }

  void check_arrays() const {
    const size_t count = vocab_.tokens.size();
    if (count == 0 || count > 0x7FFFFFFF) fail("tokens", found(count, " tokens").allowed("1 or more"));
    const auto check_size = [&](const char* key, size_t size, bool needed) {
      if (size != count && (needed || size != 0))
        fail(key, found_what(plural(static_cast<int64_t>(size), "value")).allowed(count, ", one a token"));
    };
    check_size("scores", vocab_.scores.size(), is_scored());
    check_size("token_type", vocab_.types.size(), false);
    for (size_t i = 0; i < count; ++i) {
      if (find_invalid_utf8(vocab_.tokens[i]) != std::string::npos)
        fail(text("tokens[", i, "]"), "found bytes that are not UTF-8; allowed: UTF-8");
      if (type(i) < kNormal || type(i) > kByte) fail(text("token_type[", i, "]"), found(type(i)).allowed("1 to 6"));
    }
  }

  /// Such an id is harmless where no text needs it; surrounded_by_separator() refuses the one that it uses.
  void note_ids_without_token() {
    const auto note = [&](const char* key, std::optional<int64_t> id) {
      if (id && *id != 0xFFFFFFFF && *id >= static_cast<int64_t>(vocab_.tokens.size()))
        parts_.notes.push_back(text("tokenizer.ggml.", key, " is ", *id, ", past the ", vocab_.tokens.size(),
                                    " tokens of the vocabulary: nothing here uses it"));
    };
    note("padding_token_id", vocab_.padding);
    if (vocab_.model != "bert") note("seperator_token_id", vocab_.separator);
  }

  bool is_scored() const { return vocab_.model == "llama" || vocab_.model == "t5"; }

  int64_t type(size_t id) const { return vocab_.types.empty() ? int64_t{kNormal} : vocab_.types[id]; }

  /// The model can produce only tokens of the types that `findable` accepts.
  template <class Findable>
  TokenTable table(Findable findable) const {
    TokenTable table;
    for (size_t i = 0; i < vocab_.tokens.size(); ++i) {
      const bool is_findable = findable(type(i));
      if (is_findable && table.find(vocab_.tokens[i]))
        fail(text("tokens[", i, "]"), found(printable(vocab_.tokens[i]), " twice").allowed("once"));
      table.add(vocab_.tokens[i], static_cast<uint32_t>(i), is_findable);
    }
    return table;
  }

  /// @param text_of a token as it appears in text.
  template <class TextOf>
  void read_added(TextOf text_of) {
    std::vector<AddedToken> added;
    for (size_t i = 0; i < vocab_.tokens.size(); ++i) {
      const bool special = type(i) == kControl || type(i) == kUnknown;
      if ((!special && type(i) != kUserDefined) || vocab_.tokens[i].empty()) continue;
      AddedToken token;
      token.id = static_cast<uint32_t>(i);
      token.content = text_of(i);
      token.special = special;
      added.push_back(std::move(token));
    }
    parts_.added = AddedTokens(std::move(added), nullptr);
  }
  void read_added() {
    read_added([this](size_t id) { return vocab_.tokens[id]; });
  }

  void cut_by(const Json& pre_tokenizer) {
    parts_.pre_tokenizer = read_pre_tokenizer(pre_tokenizer, place_, "");
    parts_.cuts = describe_cuts(pre_tokenizer);
  }

  void require_scores() const {
    if (!std::all_of(vocab_.scores.begin(), vocab_.scores.end(), [](float score) { return std::isfinite(score); }))
      fail("scores", "found values that are not finite; allowed: numbers");
  }

  void require_byte_tokens() const {
    for (size_t i = 0; i < vocab_.tokens.size(); ++i)
      if (type(i) == kByte && !byte_of_token(vocab_.tokens[i]))
        fail(text("tokens[", i, "]"), found(vocab_.tokens[i], ", whose type is 6, a byte").allowed("<0x00> to <0xFF>"));
  }

  void read_sentencepiece() {
    if (vocab_.remove_extra_whitespaces.value_or(false)) fail("remove_extra_whitespaces", "found true; allowed: false");
    require_scores();
    require_byte_tokens();
    read_added();
    BpeOptions options;
    options.byte_fallback = true;
    options.fuse_unknown = true;
    if (unknown_) options.unknown = static_cast<uint32_t>(*unknown_);
    parts_.model = make_scored_bpe(table([](int64_t t) { return t == kNormal || t == kUserDefined || t == kByte; }),
                                   vocab_.scores, options, place_);
    const bool prefix = vocab_.add_space_prefix.value_or(true);
    parts_.normalizer = [lead = prepend(" "), marks = replace(match_text(" "), kMark), prefix](AlignedText& text) {
      if (prefix) lead(text);
      marks(text);
    };
    parts_.decoder = decode_sentencepiece(kMark, prefix);
  }

  /// @return whether such models add BOS where the file does not state it.
  bool read_byte_level(const std::optional<std::string>& pre) {
    const std::string name = pre ? *pre : vocab_.pre.value_or("");
    if (name.empty() || name == "default")
      fail("pre", (name.empty() ? "found nothing" : "found 'default'") +
                      std::string(": how this model cuts text is not known; name it with --pre NAME or model.pre. "
                                  "Allowed: ") +
                      join(cut_names()));
    const Cuts cuts = cuts_by_name(name, pre ? "pre-tokenizer" : place_ + ": tokenizer.ggml.pre");
    if (pre && vocab_.pre && *vocab_.pre != *pre)
      parts_.notes.push_back("text is cut as " + in_quotes(*pre) + ", as asked; tokenizer.ggml.pre is " +
                             in_quotes(*vocab_.pre));
    if (vocab_.merges.empty()) fail("merges", "found none; allowed: a list");
    Merges merges;
    for (size_t i = 0; i < vocab_.merges.size(); ++i)
      merges.push_back(split_merge(vocab_.merges[i], text(place_, ": tokenizer.ggml.merges[", i, "]")));
    BpeOptions options;
    options.ignore_merges = cuts.ignore_merges;
    read_added();
    parts_.model = make_bpe(table([](int64_t t) { return t == kNormal || t == kByte; }), merges, options, place_);
    parts_.normalizer = cuts.normalizer;
    parts_.pre_tokenizer = cuts.pre_tokenizer;
    parts_.cuts = cuts.description;
    parts_.decoder = decode_byte_letters();
    return cuts.adds_bos;
  }

  /// Like T5's tokenizer.json: the character map, then one piece per word, each behind a mark.
  void read_unigram() {
    if (!vocab_.remove_extra_whitespaces.value_or(false) || !vocab_.add_space_prefix.value_or(true))
      fail(vocab_.add_space_prefix.value_or(true) ? "remove_extra_whitespaces" : "add_space_prefix",
           "found false; allowed: true, for t5");
    require_scores();
    read_added();
    if (!unknown_) fail("unknown_token_id", "found nothing; allowed: an id");
    UnigramOptions options;
    options.unknown = static_cast<uint32_t>(*unknown_);
    // Only normal pieces have meaningful scores: padding has -1000.
    std::vector<double> scores(vocab_.tokens.size(), 0.0);
    for (size_t i = 0; i < scores.size(); ++i) {
      if (type(i) == kNormal) scores[i] = double{vocab_.scores[i]};
      if (type(i) == kByte) fail(text("token_type[", i, "]"), "found 6, a byte; allowed: 1 to 5, for t5");
      if (type(i) == kControl || type(i) == kUnknown) options.special.insert(static_cast<uint32_t>(i));
    }
    parts_.model = make_unigram(table([](int64_t t) { return t != kUnused; }), scores, options, place_);
    if (!vocab_.precompiled_charsmap.empty())
      parts_.normalizer = charsmap_of_bytes(vocab_.precompiled_charsmap, place_ + ": tokenizer.ggml");
    const Json mark = {{"type", "Metaspace"}, {"replacement", kMark}, {"prepend_scheme", "always"}};
    cut_by({{"type", "Sequence"}, {"pretokenizers", {{{"type", "WhitespaceSplit"}}, mark}}});
    parts_.decoder = read_decoder(mark, place_, "");
  }

  /// Like BERT's tokenizer.json. In GGUF, the start of a word has a mark and continuations have no "##".
  void read_wordpiece() {
    if (!unknown_) fail("unknown_token_id", "found nothing; allowed: an id");
    const auto text_of = [this](size_t id) {
      const std::string& text = vocab_.tokens[id];
      const bool starts = text.rfind(kMark, 0) == 0;
      if (starts && type(id) != kControl) return text.substr(std::string(kMark).size());
      return type(id) == kNormal ? "##" + text : text;
    };
    read_added(text_of);
    TokenTable table;
    for (size_t i = 0; i < vocab_.tokens.size(); ++i)
      if (!table.add(text_of(i), static_cast<uint32_t>(i)))
        fail(text("tokens[", i, "]"), found(printable(vocab_.tokens[i]), " twice").allowed("once"));
    WordPieceOptions options;
    options.unknown = static_cast<uint32_t>(*unknown_);
    parts_.model = make_wordpiece(std::move(table), options);
    const bool lowercase = vocab_.lowercase.value_or(true);
    parts_.normalizer = read_normalizer({{"type", "BertNormalizer"},
                                         {"clean_text", true},
                                         {"handle_chinese_chars", true},
                                         {"strip_accents", vocab_.strip_accents.value_or(lowercase)},
                                         {"lowercase", lowercase}},
                                        place_, "");
    cut_by({{"type", "BertPreTokenizer"}});
    parts_.decoder = read_decoder({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}, place_, "");
  }

  /// [CLS] and [SEP], whose keys have several names.
  Tokenizer surrounded_by_separator() {
    const auto separator = id("seperator_token_id", vocab_.separator);
    if (vocab_.add_bos.value_or(true)) parts_.prefix = {required("bos_token_id", parts_.bos, "add_bos_token")};
    if (vocab_.add_sep.value_or(true))
      parts_.suffix = {required("seperator_token_id", separator ? separator : parts_.eos, "add_sep_token")};
    return Tokenizer(std::move(parts_));
  }

  const GgufVocabulary& vocab_;
  std::string place_;
  TokenizerParts parts_;
  std::optional<int64_t> unknown_;
};

}  // namespace

Tokenizer tokenizer_from_gguf(const GgufVocabulary& vocabulary, const std::string& place,
                              const std::optional<std::string>& pre) {
  return Reader(vocabulary, place).read(pre);
}

}  // namespace lw
