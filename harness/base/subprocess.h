// Runs a program of the system, without a shell.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// The first executable file of that name in PATH; absent where there is none.
std::optional<std::filesystem::path> find_program(std::string_view name);

struct ProcessLimits {
  std::chrono::milliseconds time = std::chrono::minutes(2);
  uintmax_t bytes = 1U << 28U;  // of stdout, and of stderr
};

struct ProcessResult {
  int status = 0;   // exit status; 128 + N where signal N ended it
  std::string out;  // stdout, byte for byte
  std::string err;  // the end of stderr
};

/// Runs `argv`, whose first word is the program's path or a name in PATH, and waits for its end.
/// @param input what it reads from stdin.
/// @throws Error(kRuntime) when it cannot be started or exceeds a limit, Interrupted after Ctrl-C. Whatever it started
/// is then ended, too.
ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input = {},
                          const ProcessLimits& limits = {});

/// The same for a program that must succeed. @returns its stdout.
/// @throws Error(kRuntime) also for a status other than 0, with the last line of stderr: "rsvg-convert: failed with
/// status 1: …".
std::string output_of(const std::vector<std::string>& argv, std::string_view input = {},
                      const ProcessLimits& limits = {});

}  // namespace lw
