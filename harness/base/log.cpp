#include "harness/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/printable.h"

namespace lw {
namespace {
using Clock = std::chrono::steady_clock;

struct Loggers {
  std::shared_ptr<spdlog::logger> terminal, file;
  LogLevel level = LogLevel::kNormal;
  std::mutex mutex;  // a message and a progress bar share one line of the terminal
  std::string bar;   // what is drawn at the moment, "" for nothing
};

Loggers& loggers() {
  static Loggers all;
  static const bool once = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
        ::getenv("NO_COLOR") == nullptr ? spdlog::color_mode::automatic : spdlog::color_mode::never);
    all.terminal = std::make_shared<spdlog::logger>("terminal", sink);
    all.terminal->set_pattern("%^%v%$");
    all.terminal->set_level(spdlog::level::debug);
    return true;
  }();
  (void)once;
  return all;
}

void erase_bar(const Loggers& all) {
  if (!all.bar.empty()) std::fputs("\r\033[K", stderr);
}

void draw_bar(const Loggers& all) {
  if (all.bar.empty()) return;
  std::fputs(all.bar.c_str(), stderr);
  std::fflush(stderr);
}

void write(spdlog::level::level_enum level, const std::string& text, bool shown) {
  Loggers& all = loggers();
  const std::string message = find_invisible(text) == std::string::npos ? text : visible(text);
  const std::lock_guard lock(all.mutex);
  if (all.file) all.file->log(level, "{}", message);
  if (!shown) return;
  erase_bar(all);
  all.terminal->log(level, "{}", message);
  all.terminal->flush();
  draw_bar(all);
}

}  // namespace

void set_log_level(LogLevel level) { loggers().level = level; }

void log_to_file(const std::filesystem::path& path) {
  Loggers& all = loggers();
  const std::lock_guard lock(all.mutex);
  try {
    all.file = std::make_shared<spdlog::logger>(
        "file", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string(), false));
  } catch (const spdlog::spdlog_ex& e) {
    throw Error(ErrorKind::kRuntime, path.string() + ": cannot be written: " + e.what());
  }
  all.file->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  all.file->set_level(spdlog::level::debug);
  all.file->flush_on(spdlog::level::debug);
}

void log_info(const std::string& message) { write(spdlog::level::info, message, loggers().level != LogLevel::kQuiet); }
void log_detail(const std::string& message) {
  write(spdlog::level::debug, message, loggers().level == LogLevel::kVerbose);
}
void log_warning(const std::string& message) { write(spdlog::level::warn, "warning: " + message, true); }

std::string clock_text(double seconds) {
  const auto s = static_cast<int64_t>(std::max(0.0, seconds) + 0.5);
  const auto two = [](int64_t v) { return (v < 10 ? "0" : "") + std::to_string(v); };
  if (s < 3600) return std::to_string(s / 60) + ":" + two(s % 60);
  return std::to_string(s / 3600) + ":" + two(s / 60 % 60) + ":" + two(s % 60);
}

struct Progress::Impl {
  std::string title, unit;
  int64_t total = 0, done = 0;
  double work = 0, worked = 0;
  Clock::time_point begin = Clock::now(), drawn = begin, told = begin;
  bool terminal = ::isatty(STDERR_FILENO) == 1;
  bool finished = false;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }

  double share() const {
    if (work > 0) return std::clamp(worked / work, 0.0, 1.0);
    return total > 0 ? double(done) / double(total) : 1.0;
  }

  std::string left() const {
    if (share() <= 0 || seconds() < 0.5) return "";
    return "  " + clock_text(seconds() / share() - seconds()) + " left";
  }

  std::string text() const {
    constexpr int64_t kWidth = 24;
    const auto filled = static_cast<size_t>(share() * kWidth);
    return "\r\033[K" + title + "  [" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] " +
           std::to_string(static_cast<int>(100 * share())) + "%  " + format_grouped(done) + "/" +
           format_grouped(total) + " " + unit + left();
  }
};

Progress::Progress(std::string title, int64_t total, std::string unit, double work) : impl_(std::make_unique<Impl>()) {
  impl_->title = std::move(title);
  impl_->unit = std::move(unit);
  impl_->total = total;
  impl_->work = work;
}

Progress::~Progress() {
  if (impl_->finished) return;
  Loggers& all = loggers();
  const std::lock_guard lock(all.mutex);
  erase_bar(all);
  all.bar.clear();
}

void Progress::advance(int64_t done, double work) {
  Loggers& all = loggers();
  std::string line;
  {
    const std::lock_guard lock(all.mutex);
    impl_->done += done;
    impl_->worked += work > 0 ? work : double(done);
    if (all.level == LogLevel::kQuiet) return;
    const auto now = Clock::now();
    if (impl_->terminal) {
      if (now - impl_->drawn < std::chrono::milliseconds(100)) return;
      impl_->drawn = now;
      all.bar = impl_->text();
      draw_bar(all);
    } else if (now - impl_->told > std::chrono::seconds(20)) {
      impl_->told = now;
      line = impl_->title + ": " + format_grouped(impl_->done) + " of " + format_grouped(impl_->total) + " " +
             impl_->unit + impl_->left();
    }
  }
  if (!line.empty()) log_info(line);
}

void Progress::finish() {
  {
    Loggers& all = loggers();
    const std::lock_guard lock(all.mutex);
    erase_bar(all);
    all.bar.clear();
    impl_->finished = true;
  }
  log_info(impl_->title + ": " + format_grouped(impl_->done) + " " + impl_->unit + " in " +
           clock_text(impl_->seconds()));
}

bool color_on_stdout() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace lw
