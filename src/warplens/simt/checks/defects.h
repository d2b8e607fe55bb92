// The name and message of each defect of an access, for checks of PTX and of machine code.
#pragma once
#include <string>
#include <string_view>

#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

struct Defect {
  std::string_view id;
  std::string message;
};

/// The access: "read of 4 bytes".
std::string access_text(bool writes, uint64_t size_bytes);

Defect misaligned(bool writes, uint32_t size_bytes, bool shared, Address address, uint32_t alignment);
/// `where`: the place in shared memory; `has`: how much there is of it.
Defect outside_shared(bool writes, uint32_t size_bytes, const std::string& where, const std::string& has);
/// Of device memory: out of bounds, or after it was freed.
Defect outside_memory(const Memory& memory, bool writes, uint32_t size_bytes, Address address);
/// Two accesses to the same bytes. `by` and `before_by`: asynchronous units that made them, such as "wgmma's "; both
/// empty: two threads.
std::string not_ordered(std::string_view by, bool writes, uint64_t size_bytes, const std::string& where,
                        std::string_view before_by, bool before_wrote);

}  // namespace warplens::simt
