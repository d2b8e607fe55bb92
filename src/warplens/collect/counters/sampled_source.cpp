#include "warplens/collect/counters/sampled_source.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "warplens/collect/counters/elf.h"

namespace warplens::cupti {
namespace {

constexpr uint64_t kInstructionBytes = 16;
constexpr uint64_t kNear = 8 * kInstructionBytes;       // from a barrier to where its warps are sampled
constexpr uint64_t kFarthest = 64 * kInstructionBytes;  // from an intrinsic to the program's own lines

struct WaitingInstruction {
  const char* reason;   // a part of its name
  uint32_t opcodes[2];  // the low 12 bits of an instruction
};

// BAR; NANOSLEEP; MEMBAR and ERRBAR
constexpr WaitingInstruction kWaits[] = {
    {"stalled_barrier", {0xb1d, 0xb1d}}, {"stalled_sleeping", {0x95d, 0x85d}}, {"stalled_membar", {0x992, 0x9ab}}};

uint32_t opcode_at(std::string_view code, uint64_t offset) {
  uint16_t low = 0;
  if (offset + kInstructionBytes <= code.size()) std::memcpy(&low, code.data() + offset, sizeof low);
  return low & 0xfffU;
}

/// The instruction whose effect a warp sampled here waits for.
uint64_t waits_for(const PcSamples& place, const std::vector<std::string>& reasons, std::string_view code) {
  const auto most = std::max_element(place.by_reason.begin(), place.by_reason.end());
  const size_t reason = static_cast<size_t>(most - place.by_reason.begin());
  if (most == place.by_reason.end() || reason >= reasons.size() || place.offset < kInstructionBytes)
    return place.offset;
  for (const WaitingInstruction& wait : kWaits) {
    if (reasons[reason].find(wait.reason) == std::string::npos) continue;
    for (uint64_t far = 0; far <= std::min(kNear, place.offset); far += kInstructionBytes) {
      const uint32_t opcode = opcode_at(code, place.offset - far);
      if (std::find(std::begin(wait.opcodes), std::end(wait.opcodes), opcode) != std::end(wait.opcodes))
        return place.offset - far;
    }
  }
  return place.offset;
}

SourceLine line_at(const SamplingLibrary& sampling, const std::vector<char>& cubin, const std::string& function,
                   uint64_t offset) {
  SourceOfPc source;
  source.function = function.c_str();
  source.offset = offset;
  source.cubin = cubin.data();
  source.cubin_bytes = cubin.size();
  if (sampling.cuptiGetSassToSourceCorrelation(&source) != kSuccess) return {};
  const auto text = [](const char* part) { return std::string(part != nullptr ? part : ""); };
  const std::string folder = text(source.folder), file = text(source.file);
  std::free(source.file);
  std::free(source.folder);
  const bool absolute = folder.empty() || file.starts_with("/");
  return {absolute ? file : folder + "/" + file, source.line};
}

bool is_intrinsic(const std::string& file) {
  if (file.find("/include/crt/") != std::string::npos) return true;
  const size_t slash = file.find_last_of('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return name.find("intrinsics") != std::string::npos || name.find("device_functions") != std::string::npos ||
         name.find("device_atomic_functions") != std::string::npos;
}

}  // namespace

SourceLine source_of(const SamplingLibrary& sampling, const std::vector<char>& cubin, const PcSamples& place,
                     const std::vector<std::string>& reasons) {
  const Elf elf(cubin.data(), cubin.size());
  const std::string_view code = elf.section(".text." + place.function);
  const uint64_t offset = waits_for(place, reasons, code);
  SourceLine there = line_at(sampling, cubin, place.function, offset);
  if (!is_intrinsic(there.file)) return there;
  for (uint64_t far = kInstructionBytes; far <= std::min(kFarthest, offset); far += kInstructionBytes) {
    const SourceLine near = line_at(sampling, cubin, place.function, offset - far);
    if (near.line > 0 && !is_intrinsic(near.file)) return near;
  }
  return there;
}

}  // namespace warplens::cupti
