#include "warplens/simt/checks/defects.h"

#include "warplens/base/text.h"
#include "warplens/simt/checks/words.h"

namespace warplens::simt {
namespace {

const char* verb(bool writes) { return writes ? "write" : "read"; }

}  // namespace

std::string access_text(bool writes, uint64_t size_bytes) {
  return fmt::format("{} of {} bytes", verb(writes), size_bytes);
}

Defect misaligned(bool writes, uint32_t size_bytes, bool shared, Address address, uint32_t alignment) {
  return {"misaligned", fmt::format("{} at {} address {:#x}, which is not a multiple of {}",
                                    access_text(writes, size_bytes), shared ? "shared" : "global", address, alignment)};
}

Defect outside_shared(bool writes, uint32_t size_bytes, const std::string& where, const std::string& has) {
  return {"out-of-bounds", fmt::format("{} at {}: {}", access_text(writes, size_bytes), where, has)};
}

Defect outside_memory(const Memory& memory, bool writes, uint32_t size_bytes, Address address) {
  const std::optional<Allocation> near = memory.nearest(address);
  const bool freed = near && near->freed && address >= near->begin && address < near->end;
  return {freed ? "use-after-free" : "out-of-bounds",
          fmt::format("{} at {:#x}: {}", access_text(writes, size_bytes), address, describe_address(memory, address))};
}

std::string not_ordered(std::string_view by, bool writes, uint64_t size_bytes, const std::string& where,
                        std::string_view before_by, bool before_wrote) {
  const bool threads = by.empty() && before_by.empty();
  return fmt::format("{}{} at {} is not ordered after an earlier {}{} of the same bytes{}", by,
                     access_text(writes, size_bytes), where, before_by, verb(before_wrote),
                     threads ? " by another thread" : "");
}

}  // namespace warplens::simt
