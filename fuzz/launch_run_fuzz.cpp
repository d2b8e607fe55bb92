// Launch files run on the CPU: each ends with results, a fault or an error.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mutate_json.h"
#include "warplens/base/files.h"
#include "warplens/base/temporary_folder.h"
#include "warplens/launch/run.h"

namespace {

using namespace warplens;
constexpr uint64_t kMostBytes = 1 << 20;
constexpr double kMostBlocks = 1 << 12;

/// Kernels of all kinds of parameters; one sums in shared memory, one spins.
constexpr std::string_view kSource = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 table[64];
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1; @%p ret;
  mul.wide.u32 %rd3, %r5, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4]; mul.f32 %f3, %f2, %f1; st.global.f32 [%rd5], %f3; ret;
}
.visible .entry turn(.param .u64 x) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .shared .align 4 .b8 s[4096];
  ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3]; mov.u64 %rd4, s; add.u64 %rd5, %rd4, %rd2; cvt.u32.u64 %r5, %rd5;
  st.shared.u32 [%r5], %r2; bar.sync 0; ld.shared.u32 %r3, [s]; st.global.u32 [%rd3], %r3; ret;
}
.visible .entry spin() { again: bra again; }
)";

std::string source_path() {
  static const auto folder = TemporaryFolder::make();
  static const std::string path = [] {
    const std::string out = folder.ok() ? folder->path() + "/k.ptx" : "";
    if (!write_file(out, kSource, true).ok()) std::abort();
    return out;
  }();
  return path;
}

bool too_much(const launch::Description& description) {
  const auto is_large = [](const launch::BufferSpec& buffer) { return buffer.size_bytes() > kMostBytes; };
  const auto is_wide = [](const launch::LaunchSpec& spec) {
    return 1.0 * spec.grid[0] * spec.grid[1] * spec.grid[2] > kMostBlocks;
  };
  return description.buffers.size() > 20 || description.launches.size() > 4 ||
         std::any_of(description.buffers.begin(), description.buffers.end(), is_large) ||
         std::any_of(description.symbols.begin(), description.symbols.end(), is_large) ||
         std::any_of(description.launches.begin(), description.launches.end(), is_wide);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto description = launch::parse_description({reinterpret_cast<const char*>(data), size}, "/nowhere");
  if (!description.ok() || too_much(*description)) return 0;
  description->source = source_path();
  description->save.clear();
  launch::RunOptions options;
  options.emulate = true;
  options.emulation.instruction_limit = 50'000;
  options.emulation.timeout_s = 2;
  options.emulation.checks = size % 3 == 0 ? simt::kCheckAll : 0;
  options.emulation.threads = 1 + size % 2;
  const auto result = launch::run(std::move(*description), options);
  if (!result.ok() && result.status().message().empty()) std::abort();
  return 0;
}
