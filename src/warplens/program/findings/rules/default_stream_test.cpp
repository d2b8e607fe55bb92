#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

constexpr int kSteps = 3, kTasks = 8, kStreams = 4;
constexpr int64_t kTaskNs = 360 * kMicrosecond, kStepNs = (kTasks + 1) * kTaskNs;

/// Tasks of an upload, a kernel and a download, all launched at once on four streams in turn. They run one by one.
/// After each, a counter is raised: on the default stream, or on the task's own.
TestProfile tasks(bool on_default_stream) {
  TestProfile test;
  int64_t launches = 0;
  for (int step = 0; step < kSteps; ++step) {
    const int64_t begin = step * kStepNs;
    test.op("main", "ProfilerStep#" + std::to_string(step), begin, kStepNs - kMicrosecond, {OperatorKind::kRange});
    for (int task = 0; task < kTasks; ++task) {
      const int64_t stream = 13 + task % kStreams, start = begin + 100 * kMicrosecond + task * kTaskNs;
      int64_t call_ns = begin + (1 + task * 5) * kMicrosecond, at = start;
      const auto launch = [&](const char* name, int64_t length_ns, int64_t on, DeviceEventKind kind, CopyKind copy) {
        const char* call = kind == DeviceEventKind::kKernel ? "cudaLaunchKernel" : "cudaMemcpyAsync";
        test.call("main", call, call_ns, kMicrosecond, ++launches);
        const uint32_t row = test.kernel(name, at, length_ns, launches, 0, on, kind);
        test.profile.device_events.copy_kind.at(row) = copy;
        test.profile.device_events.bytes.at(row) = copy == CopyKind::kNone ? 0 : 4 << 20;
        call_ns += kMicrosecond;
        at += length_ns + kMicrosecond;
      };
      launch("Memcpy HtoD", 100 * kMicrosecond, stream, DeviceEventKind::kCopy, CopyKind::kHostToDevice);
      launch("filter", 150 * kMicrosecond, stream, DeviceEventKind::kKernel, CopyKind::kNone);
      launch("Memcpy DtoH", 100 * kMicrosecond, stream, DeviceEventKind::kCopy, CopyKind::kDeviceToHost);
      launch("raise_counter", kMicrosecond, on_default_stream ? 7 : stream, DeviceEventKind::kKernel, CopyKind::kNone);
    }
    const int64_t waits_from = begin + 50 * kMicrosecond, done = begin + 100 * kMicrosecond + kTasks * kTaskNs;
    test.call("main", "cudaDeviceSynchronize", waits_from, done - waits_from, ++launches);
  }
  return test;
}

TEST(DefaultStream, HoldsUpAllOthers) {
  const Report report = find_all(tasks(true).profile);
  const Finding* f = find_finding(report, "default-stream");
  ASSERT_TRUE(f);
  EXPECT_GT(*f->saving_fraction, 0.4);
  EXPECT_LE(*f->saving_fraction, 1 - kTasks * 100.0 / (kStepNs / kMicrosecond)) << "uploads still run one by one";
}

TEST(DefaultStream, IsNotToldWhereNoStreamHoldsUpTheOthers) {
  EXPECT_FALSE(find_finding(find_all(tasks(false).profile), "default-stream"));
}

}  // namespace
}  // namespace warplens::findings
