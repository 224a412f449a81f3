// How the stages of a run do their work; what they give does not depend on it.
#pragma once
#include <cstdint>
#include <string>

namespace lw {

struct StageOptions {
  int64_t threads = 1;  // jobs at once; each runs on one thread, so results do not depend on it
  std::string device = "cpu";
  bool fresh = false;  // ignore what the store holds
};

}  // namespace lw
