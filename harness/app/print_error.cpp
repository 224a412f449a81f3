#include "harness/app/print_error.h"

#include <unistd.h>

#include <cstdio>

#include "harness/base/problem.h"

namespace lw {

void print_error(const Error& error) {
  const auto* config = dynamic_cast<const ConfigErrors*>(&error);
  if (config == nullptr) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return;
  }
  const bool terminal = isatty(STDERR_FILENO) == 1;
  for (const auto& problem : config->problems()) {
    std::fprintf(stderr, "error: %s\n", problem.text().c_str());
    if (terminal) std::fputs(source_excerpt(problem.at).c_str(), stderr);
  }
}

}  // namespace lw
