// What a file really is when it is not what its name promises, worded so that the reader knows what to do.
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace lw {

/// "a Git LFS pointer, not the file itself; get it with 'git lfs pull'", or "" when nothing is recognised.
/// Knows: empty files, Git LFS pointers, HTML and XML pages, JSON, GGUF, GGML before GGUF, safetensors, zip
/// archives and pickles (PyTorch's own files), gzip.
std::string recognised_kind(std::span<const std::byte> bytes);

}  // namespace lw
