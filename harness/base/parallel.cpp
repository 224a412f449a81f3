#include "harness/base/parallel.h"

#include <atomic>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lw {
namespace {

std::atomic<int> caught{0};  // signal number
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch it");

extern "C" void on_interrupt(int signal) {
  caught = signal;
  std::signal(signal, SIG_DFL);  // a second one ends the program at once
}

}  // namespace

void run_jobs(int64_t count, int64_t threads, const std::function<void(int64_t)>& job) {
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr first;
  std::mutex mutex;
  const auto work = [&] {
    for (int64_t i = next++; i < count && !failed; i = next++) {
      try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        failed = true;
      }
    }
  };
  std::vector<std::thread> pool;
  for (int64_t i = 1; i < threads && i < count; ++i) pool.emplace_back(work);
  work();
  for (auto& t : pool) t.join();
  if (first) std::rethrow_exception(first);
}

void watch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

void throw_if_interrupted() {
  if (caught != 0) throw Interrupted{caught == SIGINT};
}

}  // namespace lw
