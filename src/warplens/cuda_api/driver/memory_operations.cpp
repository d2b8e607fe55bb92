// Words that a stream writes, and words that it waits for. Work is done when it is requested, so a stream can only wait
// for a word that is there already: any other wait is refused, because nothing would ever end it.
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/cuda_api/copies.h"
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/submit.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

/// CUstreamBatchMemOpParams.
struct MemoryOperation {
  int kind;
  simt::Address address;
  uint64_t value;
  unsigned flags;
  simt::Address alias;
  uint64_t rest;
};
static_assert(sizeof(MemoryOperation) == 48);
enum OperationKind : int { kWait32 = 1, kWrite32 = 2, kFlush = 3, kWait64 = 4, kWrite64 = 5, kBarrier = 6 };
enum Compare : unsigned { kNotBelow = 0, kEqual = 1, kAnyBit = 2, kNotAllBits = 3, kCompare = 3 };

/// By the sign of the cyclic difference, as CUDA compares counters that wrap around.
bool is_reached(uint64_t have, uint64_t want, unsigned flags, bool wide) {
  const uint64_t mask = wide ? ~uint64_t{0} : UINT32_MAX;
  want &= mask;
  switch (flags & kCompare) {
    case kNotBelow: return wide ? static_cast<int64_t>(have - want) >= 0 : static_cast<int32_t>(have - want) >= 0;
    case kEqual: return have == want;
    case kAnyBit: return (have & want) != 0;
    default: return (~(have | want) & mask) != 0;
  }
}

Error wait_for(Runtime& runtime, const MemoryOperation& o, bool wide) {
  uint64_t have = 0;
  const auto* place = reinterpret_cast<const void*>(o.address);
  if (const Error error = copy(runtime, &have, place, wide ? 8 : 4, kDefault); error != cudaSuccess) return error;
  if (is_reached(have, o.value, o.flags, wide)) return cudaSuccess;
  return runtime.tell(cudaErrorNotSupported,
                      fmt::format("a stream would wait for a word at 0x{:x} that is {} now. Work is done when it is "
                                  "requested, so no later write can end the wait. Write the word first, or use events",
                                  o.address, have));
}

Error run(Runtime& runtime, const MemoryOperation& o) {
  switch (o.kind) {
    case kWait32:
    case kWait64: return wait_for(runtime, o, o.kind == kWait64);
    case kWrite32:
    case kWrite64:
      return copy(runtime, reinterpret_cast<void*>(o.address), &o.value, o.kind == kWrite64 ? 8 : 4, kDefault);
    default: return cudaSuccess;  // all writes are seen at once
  }
}

Error check(const Runtime& runtime, const MemoryOperation& o) {
  if (o.kind < kWait32 || o.kind > kBarrier) return cudaErrorInvalidValue;
  if (o.kind == kFlush || o.kind == kBarrier) return cudaSuccess;
  const uint64_t size_bytes = o.kind == kWait64 || o.kind == kWrite64 ? 8 : 4;
  const auto* place = reinterpret_cast<const void*>(o.address);
  const bool there = runtime.holder(place, size_bytes) != nullptr || runtime.is_registered(place);
  return there && o.address % size_bytes == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

int operate(void* stream, unsigned count, const MemoryOperation* operations) {
  return on_stream(stream, [&](Runtime& runtime) {
    if (operations == nullptr || count == 0) return cudaErrorInvalidValue;
    const std::vector<MemoryOperation> all(operations, operations + count);
    for (const MemoryOperation& operation : all) {
      if (const Error error = check(runtime, operation); error != cudaSuccess) return error;
    }
    return submit(runtime, stream, NodeKind::kMemoryOperations, [all](Runtime& then) {
      for (const MemoryOperation& operation : all) {
        if (const Error error = run(then, operation); error != cudaSuccess) return error;
      }
      return cudaSuccess;
    });
  });
}

int operate(void* stream, int kind, simt::Address address, uint64_t value, unsigned flags) {
  const MemoryOperation one{.kind = kind, .address = address, .value = value, .flags = flags, .alias = 0, .rest = 0};
  return operate(stream, 1, &one);
}

}  // namespace

CUDA_API int cuStreamWriteValue32_v2(void* stream, simt::Address address, uint32_t value, unsigned flags) {
  return operate(stream, kWrite32, address, value, flags);
}
CUDA_API int cuStreamWriteValue64_v2(void* stream, simt::Address address, uint64_t value, unsigned flags) {
  return operate(stream, kWrite64, address, value, flags);
}
CUDA_API int cuStreamWaitValue32_v2(void* stream, simt::Address address, uint32_t value, unsigned flags) {
  return operate(stream, kWait32, address, value, flags);
}
CUDA_API int cuStreamWaitValue64_v2(void* stream, simt::Address address, uint64_t value, unsigned flags) {
  return operate(stream, kWait64, address, value, flags);
}
CUDA_API int cuStreamBatchMemOp_v2(void* stream, unsigned count, const MemoryOperation* operations, unsigned) {
  return operate(stream, count, operations);
}
