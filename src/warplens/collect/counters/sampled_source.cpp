#include "warplens/collect/counters/sampled_source.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace warplens::cupti {
namespace {

constexpr uint64_t kInstructionBytes = 16;
constexpr uint64_t kNear = 8 * kInstructionBytes;  // from a barrier to where its warps are sampled

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

}  // namespace

SourceLine source_of(const SourceLines& lines, const PcSamples& place, const std::vector<std::string>& reasons) {
  return lines.at(place.function, waits_for(place, reasons, lines.code(place.function)));
}

}  // namespace warplens::cupti
