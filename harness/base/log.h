// Messages for people: to stderr, and into run.log while a run is open.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace lw {

enum class LogLevel { kQuiet, kNormal, kVerbose };
void set_log_level(LogLevel level);

/// Appends every message to a file from now on. Only the file has times.
void log_to_file(const std::filesystem::path& path);

void log_info(const std::string& message);
void log_detail(const std::string& message);  // shown with -v, always in the file
void log_warning(const std::string& message);

/// A bar with an estimate of the time left, on a terminal; a line now and then elsewhere. Thread-safe.
class Progress {
 public:
  /// @param unit the unit of `total`: "steps". @param work where some steps take longer than others, the work of all of
  /// them in any unit of time or effort; the time left is estimated from it.
  Progress(std::string title, int64_t total, std::string unit, double work = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// @param work the part of the work that is done; without it, all steps count the same.
  void advance(int64_t done = 1, double work = 0);
  /// Ends the bar and leaves one line that says how much was done and how long it took.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Colour is wanted on stdout: it is a terminal, and NO_COLOR is not set.
bool color_on_stdout();

/// "0:42", "12:05", "1:02:33".
std::string clock_text(double seconds);

}  // namespace lw
