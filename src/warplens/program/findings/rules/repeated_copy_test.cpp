#include <gtest/gtest.h>

#include "warplens/base/text.h"
#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/findings/test_findings.h"

namespace warplens::findings {
namespace {

using analysis::TestProfile;

struct Copies {
  const char* memory = "Pinned";
  const char* user = "aten::add";  // the operator that takes the tensor
  bool comes_back = false;
};

/// A step that copies a tensor of 4 MB to the device six times, each time for one operator.
bool told(const Copies& how) {
  TestProfile test;
  test.op("main", "ProfilerStep#1", 0, 6000 * kMicrosecond, {OperatorKind::kRange});
  const auto copy = [&](int id, int64_t at_us, CopyKind kind, const std::string& name) {
    TestProfile::Op sized;
    sized.shapes = "[[1024, 1024], [1024, 1024]]";
    const uint32_t op = test.op("main", "aten::copy_", at_us * kMicrosecond, 20 * kMicrosecond, sized);
    test.call("main", "cudaMemcpyAsync", (at_us + 2) * kMicrosecond, 8 * kMicrosecond, id, op + 1);
    const uint32_t row =
        test.kernel(name, (at_us + 8) * kMicrosecond, 400 * kMicrosecond, id, op + 1, 7, DeviceEventKind::kCopy);
    test.profile.device_events.copy_kind.at(row) = kind;
    test.profile.device_events.bytes.at(row) = 4 << 20;
  };
  for (int i = 0; i < 6; ++i) {
    copy(10 + i, i * 1000, CopyKind::kHostToDevice, fmt::format("Memcpy HtoD ({} -> Device)", how.memory));
    TestProfile::Op sized;
    sized.shapes = "[[1024, 1024], [1024, 1024]]";
    const uint32_t user = test.op("main", how.user, (i * 1000 + 30) * kMicrosecond, 20 * kMicrosecond, sized);
    test.call("main", "cudaLaunchKernel", (i * 1000 + 35) * kMicrosecond, 5 * kMicrosecond, 100 + i, user + 1);
    test.kernel("k", (i * 1000 + 420) * kMicrosecond, 20 * kMicrosecond, 100 + i, user + 1);
  }
  if (how.comes_back) copy(200, 5500, CopyKind::kDeviceToHost, "Memcpy DtoH (Device -> Pinned)");
  return find_finding(find_all(test.profile), "repeated-copy") != nullptr;
}

TEST(RepeatedCopy, OfPinnedMemoryIsATableWherePointwiseWorkTakesIt) {
  EXPECT_TRUE(told({}));
  EXPECT_FALSE(told({.user = "aten::mm"})) << "weights that are streamed go into products";
  EXPECT_TRUE(told({.memory = "Pageable", .user = "aten::mm"}));
}

TEST(RepeatedCopy, IsNoneOfDataThatGoesBack) {
  EXPECT_FALSE(told({.comes_back = true}));
  EXPECT_FALSE(told({.memory = "Pageable", .comes_back = true}));
}

}  // namespace
}  // namespace warplens::findings
