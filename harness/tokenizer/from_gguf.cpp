#include "harness/tokenizer/from_gguf.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/error.h"
#include "harness/tokenizer/bpe.h"
#include "harness/tokenizer/cuts.h"
#include "harness/tokenizer/tokenizer_file.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

constexpr const char* kMark = "\xE2\x96\x81";  // U+2581, a space of SentencePiece

enum TokenType { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

class Reader {
 public:
  Reader(const GgufTokens& vocabulary, std::string place) : vocab_(vocabulary), place_(std::move(place)) {}

  Tokenizer read(const std::optional<std::string>& pre) {
    check_arrays();
    parts_.bos = id("bos_token_id", vocab_.bos);
    parts_.eos = id("eos_token_id", vocab_.eos);
    unknown_ = id("unknown_token_id", vocab_.unknown);
    bool adds_bos = false;
    if (vocab_.model == "llama") {
      read_sentencepiece();
      adds_bos = true;
    } else if (vocab_.model == "gpt2") {
      adds_bos = read_byte_level(pre);
    } else {
      fail("model", "found '" + vocab_.model + "'; allowed: gpt2, llama", ErrorKind::kUnsupported);
    }
    if (vocab_.add_bos.value_or(adds_bos)) parts_.prefix = {required("bos_token_id", parts_.bos, "add_bos_token")};
    if (vocab_.add_eos.value_or(false)) parts_.suffix = {required("eos_token_id", parts_.eos, "add_eos_token")};
    return Tokenizer(std::move(parts_));
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what, ErrorKind kind = ErrorKind::kInput) const {
    throw Error(kind, place_ + ": tokenizer.ggml." + key + ": " + what);
  }

  int64_t required(const char* key, std::optional<int64_t> id, const char* flag) const {
    if (!id) fail(key, std::string("found nothing, though ") + flag + " is set or the default; allowed: an id");
    return *id;
  }

  std::optional<int64_t> id(const char* key, std::optional<int64_t> id) const {
    if (!id || *id == -1 || *id == 0xFFFFFFFF) return std::nullopt;
    if (*id < 0 || *id >= static_cast<int64_t>(vocab_.tokens.size()))
      fail(key, "found " + std::to_string(*id) + "; allowed: 0 to " + std::to_string(vocab_.tokens.size() - 1));
    return id;
  }

  void check_arrays() const {
    const size_t count = vocab_.tokens.size();
    if (count == 0 || count > 0x7FFFFFFF)
      fail("tokens", "found " + std::to_string(count) + " tokens; allowed: 1 or more");
    const auto check_size = [&](const char* key, size_t size, bool needed) {
      if (size != count && (needed || size != 0))
        fail(key, "found " + std::to_string(size) + " values; allowed: " + std::to_string(count) + ", one a token");
    };
    check_size("scores", vocab_.scores.size(), vocab_.model == "llama");
    check_size("token_type", vocab_.types.size(), false);
    for (size_t i = 0; i < count; ++i) {
      if (find_invalid_utf8(vocab_.tokens[i]) != std::string::npos)
        fail("tokens[" + std::to_string(i) + "]", "found bytes that are not UTF-8; allowed: UTF-8");
      if (type(i) < kNormal || type(i) > kByte)
        fail("token_type[" + std::to_string(i) + "]", "found " + std::to_string(type(i)) + "; allowed: 1 to 6");
    }
  }

  int32_t type(size_t id) const { return vocab_.types.empty() ? kNormal : vocab_.types[id]; }

  /// Only tokens of the types that `findable` names can come out of the model; the first of equal ones counts.
  template <class Findable>
  TokenTable table(Findable findable) const {
    TokenTable table;
    for (size_t i = 0; i < vocab_.tokens.size(); ++i) {
      const bool found = findable(type(i));
      if (found && table.find(vocab_.tokens[i]))
        fail("tokens[" + std::to_string(i) + "]", "found '" + vocab_.tokens[i] + "' twice; allowed: once");
      table.add(vocab_.tokens[i], static_cast<uint32_t>(i), found);
    }
    return table;
  }

  void read_added() {
    std::vector<AddedToken> added;
    for (size_t i = 0; i < vocab_.tokens.size(); ++i) {
      const bool special = type(i) == kControl || type(i) == kUnknown;
      if ((!special && type(i) != kUserDefined) || vocab_.tokens[i].empty()) continue;
      AddedToken token;
      token.id = static_cast<uint32_t>(i);
      token.content = vocab_.tokens[i];
      token.special = special;
      added.push_back(std::move(token));
    }
    parts_.added = AddedTokens(std::move(added), nullptr);
  }

  void read_sentencepiece() {
    if (vocab_.remove_extra_whitespaces.value_or(false))
      fail("remove_extra_whitespaces", "found true; allowed: false", ErrorKind::kUnsupported);
    if (!std::all_of(vocab_.scores.begin(), vocab_.scores.end(), [](float score) { return !std::isnan(score); }))
      fail("scores", "found NaN; allowed: numbers");
    read_added();
    BpeOptions options;
    options.byte_fallback = true;
    options.fuse_unknown = true;
    if (unknown_) options.unknown = static_cast<uint32_t>(*unknown_);
    parts_.model = make_scored_bpe(table([](int32_t t) { return t == kNormal || t == kUserDefined || t == kByte; }),
                                   vocab_.scores, options, place_);
    const bool prefix = vocab_.add_space_prefix.value_or(true);
    parts_.normalizer = [lead = prepend(" "), marks = replace(match_text(" "), kMark), prefix](AlignedText& text) {
      if (prefix) lead(text);
      marks(text);
    };
    parts_.decoder = decode_sentencepiece(kMark, prefix);
  }

  /// @return whether such models add a BOS where the file does not say.
  bool read_byte_level(const std::optional<std::string>& pre) {
    const std::string name = pre ? *pre : vocab_.pre.value_or("");
    if (name.empty() || name == "default")
      fail("pre", (name.empty() ? "found nothing" : "found 'default'") +
                      std::string(": how this model cuts text is not known; name it. Allowed: ") + join(cut_names()));
    const Cuts cuts = cuts_by_name(name, pre ? "pre-tokenizer" : place_ + ": tokenizer.ggml.pre");
    if (vocab_.merges.empty()) fail("merges", "found none; allowed: a list");
    Merges merges;
    for (size_t i = 0; i < vocab_.merges.size(); ++i)
      merges.push_back(split_merge(vocab_.merges[i], place_ + ": tokenizer.ggml.merges[" + std::to_string(i) + "]"));
    BpeOptions options;
    options.ignore_merges = cuts.ignore_merges;
    read_added();
    parts_.model = make_bpe(table([](int32_t t) { return t == kNormal || t == kByte; }), merges, options, place_);
    parts_.normalizer = cuts.normalizer;
    parts_.pre_tokenizer = cuts.pre_tokenizer;
    parts_.decoder = decode_byte_letters();
    return cuts.adds_bos;
  }

  const GgufTokens& vocab_;
  std::string place_;
  TokenizerParts parts_;
  std::optional<int64_t> unknown_;
};

}  // namespace

Tokenizer tokenizer_from_gguf(const GgufTokens& vocabulary, const std::string& place,
                              const std::optional<std::string>& pre) {
  return Reader(vocabulary, place).read(pre);
}

}  // namespace lw
