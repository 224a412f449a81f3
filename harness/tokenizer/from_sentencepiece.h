// Tokenizers from SentencePiece's .model files, with ids equal to those of the sentencepiece library.
#pragma once
#include <filesystem>
#include <string>

#include "harness/formats/sentencepiece_model.h"
#include "harness/tokenizer/tokenizer.h"

namespace lw {

/// Control pieces and <unk> are matched only with parse_special; the library never matches them. Nothing is put before
/// or after a text: the file does not say what its model was trained with.
/// @param place the file, for errors. @throws Error(kInput) for models of words or characters, and for pieces of type
/// UNUSED in a BPE model.
TokenizerParts read_sentencepiece(const SentencePieceModel& model, const std::string& place);
/// The same from a file.
TokenizerParts read_sentencepiece_file(const std::filesystem::path& path);

}  // namespace lw
