#include "warplens/cuda_api/ipc/reserved.h"

#include <algorithm>

namespace warplens::cuda_api {
namespace {

/// From this size on the arena aligns to 2 MiB.
uint64_t taken_bytes(uint64_t size_bytes) { return std::max(size_bytes, uint64_t{1} << 20); }

}  // namespace

Result<simt::Address> reserve(simt::Memory& memory, uint64_t size_bytes) {
  WL_ASSIGN(const simt::Address begin, memory.allocate(taken_bytes(size_bytes)));
  memory.release(reinterpret_cast<void*>(begin));
  return begin;
}

void unreserve(simt::Memory& memory, simt::Address begin, uint64_t size_bytes) {
  memory.adopt(reinterpret_cast<void*>(begin), taken_bytes(size_bytes));
  (void)memory.free(begin);
}

}  // namespace warplens::cuda_api
