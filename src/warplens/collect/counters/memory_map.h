// The memory of a context that a kernel may write: the program's allocations, from the driver's calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/collect/counters/abi.h"

namespace warplens::cupti {

enum class MemoryCall : uint8_t {
  kNone,
  kAllocate,
  kAllocatePitch,
  kMap,
  kFree,   // frees the memory of an address
  kUnmap,  // of an address and a size
  kHostAllocate,
  kHostRegister,
  kHostFree,
  kOther,  // makes memory that cannot be saved and restored as bytes at an address
  kCopy,   // changes or reads memory
  kEnd,    // ends something that a launch needs: a stream, a module, a pool
};

/// The effect of the driver call `name` ("cuMemAlloc", without version) on memory.
MemoryCall memory_call(std::string_view plain_name);

struct Region {
  uint64_t address = 0;
  size_t bytes = 0;
};

class MemoryMap {
 public:
  /// After a call that succeeded.
  void after(MemoryCall call, const ApiCallback& data);
  const std::map<uint64_t, size_t>& regions() const { return regions_; }
  /// True if `address` is in host memory that the device sees too.
  bool is_host(uint64_t address) const;
  /// The call that made memory which cannot be saved; empty: none did.
  const std::string& other() const { return other_; }

 private:
  std::map<uint64_t, size_t> regions_, host_;  // bytes by address
  std::string other_;
};

}  // namespace warplens::cupti
