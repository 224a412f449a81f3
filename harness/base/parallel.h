// Independent jobs on several threads, each job whole on one thread, so that results do not depend on
// how many there are.
#pragma once
#include <cstdint>
#include <functional>

namespace lw {

/// Calls job(0) .. job(count - 1), each once, on up to `threads` threads. When one throws, no new job is
/// started and the first exception is thrown again here.
void run_jobs(int64_t count, int64_t threads, const std::function<void(int64_t)>& job);

/// Thrown out of long work after Ctrl-C, or after a request to end; what is complete is kept.
struct Interrupted {
  bool by_user = true;  // SIGINT; else SIGTERM
};
void watch_interrupts();
void throw_if_interrupted();

}  // namespace lw
