// Cubins whose machine code was changed, run on small buffers: each run ends, normally or with an error.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

#include "warplens/isa/cubin/cubin.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/run/sass/machine.h"

namespace {

using namespace warplens;
constexpr uint64_t kBufferBytes = 16 << 10, kWordBytes = 16;
constexpr size_t kMostKernels = 3;

/// The same cubin gives the same launches, another one others.
uint32_t choice_of(std::string_view image) {
  uint32_t out = 2166136261u;
  for (const char c : image) out = (out ^ static_cast<uint8_t>(c)) * 16777619u;
  return out >> 8;
}

void run(const simt::sass_machine::Program& program, uint32_t choice) {
  simt::Memory memory;
  simt::sass_machine::MachineLaunch launch;
  launch.grid = {2, 1, 1};
  launch.block = {choice & 1 ? 64u : 40u, 1, 1};
  launch.parameters.resize(std::min(program.parameter_bytes, 4096u) / 8 * 8);
  for (size_t at = 0; at < launch.parameters.size(); at += 8) {
    const auto buffer = memory.allocate(kBufferBytes, "buffer");
    if (!buffer.ok()) return;
    std::memcpy(launch.parameters.data() + at, &*buffer, 8);
    if (at >= 64) break;
  }
  launch.memory = &memory;
  launch.instruction_limit = 1000;
  launch.timeout_s = 1;
  launch.threads = choice & 2 ? 2 : 1;
  launch.cooperative = choice % 12 == 0;
  launch.cluster = {choice % 5 == 0 ? 2u : 1u, 1, 1};
  launch.restore = choice & 16;
  launch.keep_results = choice & 32;
  launch.watch.assign(program.code.size(), choice % 3 == 0);
  const auto counts = simt::sass_machine::run_machine(program, launch);
  const std::string& why = counts.ok() ? counts->stop.reason : counts.status().message();
  if ((!counts.ok() || counts->stop.kind != simt::sass_machine::Stop::Kind::kNone) && why.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view image{reinterpret_cast<const char*>(data), size};
  const auto cubin = cubin::read_cubin(image);
  if (!cubin.ok()) return 0;
  size_t done = 0;
  for (const cubin::Function& function : cubin->functions) {
    if (!function.is_kernel) continue;
    const auto none = [](std::string_view) -> std::optional<simt::Variable> { return std::nullopt; };
    const auto program = simt::sass_machine::load_program(image, function.name, none);
    if (program.ok()) run(*program, choice_of(image) + static_cast<uint32_t>(done));
    if (++done == kMostKernels) break;
  }
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

/// Three times of four a change in the machine code itself: a bit, or an instruction put elsewhere.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  std::mt19937 random(seed);
  const std::string_view image{reinterpret_cast<const char*>(data), size};
  const auto elf = cubin::read_elf(image);
  std::vector<std::string_view> codes;
  if (elf.ok() && random() % 4) {
    for (const cubin::ElfSection& section : elf->sections)
      if (section.name.starts_with(".text.") && section.bytes.size() >= kWordBytes) codes.push_back(section.bytes);
  }
  if (codes.empty()) return LLVMFuzzerMutate(data, size, most);
  for (uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::string_view code = codes[random() % codes.size()], other = codes[random() % codes.size()];
    uint8_t* at = data + (code.data() - image.data()) + random() % (code.size() / kWordBytes) * kWordBytes;
    const uint8_t* from = data + (other.data() - image.data()) + random() % (other.size() / kWordBytes) * kWordBytes;
    if (random() % 3) at[random() % kWordBytes] ^= static_cast<uint8_t>(1u << random() % 8);
    else std::memmove(at, from, kWordBytes);
  }
  return size;
}
