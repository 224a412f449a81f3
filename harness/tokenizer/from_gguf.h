// Tokenizers from the vocabulary of a GGUF file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/tokenizer/tokenizer.h"

namespace lw {

/// The keys tokenizer.ggml.* as they stand in the file. An id of 2^32 - 1 says that there is none.
struct GgufTokens {
  std::string model;                // "llama" (SentencePiece BPE), "gpt2" (byte-level BPE), "bert" (WordPiece) or
                                    // "t5" (Unigram)
  std::optional<std::string> pre;   // how the text is cut
  std::vector<std::string> tokens;  // by id
  std::vector<float> scores;        // one a token ("llama", "t5")
  std::vector<int32_t> types;       // token_type, one a token: 1 normal, 2 unknown, 3 control, 4 user-defined,
                                    // 5 unused, 6 byte; empty: all normal
  std::vector<std::string> merges;  // "a b" ("gpt2")
  std::optional<int64_t> bos;
  std::optional<int64_t> eos;
  std::optional<int64_t> unknown;
  std::optional<int64_t> separator;  // after a text ("bert")
  std::optional<bool> add_bos;
  std::optional<bool> add_eos;
  std::optional<bool> add_sep;
  std::optional<bool> add_space_prefix;
  std::optional<bool> remove_extra_whitespaces;
  std::string precompiled_charsmap;              // "t5"; empty: none
  std::optional<bool> lowercase, strip_accents;  // normalizer.* ("bert"); true, and as lowercase, when absent
};

/// @param place the file, for errors. @param pre what the user says instead of `pre`: old files carry none or
/// "default".
/// @throws Error(kInput, kUnsupported) naming the key.
///
/// Control tokens are sought only where specials are asked for, user-defined ones always; of two that overlap, the
/// leftmost and longest counts (llama.cpp: the longest of the whole text).
Tokenizer tokenizer_from_gguf(const GgufTokens& vocabulary, const std::string& place,
                              const std::optional<std::string>& pre = std::nullopt);

}  // namespace lw
