#include "warplens/program/analysis/timeline/activity.h"

#include <gtest/gtest.h>

#include <random>

#include "warplens/program/analysis/test_profile.h"
#include "warplens/trace/profile/job/meetings.h"

namespace warplens::analysis {
namespace {

struct Counted {
  int64_t busy = 0, computation = 0, communication = 0, copies = 0, exposed_communication = 0, exposed_copies = 0;
  bool operator==(const Counted&) const = default;
};

/// Nanosecond by nanosecond, the definition itself.
Counted brute_force(const Profile& p, int64_t start_ns, int64_t end_ns) {
  Counted out;
  for (int64_t t = start_ns; t < end_ns; ++t) {
    bool computes = false, communicates = false, copies = false;
    for (uint32_t row = 0; row < p.device_events.size(); ++row) {
      if (t < p.device_events.start_ns[row] || t >= p.device_events.start_ns[row] + p.device_events.duration_ns[row])
        continue;
      if (p.device_events.kind[row] != DeviceEventKind::kKernel) copies = true;
      else (is_communication(p, row) ? communicates : computes) = true;
    }
    out.busy += computes || communicates || copies;
    out.computation += computes;
    out.communication += communicates;
    out.copies += copies;
    out.exposed_communication += communicates && !computes;
    out.exposed_copies += copies && !computes && !communicates;
  }
  return out;
}

Counted by_sets(const Activity& a) {
  return {length_ns(a.busy()),
          length_ns(a.computation),
          length_ns(a.communication),
          length_ns(a.copies),
          length_ns(a.exposed_communication()),
          length_ns(a.exposed_copies())};
}

TEST(Activity, AgreesWithCountingNanoseconds) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    auto any = [&](int64_t below) { return static_cast<int64_t>(random() % static_cast<uint64_t>(below)); };
    TestProfile test;
    for (int i = 0; i < 30; ++i) {
      const int64_t kind = any(3);
      test.kernel(kind == 0 ? "ncclDevKernel_AllReduce" : "gemm", any(900), any(60), 0, 0, 7 + any(3),
                  kind == 2 ? DeviceEventKind::kCopy : DeviceEventKind::kKernel);
    }
    const Activity all = device_activity(test.profile, 0);
    EXPECT_EQ(by_sets(all), brute_force(test.profile, 0, 1000)) << seed;
    EXPECT_EQ(by_sets(clip(all, 200, 617)), brute_force(test.profile, 200, 617)) << seed;
  }
}

TEST(Activity, TellsCommunicationByName) {
  for (const char* kernel :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "void rcclGenericKernel<1>()",
        "void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*, void*, int*, void*, void*)",
        "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
        "_mxfp8_all_to_all_expert_major_kernel",
        "void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(mori::moe::Args)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8>()"}) {
    EXPECT_TRUE(job::names_collective(kernel)) << kernel;
    EXPECT_TRUE(job::names_communication(kernel)) << kernel;
  }
  EXPECT_FALSE(job::names_collective("nvshmemi_proxy_quiet_entrypoint")) << "one rank's own";
  EXPECT_TRUE(job::names_communication("nvshmemi_proxy_quiet_entrypoint"));
  for (const char* kernel :
       {"ampere_bf16_s16816gemm", "triton_poi_fused_all_reduce_wait_tensor_3",
        "void deep_ep::internode::get_dispatch_layout<256, 32, 1>(long const*)",
        "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)", "void reduce(AllReduceParams)"})
    EXPECT_FALSE(job::names_communication(kernel)) << kernel;
}

TEST(Activity, RangesOnTheDeviceAreNoWork) {
  TestProfile test;
  test.kernel("ProfilerStep#1", 0, 100, 0, 0, 7, DeviceEventKind::kRange);
  EXPECT_TRUE(device_activity(test.profile, 0).busy().empty());
}

}  // namespace
}  // namespace warplens::analysis
