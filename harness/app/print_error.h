// How the program says what went wrong.
#pragma once
#include <exception>

#include "harness/base/error.h"

namespace lw {

/// One line on stderr for each thing that is wrong, "error: FILE:LINE:COLUMN: KEY: found …; allowed: …". In a terminal
/// the line of the file follows, with a caret under the column.
void print_error(const Error& error);
/// The same for what others throw: LibTorch without its stack, and memory that is not there in our words.
void print_error(const std::exception& error);

}  // namespace lw
