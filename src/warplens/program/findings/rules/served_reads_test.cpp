#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

constexpr int kReads = 6, kSteps = 3;
constexpr int64_t kReadNs = 400 * kMicrosecond;

/// Launches that follow each other on the device.
struct Device {
  TestProfile test;
  int64_t free_ns = 0, launches = 0;

  int64_t launch(int64_t at_ns, int64_t device_ns, int64_t op, DeviceEventKind kind = DeviceEventKind::kKernel) {
    test.call("main", kind == DeviceEventKind::kKernel ? "cudaLaunchKernel" : "cudaMemcpyAsync", at_ns,
              4 * kMicrosecond, ++launches, op);
    const int64_t start = std::max(free_ns, at_ns + 6 * kMicrosecond);
    row = test.kernel("k", start, device_ns, launches, op, 7, kind);
    return free_ns = start + device_ns;
  }
  void make_read(int64_t bytes) {
    test.profile.device_events.copy_kind.at(row) = CopyKind::kDeviceToHost;
    test.profile.device_events.bytes.at(row) = bytes;
  }
  uint32_t row = 0;
};

/// Each read is of `what` a comparison gives: kernels of 100 us for the work, 60 for the comparison, 40 for `what`.
Report truths_read(std::string_view comparison, std::string_view what) {
  Device d;
  for (int step = 0; step < kSteps; ++step) {
    const int64_t begin = step * kReads * kReadNs;
    d.test.op("main", "ProfilerStep#" + std::to_string(step), begin, kReads * kReadNs - kMicrosecond,
              {OperatorKind::kRange});
    for (int i = 0; i < kReads; ++i) {
      int64_t at = begin + i * kReadNs + kMicrosecond;
      for (const auto& [name, device_us, types] :
           {std::tuple<std::string_view, int, std::string_view>{"aten::mm", 100, R"(["float"])"},
            {comparison, 60, R"(["float"])"},
            {what, 40, R"(["bool"])"}}) {
        const uint32_t op =
            d.test.op("main", name, at, 12 * kMicrosecond, {.shapes = "[[4096, 1024]]", .types = types});
        d.launch(at + 4 * kMicrosecond, device_us * kMicrosecond, op + 1);
        at += 14 * kMicrosecond;
      }
      const uint32_t item = d.test.op("main", "aten::item", at, kReadNs - 80 * kMicrosecond);
      const int64_t end = d.launch(at + 2 * kMicrosecond, kMicrosecond, item + 1, DeviceEventKind::kCopy);
      d.make_read(1);
      d.test.call("main", "cudaStreamSynchronize", at + 8 * kMicrosecond,
                  end + 4 * kMicrosecond - at - 8 * kMicrosecond, 9000 + d.launches, item + 1);
    }
  }
  return find_all(d.test.profile);
}

TEST(HostSync, TakesWhatOnlyAnswersAQuestionWithIt) {
  const Report served = truths_read("aten::isnan", "aten::any"), kept = truths_read("aten::exp", "aten::cumsum");
  const Finding *all = find_finding(served, "host-sync"), *wait = find_finding(kept, "host-sync");
  ASSERT_TRUE(all && wait);
  // Six comparisons and six answers a step, 100 us each together.
  EXPECT_NEAR(static_cast<double>(*all->saving_ns - *wait->saving_ns), 600e3, 150e3);
}

/// Turns of a kernel and of one that computes a value, which is cleared before it and read behind it.
Report values_read(int64_t cleared_bytes) {
  Device d;
  for (int turn = 0; turn < 20; ++turn) {
    const int64_t at = turn * 200 * kMicrosecond;
    d.launch(at, 30 * kMicrosecond, 0);
    d.launch(at + 6 * kMicrosecond, 2 * kMicrosecond, 0, DeviceEventKind::kSet);
    d.test.profile.device_events.bytes.at(d.row) = cleared_bytes;
    d.launch(at + 12 * kMicrosecond, 100 * kMicrosecond, 0);
    const int64_t end = d.free_ns + 10 * kMicrosecond;
    d.test.call("main", "cudaMemcpy", at + 18 * kMicrosecond, end - at - 18 * kMicrosecond, ++d.launches);
    d.row = d.test.kernel("Memcpy DtoH", d.free_ns, 2 * kMicrosecond, d.launches, 0, 7, DeviceEventKind::kCopy);
    d.free_ns += 2 * kMicrosecond;
    d.make_read(4);
  }
  return find_all(d.test.profile);
}

TEST(HostSync, TakesTheKernelOfAValueThatWasClearedForIt) {
  const Report served = values_read(4), kept = values_read(4096);
  const Finding *all = find_finding(served, "host-sync"), *wait = find_finding(kept, "host-sync");
  ASSERT_TRUE(all && wait);
  EXPECT_GT(*all->saving_fraction, *wait->saving_fraction + 0.3) << "the kernel is most of the device's work";
}

/// Turns in which the host reads 64 bytes, computes for 200 us and uploads 64 bytes, perhaps after a launch.
Report turns_of_host(bool launches_between) {
  Device d;
  for (int turn = 0; turn < 20; ++turn) {
    const int64_t at = turn * 400 * kMicrosecond;
    d.launch(at, 40 * kMicrosecond, 0);
    const uint32_t read = d.test.op("main", "aten::to", at + 6 * kMicrosecond, 60 * kMicrosecond);
    const int64_t end = d.launch(at + 8 * kMicrosecond, 2 * kMicrosecond, read + 1, DeviceEventKind::kCopy);
    d.make_read(64);
    d.test.call("main", "cudaStreamSynchronize", at + 14 * kMicrosecond,
                end + 4 * kMicrosecond - at - 14 * kMicrosecond, 9000 + d.launches, read + 1);
    if (launches_between) d.launch(at + 80 * kMicrosecond, 2 * kMicrosecond, 0);
    const uint32_t upload = d.test.op("main", "aten::to", at + 260 * kMicrosecond, 20 * kMicrosecond);
    d.launch(at + 262 * kMicrosecond, 2 * kMicrosecond, upload + 1, DeviceEventKind::kCopy);
    d.test.profile.device_events.copy_kind.at(d.row) = CopyKind::kHostToDevice;
    d.test.profile.device_events.bytes.at(d.row) = 64;
  }
  return find_all(d.test.profile);
}

TEST(HostSync, TakesTheHostsComputationThatIsUploadedWithIt) {
  const Report turns = turns_of_host(false), others = turns_of_host(true);
  const Finding *all = find_finding(turns, "host-sync"), *wait = find_finding(others, "host-sync");
  ASSERT_TRUE(all && wait);
  EXPECT_GT(*all->saving_fraction, *wait->saving_fraction + 0.3);
}

}  // namespace
}  // namespace warplens::findings
