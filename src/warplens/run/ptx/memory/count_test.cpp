// Counts of whole launches against the plain way to count them.
#include "warplens/simt/requests/count.h"

#include "warplens/base/random.h"
#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

/// The vectorised counting of loads agrees with the plain one on patterns of every kind.
TEST(Access, CountingInVectorsAgrees) {
  for (const char* space : {"shared", "global"}) {
    for (const uint32_t size : {4u, 8u, 16u}) {
      const std::string type = size == 4 ? "f32" : size == 8 ? "v2.f32" : "v4.f32";
      const std::string to = size == 4 ? "%f1" : size == 8 ? "{%f1,%f2}" : "{%f1,%f2,%f3,%f4}";
      const bool shared = std::string(space) == "shared";
      Bench bench(
          ".visible .entry k(.param .u64 offsets, .param .u64 data) {\n.reg .b64 %rd<9>; .reg .b32 %r<5>; .reg .f32 "
          "%f<5>;"
          ".shared .align 16 .b8 s[16384];\n"
          "ld.param.u64 %rd1, [offsets]; ld.param.u64 %rd2, [data]; mov.u32 %r1, %tid.x;\n"
          "mad.wide.u32 %rd3, %r1, 8, %rd1; ld.global.u64 %rd4, [%rd3]; mov.u64 %rd5, s;\n" +
          std::string(shared ? "add.u64 %rd6, %rd4, %rd5;" : "add.u64 %rd6, %rd4, %rd2;") + "\nld." + space + "." +
          type + " " + to + ", [%rd6];\nret;\n}");
      auto* offsets = bench.buffer<uint64_t>(32);
      auto* data = bench.buffer<uint8_t>(16384);
      bench.argument(offsets).argument(data);
      Random random(7);
      for (int round = 0; round < 200; ++round) {
        const uint64_t kind = random.next() % 5, a = random.next() % 64, b = random.next() % 64,
                       threads = round % 4 ? 32 : 1 + random.next() % 32;
        for (uint32_t i = 0; i < 32; ++i) {
          const uint64_t unit = kind == 0   ? random.next()
                                : kind == 1 ? i * a
                                : kind == 2 ? (i < 16 ? a + i : b)
                                : kind == 3 ? (i < 16 ? a : b + i)
                                            : random.next() % 40;
          offsets[i] = unit * size % 16384;
        }
        bench.config.block = {static_cast<uint32_t>(threads), 1, 1};
        const LaunchResult result = bench.run();
        ASSERT_FALSE(result.fault) << result.fault->text();
        const uint32_t mask = threads == 32 ? ~0u : (1u << threads) - 1;
        InstructionCounts want;
        Address at[32];
        for (uint32_t i = 0; i < 32; ++i) at[i] = shared ? offsets[i] : offsets[i] + reinterpret_cast<Address>(data);
        shared ? count_shared(want, at, mask, size) : count_global(want, at, mask, size);
        const auto& got = result.counts.instructions[7];
        ASSERT_EQ(got.wavefronts, want.wavefronts)
            << space << size << " kind " << kind << " a " << a << " b " << b << " threads " << threads;
        ASSERT_EQ(got.ideal_wavefronts, want.ideal_wavefronts);
        ASSERT_EQ(got.bytes, want.bytes);
        // A broadcast is no longer ideal than it is: both count the least sectors that hold it.
        ASSERT_EQ(got.sectors, want.sectors)
            << size << " kind " << kind << " a " << a << " b " << b << " threads " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
