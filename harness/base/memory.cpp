#include "harness/base/memory.h"

#include <malloc.h>

#include <fstream>
#include <string>

namespace lw {
namespace {

/// A line of /proc/self/status, "VmHWM:   1234 kB", in bytes.
std::optional<int64_t> status_bytes(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    int64_t kilobytes = 0;
    if (word == name + ":" && in >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

/// Lets the peak start anew at what the process holds now.
bool reset_peak() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5";
  out.flush();
  return out.good();
}

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

std::optional<int64_t> resident_peak_of(const std::function<void()>& work) {
  malloc_trim(0);
  const bool reset = reset_peak();
  const auto before = status_bytes("VmRSS");
  work();
  const auto peak = status_bytes("VmHWM");
  if (!reset || !before || !peak) return std::nullopt;
  return *peak > *before ? *peak - *before : 0;
}

}  // namespace lw
