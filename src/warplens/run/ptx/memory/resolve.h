// Maps kernels' addresses to bytes of this process, and reports invalid ones.
#pragma once
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/checks/words.h"
#include "warplens/simt/lanes/values.h"
#include "warplens/simt/memory/fits.h"

namespace warplens::simt::ptx_machine {

/// True if [begin, end) is in one allocation that may be read (written); the answer is cached by Op::range.
bool find_range(Warp& warp, const Op& op, Address begin, Address end, bool write);
inline namespace WARPLENS_ISA_NAME {
inline bool in_range(Warp& warp, const Op& op, Address begin, Address end, bool write) {
  const Range& range = warp.ranges[op.range];
  return (begin >= range.begin && begin < end && end <= range.end && (!write || range.writable)) ||
         find_range(warp, op, begin, end, write);
}
}  // namespace WARPLENS_ISA_NAME

/// The bytes at a generic address of `lane`, or nullptr. Shared memory of other blocks of the cluster included.
/// For local memory this is the first word only: words of a lane are 128 bytes apart.
uint8_t* resolve_generic(Warp& warp, const Op& op, uint32_t lane, Address address, uint32_t size, bool write);
/// The bytes at a shared-window offset: bits 24 and up are 0 for the own block, rank + 1 for another of the cluster.
uint8_t* resolve_shared(Warp& warp, Address offset, uint32_t size);

/// "the block has 128 bytes of shared memory", and how much of it the launch gave to an extern array.
std::string describe_shared(const Warp& warp);

/// Faults with a message that describes the failed access.
void raise_address(Warp& warp, const Op& op, uint32_t lane, Address address, uint32_t size, const char* space,
                   bool write);
void raise_misaligned(Warp& warp, const Op& op, uint32_t lane, Address address, uint32_t size);

inline constexpr uint32_t kClusterShift = 24;

}  // namespace warplens::simt::ptx_machine
