// Device memory. A device address is a host address, so a kernel reads and writes the bytes where they lie.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::simt {

using Address = uint64_t;

/// One range of device memory that kernels may use.
struct Allocation {
  Address begin = 0, end = 0;
  uint32_t id = 0;     // 1 for the first, then counting up; never used again
  std::string name;    // for messages: "x", "lut"; empty when it has none
  bool freed = false;  // kept in the list so that a use after free can be named
  bool writable = true;
  bool initialised = true;  // false: bytes count as unwritten until a kernel or a copy writes them
  bool by_kernel = false;   // a kernel's malloc made it, so its free may end it
};

/// A live allocation's bounds.
struct Range {
  Address begin = 1, end = 0;
  bool writable = false;
};

/// Where generic addresses of the other state spaces lie: far above any host address.
inline constexpr Address kSharedWindow = Address{1} << 56, kLocalWindow = Address{2} << 56,
                         kParamWindow = Address{4} << 56;

/// The device memory of one emulated GPU. Own allocations are in one arena, at addresses that do not change from
/// run to run. They are 512-byte aligned, each with red zones of at least 512 bytes around it. Memory of the
/// host program can be adopted: registered range by range, or everything that the process has mapped. Several
/// threads may allocate, search and free from kernels at the same time. The host must not free while a kernel
/// runs.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Zero-filled (a GPU's would not be). Errors: no memory left.
  Result<Address> allocate(uint64_t size_bytes, std::string name = {});
  /// Errors: not the start of a live allocation.
  Status free(Address address);
  /// malloc and free in a kernel. Errors: no memory left; not a result of a kernel's malloc, or freed before.
  Result<Address> allocate_in_kernel(uint64_t size_bytes);
  Status free_in_kernel(Address address);
  /// Makes a host range usable by kernels in place; `release` ends that.
  void adopt(void* begin, uint64_t size_bytes, std::string name = {}, bool writable = true);
  void release(void* begin);
  /// Any byte that this process may read counts as device memory (for callers without known sizes).
  void adopt_everything() { everything_ = true; }

  /// Marks bytes as unwritten, for the check of uninitialised reads.
  void mark_uninitialised(Address address);

  /// One byte for each byte from `address` to the end of its allocation, 1 where written; nullptr when all of it counts
  /// as written.
  uint8_t* shadow(Address address) const;

  /// Bounds of the live allocation that holds `address`; false if there is none.
  bool range(Address address, Range& out) const;
  /// The allocation, live or freed, nearest to `address`, for messages; none if there is none.
  std::optional<Allocation> nearest(Address address) const;
  /// True if bytes are right after an allocation, in its red zone: a GPU, which maps 2 MiB at a time, allows it.
  bool in_padding(Address address, uint64_t size_bytes) const;
  /// Live allocations in order of address.
  std::vector<Allocation> live() const;
  /// Changes whenever an allocation is added or removed, so that cached answers of find can be dropped.
  uint64_t version() const { return version_; }

 private:
  bool map_range(Address address, Range& out) const;
  Result<Address> allocate_locked(uint64_t size_bytes, std::string name);
  Status free_locked(Address address);
  Address take_joined(uint64_t span);

  mutable std::mutex mutex_;
  std::map<Address, Allocation> live_;                // by begin
  std::map<Address, Allocation> freed_;               // by begin
  std::map<Address, std::vector<uint8_t>> shadows_;   // by begin, of those not initialised
  std::map<uint64_t, std::deque<Address>> reusable_;  // by size, the longest free first
  std::map<Address, uint64_t> joined_;                // sizes of freed ranges of other sizes, once the arena was full
  Address arena_ = 0, next_ = 0, arena_end_ = 0;
  uint32_t next_id_ = 1;
  bool everything_ = false;
  uint64_t version_ = 1;
};

}  // namespace warplens::simt
