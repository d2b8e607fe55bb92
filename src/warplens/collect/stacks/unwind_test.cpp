// Stacks of threads that wait and of threads that run, against what they are known to be in.
#include "warplens/collect/stacks/unwind.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "warplens/collect/settings/settings.h"
#include "warplens/collect/stacks/native_names.h"
#include "warplens/collect/stacks/thread_copy.h"

namespace warplens::collect {

std::atomic<bool> leave{false};
int pipe_ends[2];

// Not in the unnamed namespace, whose functions have no names in tables.
__attribute__((noinline)) int wait_in_poll(int deep) {
  if (deep > 0) return wait_in_poll(deep - 1) + 1;
  pollfd end = {pipe_ends[0], POLLIN, 0};
  return ::poll(&end, 1, -1);
}

__attribute__((noinline)) uint64_t compute_aligned(uint64_t from) {
  alignas(64) volatile uint64_t values[16] = {};  // the frame is aligned, so that its caller's place is an expression
  for (uint64_t i = from; !leave.load(std::memory_order_relaxed); ++i) values[i % 16] = values[i % 16] + i;
  return values[from % 16];
}

__attribute__((noinline)) uint64_t compute_outer(size_t bytes) {
  volatile auto* more = static_cast<uint8_t*>(__builtin_alloca(bytes));  // the frame's size is not known
  more[0] = 1;
  return compute_aligned(bytes) + more[0];
}

namespace {

/// The functions of a thread that runs `work`, once it is in `state`; outermost first.
template <typename Work>
std::string stack_of(Work work, HostState state) {
  std::atomic<uint32_t> id{0};
  std::thread thread([&] {
    id = static_cast<uint32_t>(::syscall(SYS_gettid));
    work();
  });
  while (id == 0) ::usleep(100);
  LoadedCode code;
  NativeNames names;
  std::string out;
  for (int i = 0; i < 2000 && out.find("work") == std::string::npos && out.find("wait_in_poll") == std::string::npos &&
                  out.find("compute_aligned") == std::string::npos;
       ++i) {
    ::usleep(1000);
    const ThreadNow now = look_at_thread(id);
    if (now.state != state) continue;
    ThreadCopy copy;
    copy_thread(id, now, true, &copy);
    std::vector<std::string> frames;
    for (const uint64_t place : code.unwind(copy)) frames.push_back(names.at(place).text);
    out = join_frames(std::move(frames));
  }
  leave = true;
  EXPECT_EQ(::write(pipe_ends[1], "x", 1), 1);
  thread.join();
  return out;
}

size_t times(const std::string& text, std::string_view part) {
  size_t out = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

class Unwind : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "stacks are read on x86-64 alone";
#endif
    if (look_at_thread(static_cast<uint32_t>(::syscall(SYS_gettid))).state == HostState::kUnknown)
      GTEST_SKIP() << "this kernel does not tell what threads do";
    sigset_t asked;  // whoever started the test may block it, and threads begin with their maker's mask
    ::sigemptyset(&asked);
    ::sigaddset(&asked, kStackSignal);
    ::pthread_sigmask(SIG_UNBLOCK, &asked, nullptr);
    prepare_thread_copies();
    leave = false;
    ASSERT_EQ(::pipe(pipe_ends), 0);
  }
};

TEST_F(Unwind, AThreadThatWaits) {
  const std::string stack = stack_of([] { wait_in_poll(5); }, HostState::kInput);
  EXPECT_EQ(times(stack, "warplens::collect::wait_in_poll"), 6U) << stack;
  EXPECT_NE(stack.find("libc.so.6: "), std::string::npos) << stack;
}

TEST_F(Unwind, AThreadThatRuns) {
  const std::string stack = stack_of([] { compute_outer(100); }, HostState::kRunning);
  EXPECT_LT(stack.find("compute_outer"), stack.find("compute_aligned")) << stack;
  EXPECT_NE(stack.find("compute_aligned"), std::string::npos) << stack;
}

TEST(UnwindDamaged, StacksOfNonsenseEnd) {
  LoadedCode code;
  ThreadCopy copy;
  copy.registers.set(kStackPointer, 0x1000);
  copy.registers.set(kReturnColumn, reinterpret_cast<uint64_t>(&compute_outer));
  copy.stack.assign(4096, 0x5a);
  EXPECT_EQ(code.unwind(copy).size(), 1U);
  copy.stack.clear();
  EXPECT_TRUE(code.unwind(copy).empty());
}

TEST(UnwindDamaged, TablesOfNonsenseGiveNoRules) {
  std::array<uint8_t, 256> bytes{};
  uint32_t seed = 1;
  for (int round = 0; round < 20000; ++round) {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((seed = seed * 1664525 + 1013904223) >> 24);
    constexpr std::array<uint8_t, 12> kHeader = {1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1, 0, 0, 0};
    std::copy(kHeader.begin(), kHeader.end(), bytes.begin());
    const std::array<int32_t, 2> row = {0, 20};
    std::memcpy(bytes.data() + kHeader.size(), row.data(), sizeof row);
    frame_rule({bytes.data(), bytes.data() + bytes.size()}, bytes.data(), reinterpret_cast<uint64_t>(bytes.data()) + 4);
  }
}

}  // namespace
}  // namespace warplens::collect
