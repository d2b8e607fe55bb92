// NVIDIA's own header is the reference: 100,000 random configurations of every architecture.
#include <gtest/gtest.h>

#include <random>

#include "warplens/gpu/occupancy.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

namespace warplens::gpu {
namespace {

constexpr int kTrials = 100000;

cudaOccDeviceProp properties(const Arch& arch) {
  cudaOccDeviceProp out;
  out.computeMajor = arch.major;
  out.computeMinor = arch.minor;
  out.maxThreadsPerBlock = arch.threads_per_block;
  out.maxThreadsPerMultiprocessor = arch.warps_per_sm * 32;
  out.regsPerBlock = out.regsPerMultiprocessor = arch.registers_per_sm;
  out.warpSize = 32;
  out.sharedMemPerBlock = arch.shared_default_bytes;
  out.sharedMemPerMultiprocessor = arch.shared_bytes_per_sm;
  out.numSms = 1;
  out.sharedMemPerBlockOptin = arch.shared_optin_bytes;
  out.reservedSharedMemPerBlock = arch.shared_reserved_bytes;
  return out;
}

cudaOccFuncAttributes attributes(const BlockNeeds& needs) {
  cudaOccFuncAttributes out;
  out.maxThreadsPerBlock = 1024;
  out.numRegs = needs.registers;
  out.sharedSizeBytes = needs.static_shared_bytes;
  out.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  out.maxDynamicSharedSizeBytes = needs.dynamic_shared_bytes;
  out.numBlockBarriers = needs.barriers;
  return out;
}

BlockNeeds random_needs(const Arch& arch, std::mt19937& random) {
  auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
  BlockNeeds out;
  out.threads = static_cast<int>(1 + below(1040));
  out.registers = static_cast<int>(below(256));
  out.static_shared_bytes = below(3) ? below(48 * 1024) : 0;
  out.dynamic_shared_bytes = below(2) ? below(arch.shared_bytes_per_sm) : below(4096);
  out.barriers = static_cast<int>(below(17));
  out.carveout_percent = below(2) ? -1 : static_cast<int>(below(101));
  return out;
}

class Reference : public testing::TestWithParam<size_t> {};

TEST_P(Reference, EqualOnRandomConfigurations) {
  const Arch& arch = all_archs()[GetParam()];
  const cudaOccDeviceProp device = properties(arch);
  std::mt19937 random(static_cast<unsigned>(arch.cc()));
  for (int trial = 0; trial < kTrials; ++trial) {
    const BlockNeeds needs = random_needs(arch, random);
    const cudaOccFuncAttributes function = attributes(needs);
    cudaOccDeviceState state;
    state.carveoutConfig = needs.carveout_percent;
    cudaOccResult want;
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&want, &device, &function, &state, needs.threads,
                                                                       static_cast<size_t>(needs.dynamic_shared_bytes));
    ASSERT_EQ(error, CUDA_OCC_SUCCESS);
    const Occupancy got = occupancy(arch, needs);
    ASSERT_EQ(got.blocks, want.activeBlocksPerMultiprocessor)
        << arch.name() << " threads " << needs.threads << " registers " << needs.registers << " shared "
        << needs.static_shared_bytes << "+" << needs.dynamic_shared_bytes << " carveout " << needs.carveout_percent;
    ASSERT_EQ(got.by_registers, want.blockLimitRegs);
    ASSERT_EQ(got.by_shared, want.blockLimitSharedMem);
    ASSERT_EQ(got.by_barriers, want.blockLimitBarriers);
    // The header keeps the limiters it found before it looked at the barriers.
    const unsigned others = got.by_barriers == got.blocks && want.limitingFactors != got.limiters
                                ? want.limitingFactors & OCC_LIMIT_BARRIERS
                                : want.limitingFactors;
    ASSERT_EQ(got.limiters, others);
    ASSERT_EQ(got.shared_bytes_allocated, static_cast<int64_t>(want.allocatedSharedMemPerBlock));
  }
}

TEST_P(Reference, PicksTheSameBestBlockSize) {
  const Arch& arch = all_archs()[GetParam()];
  const cudaOccDeviceProp device = properties(arch);
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    BlockNeeds needs = random_needs(arch, random);
    needs.carveout_percent = -1;
    const cudaOccFuncAttributes function = attributes(needs);
    const cudaOccDeviceState state;
    int grid = 0, block = 0;
    ASSERT_EQ(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &function, &state,
                                                    static_cast<size_t>(needs.dynamic_shared_bytes)),
              CUDA_OCC_SUCCESS);
    ASSERT_EQ(best_block_size(arch, needs), block);
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, Reference, testing::Range(size_t{0}, all_archs().size()),
                         [](const auto& info) { return all_archs()[info.param].name(); });

}  // namespace
}  // namespace warplens::gpu

#else

TEST(Reference, EqualOnRandomConfigurations) {
  GTEST_SKIP() << "cuda_occupancy.h is not here: install a CUDA toolkit, or the nvidia-cuda-runtime wheel into .venv";
}

#endif
