#include "harness/app/print_error.h"

#include <c10/util/Exception.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "harness/base/printable.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"

namespace lw {
namespace {

/// The bytes of "... you tried to allocate 4398046511104 bytes ..."; "" where a message is about something else.
std::string bytes_asked_for(const std::string& message) {
  constexpr std::string_view kBefore = "tried to allocate ";
  const size_t begin = message.find(kBefore);
  if (begin == std::string::npos) return "";
  const size_t first = begin + kBefore.size();
  return message.substr(first, message.find_first_not_of("0123456789.", first) - first);
}

std::string out_of_memory(const std::string& bytes) {
  return "memory: " + found_what("a request for ", bytes, " bytes, which the system has no room for")
                          .allowed("what fits (shorter lengths, smaller tiles, a smaller model)");
}

/// LibTorch's message without its stack; all others have none.
std::string words_of(const std::exception& error) {
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  if (torch == nullptr) return error.what();
  const std::string message = torch->what_without_backtrace(), bytes = bytes_asked_for(message);
  return bytes.empty() ? "LibTorch: " + message.substr(0, message.find('\n')) : out_of_memory(bytes);
}

/// On one line, with nothing in it that a terminal obeys; of a line longer than any terminal its two ends.
std::string one_line(const std::string& message) {
  constexpr size_t kLongest = 4000, kEnd = 800;
  if (message.size() <= kLongest) return visible(message);
  size_t begin = kLongest - kEnd, end = message.size() - kEnd;
  while (begin > 0 && (static_cast<unsigned char>(message[begin]) & 0xC0) == 0x80) --begin;
  while (end < message.size() && (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80) ++end;
  return visible(message.substr(0, begin)) + text(" ... (", end - begin, " bytes left out) ... ") +
         visible(message.substr(end));
}

}  // namespace

void print_error(const Error& error) {
  const auto* config = dynamic_cast<const ConfigErrors*>(&error);
  if (config == nullptr) {
    std::fprintf(stderr, "error: %s\n", one_line(error.what()).c_str());
    return;
  }
  const bool terminal = isatty(STDERR_FILENO) == 1;
  constexpr size_t kMost = 100;
  const auto& problems = config->problems();
  for (size_t i = 0; i < std::min(kMost, problems.size()); ++i) {
    std::fprintf(stderr, "error: %s\n", one_line(problems[i].text()).c_str());
    if (terminal) std::fputs(source_excerpt(problems[i].at).c_str(), stderr);
  }
  if (problems.size() > kMost)
    std::fprintf(stderr, "error: %s: %zu errors more\n", problems[0].at.file.c_str(), problems.size() - kMost);
}

void print_error(const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", one_line(words_of(error)).c_str());
}

}  // namespace lw
