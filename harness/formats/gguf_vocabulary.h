// The vocabulary of a GGUF file as stored, with lengths and types checked.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lw {

class GgufFile;

struct GgufVocabulary {
  std::string model;                 // tokenizer.ggml.model: "llama" (SentencePiece BPE), "gpt2" (BPE), "t5", "bert"
  std::optional<std::string> pre;    // tokenizer.ggml.pre: how text is split before BPE; old files lack it
  std::vector<std::string> tokens;   // any bytes
  std::vector<float> scores;         // one per token, or none
  std::vector<int64_t> types;        // one per token, or none: 1 normal 2 unknown 3 control 4 user 5 unused 6 byte
  std::vector<std::string> merges;   // "left right", best first
  std::string precompiled_charsmap;  // of t5's normaliser, "" when absent
  std::optional<int64_t> bos, eos, unknown;  // 4294967295 in the file counts as absent
  // Likewise; may lie past the tokens, since most tokenizers use neither. The one that uses it refuses it.
  std::optional<int64_t> separator, padding;
  std::optional<bool> add_bos, add_eos, add_sep, add_space_prefix, remove_extra_whitespaces;
  std::optional<bool> lowercase, strip_accents;  // normalizer.* ("bert"); true, and as lowercase, when absent
};

/// @throws Error(kInput): "FILE: tokenizer.ggml.scores: found 511 values; allowed: 512, one for each token".
GgufVocabulary read_gguf_vocabulary(const GgufFile& file);

/// The rows of the embedding decide the size of the vocabulary; there may be more rows than tokens (padding).
/// @throws Error(kInput) when there are fewer, naming both numbers.
void require_rows_for_tokens(const GgufFile& file, int64_t rows);

}  // namespace lw
