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

/// An offset in shared memory is the own block's, unless kNamesBlock is set. Then the bits from kClusterShift on are
/// the rank of a block in the cluster.
inline constexpr uint32_t kClusterShift = 24;
inline constexpr Address kInBlock = (Address{1} << kClusterShift) - 1, kNamesBlock = Address{1} << 31;
inline Address block_window(uint32_t rank) { return kNamesBlock | Address{rank} << kClusterShift; }
/// The rank of the block whose shared memory holds an offset. Where no block does, the cluster has no block of that
/// rank.
inline uint64_t rank_of(Address offset, uint32_t own_rank) {
  constexpr uint64_t kNone = ~uint64_t{0};
  if ((offset & kNamesBlock) != 0) return (offset & ~kNamesBlock) >> kClusterShift;
  return offset <= kInBlock ? own_rank : kNone;
}

}  // namespace warplens::simt::ptx_machine
