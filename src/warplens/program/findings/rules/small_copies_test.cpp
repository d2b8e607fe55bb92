#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

/// Fifteen copies of 2 KB and a kernel after each; before the first of them an all-to-all of 4 ms that it waits for.
TestProfile copies_behind(const char* kernel) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 7000 * kMicrosecond, {OperatorKind::kRange});
  test.call("main", "cudaLaunchKernel", 10 * kMicrosecond, 5 * kMicrosecond, 1);
  test.kernel(kernel, 20 * kMicrosecond, 4000 * kMicrosecond, 1);
  for (int i = 0; i < 15; ++i) {
    const int64_t at = i ? (4100 + i * 60) * kMicrosecond : 30 * kMicrosecond, ready = (4100 + i * 60) * kMicrosecond;
    const uint32_t op = test.op("main", "aten::to", at, ready + 20 * kMicrosecond - at);
    test.call("main", "cudaMemcpyAsync", at + 2 * kMicrosecond, 8 * kMicrosecond, 10 + i, op + 1);
    const uint32_t row = test.kernel("Memcpy DtoH (Device -> Pageable)", ready, 2 * kMicrosecond, 10 + i, op + 1, 7,
                                     DeviceEventKind::kCopy);
    test.profile.device_events.copy_kind.at(row) = CopyKind::kDeviceToHost;
    test.profile.device_events.bytes.at(row) = 2048;
    test.call("main", "cudaStreamSynchronize", at + 12 * kMicrosecond,
              ready + 6 * kMicrosecond - at - 12 * kMicrosecond, 100 + i, op + 1);
    const uint32_t mul = test.op("main", "aten::mul", ready + 22 * kMicrosecond, 10 * kMicrosecond);
    test.call("main", "cudaLaunchKernel", ready + 24 * kMicrosecond, 5 * kMicrosecond, 200 + i, mul + 1);
    test.kernel("k", ready + 32 * kMicrosecond, 20 * kMicrosecond, 200 + i, mul + 1);
  }
  return test;
}

TEST(ManySmallCopies, DoNotCostTheCollectiveTheyWaitFor) {
  const Report report = find_all(copies_behind("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t").profile);
  const Finding* finding = find_finding(report, "many-small-copies");
  EXPECT_TRUE(!finding || *finding->saving_ns < 1000 * kMicrosecond) << *finding->saving_ns;
}

TEST(ManySmallCopies, OfSeparateIterationsCannotGoTogether) {
  TestProfile test;
  for (int i = 0; i < 30; ++i) {
    const int64_t at = i * 1000 * kMicrosecond;
    const uint32_t op = test.op("main", "aten::to", at, 20 * kMicrosecond);
    test.call("main", "cudaMemcpyAsync", at + 2 * kMicrosecond, 8 * kMicrosecond, 10 + i, op + 1);
    const uint32_t row = test.kernel("Memcpy HtoD (Pageable -> Device)", at + 5 * kMicrosecond, 2 * kMicrosecond,
                                     10 + i, op + 1, 7, DeviceEventKind::kCopy);
    test.profile.device_events.copy_kind.at(row) = CopyKind::kHostToDevice;
    test.profile.device_events.bytes.at(row) = 1024;
    for (int k = 0; k < 20; ++k) {
      const int64_t launched = at + (30 + k * 40) * kMicrosecond;
      const uint32_t mm = test.op("main", "aten::mm", launched, 30 * kMicrosecond);
      test.call("main", "cudaLaunchKernel", launched + 5 * kMicrosecond, 5 * kMicrosecond, 1000 + i * 20 + k, mm + 1);
      test.kernel("k", launched + 12 * kMicrosecond, 30 * kMicrosecond, 1000 + i * 20 + k, mm + 1);
    }
  }
  EXPECT_FALSE(find_finding(find_all(test.profile), "many-small-copies"));
}

/// Values that the host reads one by one; where a kernel runs before each, the host may decide what comes next.
Report values_read(bool in_a_row) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 3000 * kMicrosecond, {OperatorKind::kRange});
  for (int i = 0; i < 40; ++i) {
    const int64_t at = i * 60 * kMicrosecond;
    if (!in_a_row || i == 0) {
      const uint32_t sum = test.op("main", "aten::sum", at, 9 * kMicrosecond);
      test.call("main", "cudaLaunchKernel", at + 2 * kMicrosecond, 5 * kMicrosecond, 200 + i, sum + 1);
      test.kernel("k", at + 10 * kMicrosecond, 5 * kMicrosecond, 200 + i, sum + 1);
    }
    const uint32_t op = test.op("main", "aten::_local_scalar_dense", at + 15 * kMicrosecond, 30 * kMicrosecond);
    test.call("main", "cudaMemcpyAsync", at + 17 * kMicrosecond, 8 * kMicrosecond, 10 + i, op + 1);
    const uint32_t row = test.kernel("Memcpy DtoH (Device -> Pageable)", at + 27 * kMicrosecond, 2 * kMicrosecond,
                                     10 + i, op + 1, 7, DeviceEventKind::kCopy);
    test.profile.device_events.copy_kind.at(row) = CopyKind::kDeviceToHost;
    test.profile.device_events.bytes.at(row) = 8;
    test.call("main", "cudaStreamSynchronize", at + 26 * kMicrosecond, 15 * kMicrosecond, 100 + i, op + 1);
  }
  return find_all(test.profile);
}

TEST(ManySmallCopies, AreValuesThatAreReadInARow) {
  EXPECT_TRUE(find_finding(values_read(true), "many-small-copies"));
  EXPECT_FALSE(find_finding(values_read(false), "many-small-copies"));
}

}  // namespace
}  // namespace warplens::findings
