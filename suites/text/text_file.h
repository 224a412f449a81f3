// Reads a file of UTF-8 text that an option names.
#pragma once
#include <string>
#include <string_view>

namespace lw {

class ConfigNode;

struct TextFile {
  std::string text;
  std::string hash;  // SHA-256 of the bytes
};

/// Reads the file named under `key`, relative to where the program runs; nothing when describing, or where another
/// option was refused.
/// @throws Error(kConfig) at the key when it cannot be read, is empty or is not UTF-8.
TextFile read_text_file(const ConfigNode& options, std::string_view key, const std::string& path);

}  // namespace lw
