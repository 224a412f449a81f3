// Text to token ids and back, exactly as the library that a checkpoint was trained with does it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/tokenizer/added_tokens.h"
#include "harness/tokenizer/decoder.h"
#include "harness/tokenizer/normalizer.h"
#include "harness/tokenizer/pre_tokenizer.h"
#include "harness/tokenizer/token_model.h"

namespace lw {

struct EncodeOptions {
  /// Put what the tokenizer declares (BOS; [CLS] and [SEP]) before and after the text, unless the text's ids begin or
  /// end with it already.
  bool add_special = false;
  /// A special token spelled out in the text becomes its id; otherwise it is ordinary text.
  bool parse_special = false;
};

struct Encoding {
  std::vector<int64_t> ids;
  std::vector<TextSpan> spans;  // the bytes of the text behind each id; empty for ids that were added
};

/// The steps of a tokenizer, in the order in which they run.
struct TokenizerParts {
  AddedTokens added;
  Normalizer normalizer;       // may be empty
  PreTokenizer pre_tokenizer;  // may be empty
  std::unique_ptr<TokenModel> model;
  std::vector<int64_t> prefix;  // what the tokenizer puts before a text,
  std::vector<int64_t> suffix;  // and after it
  Decoder decoder;
  std::optional<int64_t> bos;
  std::optional<int64_t> eos;
  std::string cuts = "nothing";    // what splits a text before the model sees it: describe_cuts()
  std::vector<std::string> notes;  // what a user should know about how the file was read
};

class Tokenizer {
 public:
  explicit Tokenizer(TokenizerParts parts);

  /// @param text valid UTF-8, up to 256 MiB. @throws Error(kInput) with the offset of the first fault, or naming a
  ///   character that no token covers. Thread-safe.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// UTF-8, with U+FFFD for invalid bytes. @throws Error(kInput) for an id that does not exist.
  std::string decode(const std::vector<int64_t>& ids, bool skip_special = false) const;

  /// The token as the vocabulary spells it. @throws Error(kInput) if there is none.
  const std::string& id_to_token(int64_t id) const;
  std::optional<int64_t> token_to_id(std::string_view token) const;
  bool has(int64_t id) const;
  /// The highest id plus one. A model may have more rows (padding), never fewer.
  int64_t size() const { return size_; }
  std::optional<int64_t> bos() const { return parts_.bos; }
  std::optional<int64_t> eos() const { return parts_.eos; }
  std::optional<int64_t> unknown() const;
  const std::vector<int64_t>& prefix() const { return parts_.prefix; }
  const std::vector<int64_t>& suffix() const { return parts_.suffix; }
  const AddedTokens& added() const { return parts_.added; }
  /// "ByteLevel (gpt2, pattern 0a1b2c3d4e5f)": what splits a text, with the hash of each pattern.
  const std::string& cuts() const { return parts_.cuts; }
  const std::vector<std::string>& notes() const { return parts_.notes; }

 private:
  class Words;
  void encode_piece(const AlignedText& piece, Words& words, Encoding& out) const;
  void encode_text(AlignedText text, bool parse_special, Words& words, Encoding& out) const;

  TokenizerParts parts_;
  int64_t size_ = 0;
};

/// SHA-256 of the ids as 64-bit little-endian numbers: equal if and only if the sequences are.
std::string hash_ids(const std::vector<int64_t>& ids);

/// "286,221 tokens, ids 0a1b2c3d4e5f, no BOS": printed beside every perplexity.
std::string token_line(const Tokenizer& tokenizer, const std::vector<int64_t>& ids);

}  // namespace lw
