// Tokenizers from the files of a Hugging Face folder.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/tokenizer/tokenizer.h"

namespace lw {

/// A tokenizer.json. Every field is understood or refused by name; `truncation` and `padding` are left out, with a
/// note. @param place what to call it in errors.
TokenizerParts read_tokenizer_json(std::string_view text, const std::string& place);

/// tokenizer.json, or else vocab.json and merges.txt of a GPT-2 or Qwen2 tokenizer; with the names of BOS and EOS
/// from tokenizer_config.json where that is there. What is put before a text is what tokenizer.json says.
/// @throws Error(kInput, kUnsupported).
Tokenizer tokenizer_from_folder(const std::filesystem::path& folder);

}  // namespace lw
