// How a function's frame leads to its caller's: the call frame information that compilers write into .eh_frame (DWARF
// 5, section 6.4, and the Linux Standard Base, "Exception Frames"). For x86-64; elsewhere there are no rules.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace warplens::collect {

// DWARF's numbers of x86-64's registers; the last is the place to return to.
inline constexpr unsigned kRegisters = 17, kStackPointer = 7, kReturnColumn = 16, kFramePointer = 6;

/// Where the caller's value of a register is.
struct SavedRegister {
  // `base` is a register's number, or one of these: the caller's stack pointer; not changed; not to be had
  static constexpr uint8_t kCaller = 253, kKept = 254, kLost = 255;
  uint8_t base = kKept;
  int32_t offset = 0;  // bytes from what `base` is, of the place in memory
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

/// The rule at `address` of the code that `header` (the segment .eh_frame_hdr, within `bytes`) indexes; nothing where
/// none covers it or it needs what is not done here (expressions that compilers do not write, other tables than linkers
/// write).
std::optional<FrameRule> frame_rule(MappedBytes bytes, const uint8_t* header, uint64_t address);

}  // namespace warplens::collect
