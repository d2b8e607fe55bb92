#include "warplens/program/analysis/host_samples.h"

#include <gtest/gtest.h>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/program/analysis/timeline/gaps.h"
#include "warplens/trace/profile/host_sample.h"

namespace warplens::analysis {
namespace {

constexpr int64_t kSampleUs = 1000;
constexpr const char* kTrain = "train.py(1): <module>;train.py(9): main;";

void sample(TestProfile& t, int64_t start_ns, int64_t duration_ns, const std::string& stack, std::string_view state) {
  Profile& p = t.profile;
  append(p.other_events, {.start_ns = start_ns,
                          .duration_ns = duration_ns,
                          .name = p.strings.intern(stack),
                          .category = p.strings.intern(kHostSampleCategory),
                          .thread = t.thread("main"),
                          .args = p.strings.intern("{\"state\": \"" + std::string(state) + "\"}"),
                          .phase = 'P'});
}

TEST(HostSamples, TheProgramsOwnFrame) {
  EXPECT_EQ(own_frame("train.py(1): <module>;data.py(5): load;/usr/lib/python3.12/json/decoder.py(7): decode"),
            "data.py(5): load");
  EXPECT_EQ(own_frame("train.py(1): <module>;data.py(5): load;torch/nn/x.py(3): f"), "data.py(5): load");
  EXPECT_EQ(own_frame("threading.py(5): wait"), "threading.py(5): wait");
  EXPECT_EQ(own_frame(""), "");
  EXPECT_EQ(own_frame("main: main"), "");
}

TEST(HostSamples, NativeCodeIsToldFromPython) {
  EXPECT_EQ(
      code_of("t.py(1): main;data.py(5): load;zlib.so: zlib_compress;libz.so.1: deflate;libz.so.1: ?;libc.so.6: ?"),
      "data.py(5): load > libz.so.1: deflate");
  EXPECT_EQ(code_of("t.py(1): main;libc.so.6: clock_nanosleep"), "t.py(1): main");
  EXPECT_EQ(code_of("app: main;app: load(std::string);libc.so.6: read"), "app: load(std::string)");
  EXPECT_EQ(code_of("t.py(1): main"), "t.py(1): main");
  EXPECT_EQ(code_of(""), "");
}

Gap gap_with(const std::string& stack, std::string_view state) {
  TestProfile test;
  test.call("main", "cudaLaunchKernel", 5 * kSampleUs, 5 * kSampleUs, 1, 1);
  test.kernel("first", 20 * kSampleUs, 80 * kSampleUs, 1, 1);
  sample(test, 90 * kSampleUs, 20 * kSampleUs, kTrain + std::string("train.py(12): other"), "running");
  sample(test, 110 * kSampleUs, 270 * kSampleUs, stack, state);
  test.call("main", "cudaLaunchKernel", 390 * kSampleUs, 5 * kSampleUs, 2, 0);
  test.kernel("second", 400 * kSampleUs, 10 * kSampleUs, 2, 0);
  const Causes causes(test.profile);
  const std::vector<Gap> gaps = find_gaps(test.profile, causes.operators, causes.links, 0, 0, 1000 * kSampleUs);
  EXPECT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps.at(0).sample, 1U);  // the code that took most of it
  return gaps.at(0);
}

TEST(HostSamples, GapsNameCodeAndWhatItWaitedFor) {
  EXPECT_EQ(gap_with(kTrain + std::string("data.py(5): load"), "running").cause, GapCause::kPython);
  EXPECT_EQ(gap_with(kTrain + std::string("data.py(5): load"), kWaitsForGil).cause, GapCause::kGil);
  EXPECT_EQ(gap_with(kTrain + std::string("torch/utils/data/dataloader.py(700): __next__;queue.py(1): get"),
                     "waits for a lock")
                .cause,
            GapCause::kInput);
}

}  // namespace
}  // namespace warplens::analysis
