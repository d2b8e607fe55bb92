// Addresses that no memory has, those near 2^64 among them, in every space and by every kind of access.
#include <array>

#include "warplens/base/text.h"
#include "warplens/run/ptx/testing.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr std::array<const char*, 19> kAccesses = {
    "ld.local.u32 %r, [%a];",
    "ld.local.v4.u32 {%r, %r, %r, %r}, [%a];",
    "st.local.u32 [%a], %r;",
    "ld.shared.u32 %r, [%a];",
    "ld.shared.v2.u64 {%d, %d}, [%a];",
    "ld.shared::cluster.u32 %r, [%a];",
    "st.shared.u32 [%a], %r;",
    "atom.shared.add.u32 %r, [%a], 1;",
    "atom.shared.cas.b32 %r, [%a], 1, 2;",
    "red.shared.max.u32 [%a], 1;",
    "ld.const.u32 %r, [%a];",
    "ld.global.u32 %r, [%a];",
    "ld.global.v4.u32 {%r, %r, %r, %r}, [%a];",
    "st.global.u32 [%a], %r;",
    "atom.global.add.u32 %r, [%a], 1;",
    "ld.u32 %r, [%a];",
    "st.u32 [%a], %r;",
    "atom.add.u32 %r, [%a], 1;",
    "cp.async.ca.shared.global [%s], [%a], 4;",
};
constexpr std::array<const char*, 8> kAddresses = {"-4",         "-8",         "-16",       "-32", "0x7fffffffffffffe0",
                                                   "0xfffffffc", "0xfffffff0", "0x40000000"};

/// Lanes at `address`, or each 16 bytes further where `spread`.
LaunchResult access(const std::string& statement, const std::string& address, bool spread, uint8_t checks) {
  Bench bench(fmt::format(R"(.const .align 16 .b32 c[4] = {{1, 2, 3, 4}};
.visible .entry k() {{
  .reg .b32 %r, %t; .reg .b64 %a, %d, %s; .shared .align 16 .b32 s[16]; .local .align 16 .b32 l[16];
  mov.u64 %s, l; ld.local.u32 %r, [%s]; mov.u64 %s, s; mov.u64 %d, 0;
  mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, {}; add.u64 %a, %a, {};
  {} ret;
}})",
                          spread ? 16 : 0, address, statement));
  bench.config.block = {32, 1, 1};
  bench.config.checks = checks;
  return bench.run();
}

TEST(Resolve, NoAccessLeavesItsMemory) {
  for (const char* statement : kAccesses) {
    for (const char* address : kAddresses) {
      for (const bool spread : {false, true}) {
        EXPECT_TRUE(access(statement, address, spread, 0).fault) << statement << ' ' << address;
        const LaunchResult checked = access(statement, address, spread, kCheckAll);
        EXPECT_TRUE(checked.fault || !checked.reports.empty()) << statement << ' ' << address;
      }
    }
  }
}

TEST(Resolve, AccessesThatCannotBeExecutedAreNamedUnderChecks) {
  for (const uint8_t checks : {uint8_t{0}, uint8_t{kCheckAll}}) {
    const LaunchResult result = access("ld.u64.u64 %a, [%a];", "0", false, checks);
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->kind, Fault::Kind::kUnsupported);
    EXPECT_NE(result.fault->message.find("ld.u64.u64"), std::string::npos) << result.fault->message;
  }
}

}  // namespace
}  // namespace warplens::simt::ptx_machine
