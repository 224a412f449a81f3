// What the checks of files measure, with any reader and writer.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "harness/selfcheck/finding.h"

namespace lw {

/// Flips single bits all over a file and asks each time whether it is good. Adds the whole file, as good where it is
/// accepted, and each flip, as good where it is refused. The file is as before afterwards.
/// @param accepts whether a reader takes the file as it is now.
void add_flipped_bits(const std::filesystem::path& file, const std::function<bool()>& accepts, FaultCount& found);

using WriteFile = std::function<void(const std::filesystem::path& path, std::string_view bytes)>;

/// Writes a new file, replaces it, and tries to replace a folder, which must fail. Adds for each whether the bytes are
/// whole, and whether no other file is left.
/// @param folder empty.
void add_writes(const std::filesystem::path& folder, const WriteFile& write, FaultCount& found);

}  // namespace lw
