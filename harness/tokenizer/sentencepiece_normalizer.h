// How a SentencePiece model changes a text before it is split: its map of characters, then blanks.
#pragma once
#include <string>

#include "harness/formats/sentencepiece_model.h"
#include "harness/tokenizer/byte_trie.h"
#include "harness/tokenizer/normalizer.h"

namespace lw {

/// At each place, a piece that a user defined stays as it is; else the longest entry of the map is replaced; else the
/// character stays. Blanks are then removed and marked as the model says.
Normalizer sentencepiece_normalizer(const SentencePieceModel& model, ByteTrie user_defined, const std::string& place);

/// What a blank becomes: U+2581, or a blank.
std::string sentencepiece_blank(const SentencePieceModel& model);

}  // namespace lw
