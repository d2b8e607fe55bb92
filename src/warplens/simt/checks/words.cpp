#include "warplens/simt/checks/words.h"

#include "warplens/base/text.h"

namespace warplens::simt {
namespace {

std::string name_of(const Allocation& allocation) {
  return allocation.name.empty() ? fmt::format("allocation {}", allocation.id) : fmt::format("'{}'", allocation.name);
}

}  // namespace

std::string describe_address(const Memory& memory, Address address) {
  const std::optional<Allocation> near = memory.nearest(address);
  if (!near) return "there are no allocations";
  const std::string name = name_of(*near);
  const uint64_t bytes = near->end - near->begin;
  if (address < near->begin) return fmt::format("{} bytes before {} of {} bytes", near->begin - address, name, bytes);
  if (address == near->end) return fmt::format("right past the end of {} of {} bytes", name, bytes);
  if (address > near->end)
    return fmt::format("{} bytes past the end of {} of {} bytes", address - near->end, name, bytes);
  return fmt::format("{} bytes into {} of {} bytes, which {}", address - near->begin, name, bytes,
                     near->freed      ? "was freed"
                     : near->writable ? "ends before the access does"
                                      : "may not be written");
}

std::string describe_place(const Memory& memory, Address address) {
  const std::optional<Allocation> in = memory.nearest(address);
  if (!in || address < in->begin || address >= in->end) return fmt::format("{:#x}", address);
  return fmt::format("{:#x}, byte {} of {} of {} bytes", address, address - in->begin, name_of(*in),
                     in->end - in->begin);
}

std::string_view what_orders(bool same_block) {
  return same_block ? "add __syncthreads() between the two accesses of this block"
                    : "the threads are in two blocks, so use atomics, or a flag with __threadfence() on both sides";
}

}  // namespace warplens::simt
