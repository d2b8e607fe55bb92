#include "warplens/base/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace warplens {
namespace {

uint64_t sum_to(size_t count, size_t threads) {
  std::atomic<uint64_t> sum{0};
  parallel_for(count, threads, [&](size_t i) { sum += i + 1; });
  return sum;
}

TEST(Threads, EveryItemOnceAtAnyNumberOfThreads) {
  for (const size_t threads : {1, 2, 3, 8, 3, 2, 1}) {
    for (const size_t count : {0, 1, 2, 100}) EXPECT_EQ(sum_to(count, threads), count * (count + 1) / 2);
  }
}

TEST(Threads, ItemsRunAtTheSameTime) {  // each waits for all others
  std::atomic<int> here{0};
  for (int round = 1; round <= 3; ++round)
    parallel_for(4, 4, [&](size_t) {
      ++here;
      while (here < 4 * round) std::this_thread::yield();
    });
  EXPECT_EQ(here, 12);
}

TEST(Threads, CallsWithinCallsAndFromSeveralThreads) {
  std::vector<uint64_t> sums(12);
  parallel_for(4, 4, [&](size_t i) { parallel_for(3, 3, [&](size_t j) { sums[i * 3 + j] = sum_to(100, 2); }); });
  for (const uint64_t sum : sums) EXPECT_EQ(sum, 5050u);
}

TEST(Threads, AForkedProcessHasItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer starts no threads in forked processes";
#endif
  EXPECT_EQ(sum_to(100, 4), 5050u);
  const pid_t child = fork();
  if (child == 0) _exit(sum_to(100, 4) == 5050 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace warplens
