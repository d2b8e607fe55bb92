// What makes a ring be written: slow steps and who asks from outside.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "warplens/collect/control.h"
#include "warplens/collect/metrics.h"
#include "warplens/collect/settings/step_watch.h"

namespace warplens::collect {
namespace {

TEST(StepWatch, TellsAStepThatIsLongerThanTheOthers) {
  StepWatch watch({.of_median = 1.5});
  uint64_t now = 1;
  EXPECT_EQ(watch.on_step(now), "");
  EXPECT_EQ(watch.on_step(now += 90'000'000), "")
      << "the first of them is slow, and nothing to compare it with is there";
  for (int i = 0; i < 6; ++i) EXPECT_EQ(watch.on_step(now += 10'000'000), "");
  EXPECT_EQ(watch.on_step(now += 14'900'000), "");
  EXPECT_EQ(watch.on_step(now += 15'200'000), "step 9 took 15.2 ms, the median 10.0 ms");
  EXPECT_EQ(watch.median_ns(), 10'000'000u);
  EXPECT_EQ(watch.steps(), 9u);
}

TEST(StepWatch, FollowsWhatStepsHaveBecome) {
  StepWatch watch({.of_median = 1.5});
  uint64_t now = 1;
  for (int i = 0; i < 200; ++i) watch.on_step(now += 10'000'000);
  for (int i = 0; i < 200; ++i) watch.on_step(now += 30'000'000);
  EXPECT_EQ(watch.on_step(now += 31'000'000), "");
}

TEST(StepWatch, TellsAStepThatIsLongerThanALimit) {
  StepWatch watch({.longer_than_ns = 50'000'000});
  watch.on_step(1);
  EXPECT_EQ(watch.on_step(49'000'001), "");
  EXPECT_EQ(watch.on_step(149'000'001), "step 2 took 100.0 ms");
}

class Fixed : public Control::Answers {
 public:
  std::string snapshot() override { return "a.wlens"; }
  std::string metrics() override { return "# EOF\n"; }
};

std::string ask(int family, const sockaddr* address, socklen_t size, std::string_view text, Control& control) {
  const int fd = ::socket(family, SOCK_STREAM, 0);
  Fixed answers;
  std::string out;
  if (::connect(fd, address, size) == 0 && ::send(fd, text.data(), text.size(), 0) > 0) {
    control.serve(answers);
    char bytes[512];
    for (ssize_t n; (n = ::recv(fd, bytes, sizeof bytes, 0)) > 0;) out.append(bytes, static_cast<size_t>(n));
  }
  ::close(fd);
  return out;
}

TEST(Control, AnswersWhoAsks) {
  Control control;
  uint16_t port = 0;  // any that is free
  for (uint16_t candidate = 39'000; candidate < 39'050 && port == 0; ++candidate) {
    control.leave();
    if (control.open(candidate).empty()) port = candidate;
  }
  ASSERT_NE(port, 0);
  Fixed answers;
  control.serve(answers);  // nobody is there: returns at once
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  const std::string name = control_name(::getpid());
  std::memcpy(local.sun_path, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  EXPECT_EQ(ask(AF_UNIX, reinterpret_cast<sockaddr*>(&local), size, "snapshot\n", control), "a.wlens\n");
  EXPECT_EQ(ask(AF_UNIX, reinterpret_cast<sockaddr*>(&local), size, "nonsense\n", control), "");
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_port = htons(port);
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto get = [&](std::string_view text) {
    return ask(AF_INET, reinterpret_cast<sockaddr*>(&loopback), sizeof loopback, text, control);
  };
  const std::string page = get("GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200 OK\r\n") &&
              page.ends_with("Content-Length: 6\r\nConnection: close\r\n\r\n# EOF\n"))
      << page;
  EXPECT_TRUE(get("POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
  Control second;
  EXPECT_NE(second.open(port).find("port " + std::to_string(port) + ": Address already in use"), std::string::npos);
}

TEST(Metrics, TellWhatDevicesDid) {
  Headline headline{};
  headline.devices[1] = {.kernels = 12, .kernel_ns = 1'500'000'000, .copies = 2, .copied_bytes = 4096};
  headline.steps = 3;
  headline.step_ns = 20'000'000;
  const std::string text = open_metrics(headline);
  for (const char* line : {"# TYPE warplens_kernels counter\n", "warplens_kernels_total{device=\"1\"} 12\n",
                           "warplens_kernel_seconds_total{device=\"1\"} 1.500000000\n", "warplens_steps_total 3\n",
                           "warplens_step_seconds 0.020000000\n", "warplens_dropped_records_total 0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("device=\"0\""), std::string::npos);
  EXPECT_EQ(text.find("median"), std::string::npos);
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

}  // namespace
}  // namespace warplens::collect
