// Jobs on several threads.
#include "harness/base/parallel.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace lw::parallel_test {

TEST_CASE("every job is done once, whatever the number of threads", "[parallel]") {
  for (const int64_t threads : {0, 1, 2, 3, 8, 100}) {
    for (const int64_t count : {0, 1, 2, 7, 500}) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(count));
      run_jobs(count, threads, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
      int wrong = 0;
      for (const auto& times : done) wrong += times != 1;
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("jobs run on several threads, one job on one", "[parallel]") {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> waiting{0};
  run_jobs(2, 2, [&](int64_t) {  // each waits until the other has begun
    ++waiting;
    while (waiting < 2) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  CHECK(ids.size() == 2);
}

TEST_CASE("one thread takes the jobs in order", "[parallel]") {
  std::vector<int64_t> order;
  run_jobs(5, 1, [&](int64_t i) { order.push_back(i); });
  CHECK(order == std::vector<int64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("the first exception is thrown again and no new job is started", "[parallel]") {
  int done = 0;
  std::string message;
  try {
    run_jobs(100, 1, [&](int64_t i) {
      if (i == 3) throw std::runtime_error("job 3");
      ++done;
    });
  } catch (const std::runtime_error& e) {
    message = e.what();
  }
  CHECK(message == "job 3");
  CHECK(done == 3);

  std::atomic<int> started{0}, thrown{0};
  CHECK_THROWS_AS(run_jobs(100000, 4,
                           [&](int64_t) {
                             ++started;
                             ++thrown;
                             throw std::invalid_argument("all fail");
                           }),
                  std::invalid_argument);
  CHECK(started <= 4);
  CHECK(thrown >= 1);
}

// A signal stays noticed for the rest of the process; nothing else in this binary looks.
TEST_CASE("Ctrl-C and a request to end are noticed by the next look", "[parallel]") {
  const auto looks = []() -> std::string {
    try {
      throw_if_interrupted();
    } catch (const Interrupted& stop) {
      return stop.by_user ? "by the user" : "asked to end";
    }
    return "nothing";
  };
  CHECK(looks() == "nothing");
  watch_interrupts();
  std::raise(SIGTERM);
  CHECK(looks() == "asked to end");
  std::raise(SIGINT);
  CHECK(looks() == "by the user");
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace lw::parallel_test
