// Byte-pair encoding (Sennrich et al. 2016, arXiv 1508.07909), in the order of the tokenizers library, by ranks of
// merges, or in that of SentencePiece, by scores of pieces. Both take O(n log n) in the length of a piece.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/tokenizer/pair_table.h"
#include "harness/tokenizer/token_model.h"

namespace lw {

struct BpeOptions {
  std::optional<uint32_t> unknown;  // the token for symbols that are not in the vocabulary
  bool fuse_unknown = false;        // consecutive unknown symbols give one token
  bool byte_fallback = false;       // unknown symbols become <0xNN>, one token per byte
  bool ignore_merges = false;       // a piece that is itself a token is not split
};

using Merges = std::vector<std::pair<std::string, std::string>>;

/// @param place "tokenizer.json: model", for errors.
/// @throws Error(kInput) for a merge whose parts or result are not tokens.
std::unique_ptr<TokenModel> make_bpe(TokenTable table, const Merges& merges, const BpeOptions& options,
                                     const std::string& place);

/// SentencePiece's BPE: of all neighbours whose joint text is a piece, the one with the highest score is joined, the
/// leftmost of equals. After the joins, bytes stand for symbols that are not tokens. Byte tokens take no part in joins.
/// @param scores one per id; those of tokens that cannot be chosen do not count.
std::unique_ptr<TokenModel> make_scored_bpe(TokenTable table, const std::vector<float>& scores,
                                            const BpeOptions& options, const std::string& place);

}  // namespace lw
