// Unwinds from a function's frame to its caller's, by the call frame information that compilers write into .eh_frame.
// See DWARF 5, section 6.4, and the Linux Standard Base, "Exception Frames". For x86-64; elsewhere there are no rules.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace warplens::collect {

// DWARF's numbers of x86-64's registers; the last is the place to return to.
inline constexpr unsigned kRegisters = 17, kStackPointer = 7, kReturnColumn = 16, kFramePointer = 6;

/// Where the caller's value of a register is.
struct SavedRegister {
  // `base` is a register's number, or one of these: the caller's stack pointer, unchanged, unknown
  static constexpr uint8_t kCaller = 253, kKept = 254, kLost = 255;
  uint8_t base = kKept;
  int32_t offset = 0;  // bytes from the value of `base`, of the place in memory
};

/// How to step out of a function from one place in it.
struct FrameRule {
  uint64_t function = 0;                   // where it begins
  uint32_t base_register = kStackPointer;  // this plus base_offset is the caller's stack pointer,
  int64_t base_offset = 0;
  bool dereferenced = false;  // or the place where that lies
  std::array<SavedRegister, kRegisters> saved{};
};

/// Bytes of this process that may be read: those of a segment that is mapped.
struct MappedBytes {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

/// The rule at `address` of the code that `header` (the segment .eh_frame_hdr, within `bytes`) indexes. Nothing if no
/// rule covers it, or if it needs unsupported parts: expressions that compilers do not write, tables that linkers do
/// not write.
std::optional<FrameRule> frame_rule(MappedBytes bytes, const uint8_t* header, uint64_t address);

}  // namespace warplens::collect
