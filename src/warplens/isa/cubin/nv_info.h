// The attributes that ptxas leaves in .nv.info sections.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warplens::cubin {

/// Numbers as `cuobjdump -elf` shows them.
enum class Attribute : uint8_t {
  kMaxThreads = 0x05,
  kParameterBank = 0x0a,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameter = 0x17,
  kParameterBytes = 0x19,
  kMaxStackSize = 0x23,
  kRegisters = 0x2f,
  kCluster = 0x3d,
  kUsesReservedShared = 0x41,
  kLargeParameter = 0x45,  // kParameter, of blocks of more than 4 KB
  kBarriers = 0x4c,
};

struct InfoEntry {
  Attribute attribute;
  uint16_t value = 0;        // of attributes that are one number
  std::string_view payload;  // of the others
};

/// A kernel's parameter: its place in the block of all of them.
struct Parameter {
  uint32_t ordinal = 0, offset = 0, size_bytes = 0;
};
/// The parameter that an entry describes; nothing for other entries.
std::optional<Parameter> parameter_of(const InfoEntry& entry);

/// The entries up to the first that does not fit.
std::vector<InfoEntry> read_info(std::string_view section);

}  // namespace warplens::cubin
