// Tokenizers from the files of a Hugging Face folder.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/tokenizer/tokenizer.h"

namespace lw {

/// A tokenizer.json. Every field is understood or refused by name; `truncation` and `padding` are skipped, with a
/// note. @param place for errors.
TokenizerParts read_tokenizer_json(std::string_view text, const std::string& place);

/// tokenizer.json, or else vocab.json and merges.txt of a GPT-2 or Qwen2 tokenizer, or else SentencePiece's
/// tokenizer.model or spiece.model; BOS and EOS are named by tokenizer_config.json where it exists. tokenizer.json
/// alone decides what is put before a text; for SentencePiece, tokenizer_config.json does.
/// @throws Error(kInput).
Tokenizer tokenizer_from_folder(const std::filesystem::path& folder);

/// A tokenizer.json or a SentencePiece .model alone, without what other files add. @throws Error(kInput).
Tokenizer tokenizer_from_file(const std::filesystem::path& path);
/// By its name; false where it does not exist.
bool is_tokenizer_file(const std::filesystem::path& path);

}  // namespace lw
