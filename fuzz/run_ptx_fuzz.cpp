// Kernels that were changed so that they still parse, run on small buffers: each launch ends, well or with a fault.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mutate_ptx.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/run/ptx/emulator.h"

namespace {

using namespace warplens;
constexpr uint64_t kBufferBytes = 32 << 10, kInstructionLimit = 20'000;
constexpr size_t kMostKernels = 4;

/// Pointers where 64 bits are taken, counts where less; a byte pattern in structs.
std::vector<uint8_t> parameters(const ptx::Function& kernel, simt::Memory& memory) {
  std::vector<uint8_t> out(std::min(kernel.parameter_bytes(), 1u << 16));
  for (const ptx::Variable& parameter : kernel.parameters) {
    if (parameter.offset + parameter.size_bytes > out.size()) continue;
    uint64_t value = 100;
    if (parameter.size_bytes == 8) {
      const auto buffer = memory.allocate(kBufferBytes, parameter.name);
      if (!buffer.ok()) continue;
      value = *buffer;
      auto* bytes = reinterpret_cast<uint8_t*>(value);
      for (uint64_t i = 0; i < kBufferBytes; ++i) bytes[i] = static_cast<uint8_t>(i * 7 >> (i % 3));
    }
    std::memcpy(out.data() + parameter.offset, &value, std::min<uint64_t>(parameter.size_bytes, sizeof value));
  }
  return out;
}

/// The same text gives the same launch, another one another.
uint32_t choice_of(const uint8_t* data, size_t size) {
  uint32_t out = 2166136261u;
  for (size_t i = 0; i < size; ++i) out = (out ^ data[i]) * 16777619u;
  return out >> 8;
}

void run(simt::ptx_machine::Module& module, const ptx::Function& kernel, uint32_t choice) {
  simt::Launch config;
  config.grid = {1 + choice % 3, 1, 1};
  config.block = {choice & 4 ? 64u : 33u, choice & 8 ? 1u : 2u, 1};
  config.cluster = {0, 0, 0};
  config.dynamic_shared_bytes = choice & 16 ? 0 : 16 << 10;
  config.parameters = parameters(kernel, module.memory());
  config.threads = choice & 32 ? 1 : 2;
  config.cooperative = choice & 64;
  config.checks = choice & 128 ? simt::kCheckAll : 0;
  config.count = choice & 256;
  if (choice & 512) config.schedule = {simt::Schedule::Kind::kRandom, choice};
  config.instruction_limit = kInstructionLimit;
  const auto result = simt::ptx_machine::launch(module, kernel.name, config);
  if (!result.ok() && result.status().message().empty()) std::abort();
  if (result.ok() && result->fault && result->fault->text().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto parsed = ptx::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!parsed.ok()) return 0;
  simt::Memory memory;
  auto module = simt::ptx_machine::Module::load(std::make_shared<ptx::Module>(std::move(*parsed)), memory);
  if (!module.ok()) return 0;
  size_t done = 0;
  for (const std::string& name : (*module)->kernels()) {
    if (const auto kernel = (*module)->kernel(name); kernel.ok()) run(**module, **kernel, choice_of(data, size));
    if (++done == kMostKernels) break;
  }
  return 0;
}
