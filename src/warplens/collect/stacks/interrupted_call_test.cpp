#include "warplens/collect/stacks/interrupted_call.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace warplens::collect {
namespace {

#if defined(__x86_64__)
constexpr timespec kShort = {0, 30'000'000};

std::atomic<int> signals{0};

void on_signal(int, siginfo_t*, void* context) {
  ++signals;
  resume_interrupted_call(static_cast<ucontext_t*>(context));
}

/// Does `call` on a thread of its own that is sent signals meanwhile; how many came.
int while_signalled(const std::function<void()>& call) {
  struct sigaction ours{};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGUSR2, &ours, nullptr);
  signals = 0;
  std::atomic<bool> ended{false};
  std::thread thread([&] {
    call();
    ended = true;
  });
  for (int i = 0; i < 8 && !ended; ++i) {
    ::usleep(2000);
    if (!ended) ::pthread_kill(thread.native_handle(), SIGUSR2);
  }
  thread.join();
  return signals;
}

struct Case {
  std::string name;
  std::function<long()> call;
  long result;
  int error;  // 0: none
};

/// Each waits until its time is over, and would end early were it interrupted.
std::vector<Case> waits() {
  static int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const timeval limit = {0, 30'000};
  ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  static const int events = ::epoll_create1(0);
  static char byte;
  return {
      {"poll", [] { return ::poll(nullptr, 0, 30); }, 0, 0},
      {"select",
       [] {
         timeval time = {0, 30'000};
         return ::select(0, nullptr, nullptr, nullptr, &time);
       },
       0, 0},
      {"pselect", [] { return ::pselect(0, nullptr, nullptr, nullptr, &kShort, nullptr); }, 0, 0},
      {"epoll_wait",
       [] {
         epoll_event event;
         return ::epoll_wait(events, &event, 1, 30);
       },
       0, 0},
      {"nanosleep", [] { return ::nanosleep(&kShort, nullptr); }, 0, 0},
      {"clock_nanosleep", [] { return ::clock_nanosleep(CLOCK_MONOTONIC, 0, &kShort, nullptr); }, 0, 0},
      {"recv", [] { return ::recv(ends[0], &byte, 1, 0); }, -1, EAGAIN},
      {"read", [] { return ::read(ends[0], &byte, 1); }, -1, EAGAIN},
      {"sigtimedwait",
       [] {
         sigset_t set;
         ::sigemptyset(&set);
         ::sigaddset(&set, SIGUSR1);
         return ::sigtimedwait(&set, nullptr, &kShort);
       },
       -1, EAGAIN},
      {"sem_timedwait",
       [] {
         sem_t semaphore;
         ::sem_init(&semaphore, 0, 0);
         timespec until;
         ::clock_gettime(CLOCK_REALTIME, &until);
         until.tv_nsec += kShort.tv_nsec;
         until.tv_sec += until.tv_nsec / 1'000'000'000;
         until.tv_nsec %= 1'000'000'000;
         return ::sem_timedwait(&semaphore, &until);
       },
       -1, ETIMEDOUT},
  };
}

TEST(InterruptedCall, WaitsAgain) {
  for (const Case& one : waits()) {
    long result = -2;
    int error = 0;
    const int came = while_signalled([&] {
      errno = 0;
      result = one.call();
      error = result < 0 ? errno : 0;
    });
    EXPECT_GT(came, 0) << one.name;
    EXPECT_EQ(result, one.result) << one.name;
    EXPECT_EQ(error, one.error) << one.name;
  }
}

TEST(InterruptedCall, WritesOn) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  constexpr size_t kBytes = size_t{4} << 20;
  size_t read = 0;
  std::thread reader([&] {
    std::vector<char> part(size_t{256} << 10);
    for (ssize_t got; (got = ::read(ends[0], part.data(), part.size())) > 0; ::usleep(500))
      read += static_cast<size_t>(got);
  });
  long written = 0;
  const std::vector<char> bytes(kBytes);
  const int came = while_signalled([&] {
    written = ::write(ends[1], bytes.data(), bytes.size());
    ::close(ends[1]);
  });
  reader.join();
  ::close(ends[0]);
  EXPECT_GT(came, 0);
  EXPECT_EQ(written, static_cast<long>(kBytes));
  EXPECT_EQ(read, kBytes);
}
#endif

}  // namespace
}  // namespace warplens::collect
