// The memory that the system gives this process.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

namespace lw {

/// Keeps freed memory, for the whole process: attention frees and takes the same megabytes at every layer, and giving
/// them back to the system each time costs more than the arithmetic of a tiny model.
void keep_freed_memory();

/// By how many bytes the process grew while `work` ran, at the most: what the system had to give, gaps between tensors
/// included. Measured, so it differs from run to run; it counts other threads too. Freed memory is given back first.
/// nullopt where the system does not tell.
std::optional<int64_t> resident_peak_of(const std::function<void()>& work);

}  // namespace lw
