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
  std::string model;                // "llama" (SentencePiece BPE) or "gpt2" (byte-level BPE)
  std::optional<std::string> pre;   // how the text is cut
  std::vector<std::string> tokens;  // by id
  std::vector<float> scores;        // one a token ("llama")
  std::vector<int32_t> types;       // token_type, one a token: 1 normal, 2 unknown, 3 control, 4 user-defined,
                                    // 5 unused, 6 byte; empty: all normal
  std::vector<std::string> merges;  // "a b" ("gpt2")
  std::optional<int64_t> bos;
  std::optional<int64_t> eos;
  std::optional<int64_t> unknown;
  std::optional<bool> add_bos;
  std::optional<bool> add_eos;
  std::optional<bool> add_space_prefix;
  std::optional<bool> remove_extra_whitespaces;
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
