#include "warplens/cuda_api/copies.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "warplens/cuda_api/checked_launch.h"
#include "warplens/cuda_api/clock.h"
#include "warplens/cuda_api/sample/sample.h"

namespace warplens::cuda_api {
namespace {

Place place_of(const Runtime& runtime, const void* pointer) {
  simt::Range range;
  if (runtime.is_registered(pointer)) return Place::kPinned;
  if (const Allocation* allocation = runtime.holder(pointer, 1)) {
    return allocation->storage == Storage::kDevice    ? Place::kDevice
           : allocation->storage == Storage::kManaged ? Place::kManaged
                                                      : Place::kPinned;
  }
  const bool variable = runtime.memory.range(reinterpret_cast<simt::Address>(pointer), range);
  return variable ? Place::kDevice : Place::kPageable;
}
bool on_device(Place place) { return place == Place::kDevice || place == Place::kManaged; }

/// The bytes from the first row's begin to the last one's end; more than there are where that is no number.
size_t span(size_t pitch, size_t width_bytes, size_t rows) {
  size_t out = 0;
  const bool fits = !__builtin_mul_overflow(pitch, rows - 1, &out) && !__builtin_add_overflow(out, width_bytes, &out);
  return fits ? out : SIZE_MAX;
}

/// A device side lies wholly in one allocation (or in a module's variable); a host side may be any memory.
Error side_error(const Runtime& runtime, const void* pointer, size_t size_bytes, bool must_be_device) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (must_be_device || runtime.holder(pointer, 1) != nullptr) {
    simt::Range range;
    const auto begin = reinterpret_cast<simt::Address>(pointer);
    if (!runtime.memory.range(begin, range) || size_bytes > range.end - begin) return cudaErrorInvalidValue;
    return cudaSuccess;
  }
  const std::optional<simt::Allocation> near = runtime.memory.nearest(reinterpret_cast<simt::Address>(pointer));
  const bool freed =
      near && near->freed && reinterpret_cast<simt::Address>(pointer) - near->begin < near->end - near->begin;
  return freed ? cudaErrorInvalidValue : cudaSuccess;
}

/// Results that a sample left out reach these bytes first.
void settle(Runtime& runtime, const void* begin, uint64_t size_bytes) {
  if (runtime.launch_watch.sample)
    Sample::of(runtime.memory).pending().settle(reinterpret_cast<uintptr_t>(begin), size_bytes);
}

Error check_side(Runtime& runtime, const void* pointer, size_t size_bytes, bool must_be_device) {
  const Error error = side_error(runtime, pointer, size_bytes, must_be_device);
  if (error != cudaSuccess) report_refused_copy(runtime, pointer, size_bytes);
  return error;
}

void pass_rows(Runtime& runtime, const Rows& side, size_t width_bytes, size_t rows) {
  for (size_t row = 0; row < rows; ++row)
    runtime.pass_l2(static_cast<const char*>(side.first) + row * side.pitch, width_bytes);
}

/// Reads whole pieces. Returns those of its sectors that were in L2.
uint64_t read_rows(Runtime& runtime, const Rows& side, size_t width_bytes, size_t rows) {
  using simt::sass_machine::TouchedRun;
  if (!runtime.timed) return 0;
  const auto all = static_cast<uint16_t>(std::min<uint64_t>((width_bytes + 31) / 32, TouchedRun::kPieceSectors));
  uint64_t warm = 0;
  for (size_t row = 0; row < rows; ++row) {
    const uint64_t begin = reinterpret_cast<uintptr_t>(side.first) + row * side.pitch;
    const uint64_t first = begin / TouchedRun::kPieceBytes, last = (begin + width_bytes - 1) / TouchedRun::kPieceBytes;
    warm += runtime.l2().pass(std::array{TouchedRun{first, last - first + 1, all, all}});
  }
  return std::min<uint64_t>(warm, (width_bytes * rows + 31) / 32);
}

/// Zeros over much device memory cost nothing for each byte: its pages go back to the system, which gives them out
/// empty. Benchmarks clear the L2 cache so, again and again.
void fill_bytes(const Runtime& runtime, char* begin, int value, size_t size_bytes) {
  constexpr size_t kPageBytes = 4096, kLargeBytes = size_t{1} << 20;
  const Allocation* const allocation = runtime.holder(begin, size_bytes);
  const bool empties =
      value == 0 && size_bytes >= kLargeBytes && allocation != nullptr && allocation->storage == Storage::kDevice;
  const size_t head = empties ? -reinterpret_cast<uintptr_t>(begin) % kPageBytes : size_bytes;
  const size_t pages_bytes = (size_bytes - head) / kPageBytes * kPageBytes;
  char* const tail = begin + head + pages_bytes;
  std::memset(begin, value, head);
  if (pages_bytes > 0 && ::madvise(begin + head, pages_bytes, MADV_DONTNEED) != 0)
    std::memset(begin + head, value, pages_bytes);
  std::memset(tail, value, static_cast<size_t>(begin + size_bytes - tail));
}

}  // namespace

Error copy_rows(Runtime& runtime, const Rows& target, const Rows& source, size_t width_bytes, size_t rows, int kind) {
  runtime.flush_printed();
  if (width_bytes == 0 || rows == 0) return cudaSuccess;
  if (kind < kHostToHost || kind > kDefault) return cudaErrorInvalidMemcpyDirection;
  if (rows > 1 && (target.pitch < width_bytes || source.pitch < width_bytes)) return cudaErrorInvalidPitchValue;
  const bool to_device = kind == kHostToDevice || kind == kDeviceToDevice;
  const bool from_device = kind == kDeviceToHost || kind == kDeviceToDevice;
  if (const Error error = check_side(runtime, target.first, span(target.pitch, width_bytes, rows), to_device);
      error != cudaSuccess) {
    return error;
  }
  if (const Error error = check_side(runtime, source.first, span(source.pitch, width_bytes, rows), from_device);
      error != cudaSuccess) {
    return error;
  }
  settle(runtime, source.first, span(source.pitch, width_bytes, rows));
  settle(runtime, target.first, span(target.pitch, width_bytes, rows));
  for (size_t row = 0; row < rows; ++row) {
    std::memmove(static_cast<char*>(target.first) + row * target.pitch,
                 static_cast<const char*>(source.first) + row * source.pitch, width_bytes);
    mark_written(runtime, static_cast<char*>(target.first) + row * target.pitch,
                 static_cast<const char*>(source.first) + row * source.pitch, width_bytes);
  }
  const Place from = place_of(runtime, source.first), to = place_of(runtime, target.first);
  const uint64_t bytes = width_bytes * rows, warm = on_device(from) ? read_rows(runtime, source, width_bytes, rows) : 0;
  if (on_device(to)) pass_rows(runtime, target, width_bytes, rows);
  const bool within = on_device(from) && on_device(to), pageable = from == Place::kPageable || to == Place::kPageable;
  const Span span =
      spend(runtime, within ? transfer_ns(runtime, bytes, warm, bytes) : copy_ns(runtime, bytes, pageable));
  if (runtime.recording) runtime.recording->copy(from, to, width_bytes * rows, span, runtime.working);
  runtime.activities.copy(from, to, width_bytes * rows, span.end_ns - span.begin_ns, runtime.working);
  return cudaSuccess;
}

Error copy(Runtime& runtime, void* target, const void* source, size_t size_bytes, int kind) {
  return copy_rows(runtime, {target, size_bytes}, {const_cast<void*>(source), size_bytes}, size_bytes, 1, kind);
}

Error fill_rows(Runtime& runtime, const Rows& target, int value, size_t width_bytes, size_t rows) {
  if (width_bytes == 0 || rows == 0) return cudaSuccess;
  if (rows > 1 && target.pitch < width_bytes) return cudaErrorInvalidValue;
  if (const Error error = check_side(runtime, target.first, span(target.pitch, width_bytes, rows), true);
      error != cudaSuccess) {
    return error;
  }
  settle(runtime, target.first, span(target.pitch, width_bytes, rows));
  for (size_t row = 0; row < rows; ++row) {
    char* const begin = static_cast<char*>(target.first) + row * target.pitch;
    fill_bytes(runtime, begin, value, width_bytes);
    mark_written(runtime, begin, nullptr, width_bytes);
    runtime.pass_l2(begin, width_bytes);
  }
  const Span span = spend(runtime, transfer_ns(runtime, 0, 0, width_bytes * rows));
  const Place where = place_of(runtime, target.first);
  if (runtime.recording) runtime.recording->fill(where, width_bytes * rows, span, runtime.working);
  runtime.activities.fill(where, width_bytes * rows, span.end_ns - span.begin_ns, runtime.working);
  return cudaSuccess;
}

Error fill_pattern(Runtime& runtime, const FillPattern& fill) {
  size_t width_bytes = 0;
  if (__builtin_mul_overflow(fill.count, size_t{fill.element_bytes}, &width_bytes)) return cudaErrorInvalidValue;
  const Rows target{fill.target.first, fill.rows > 1 ? fill.target.pitch : width_bytes};
  if (const Error error = fill_rows(runtime, target, 0, width_bytes, fill.rows); error != cudaSuccess) return error;
  if (width_bytes == 0) return cudaSuccess;
  for (size_t row = 0; row < fill.rows; ++row) {
    auto* bytes = static_cast<char*>(target.first) + row * target.pitch;
    for (size_t i = 0; i < fill.count; ++i)
      std::memcpy(bytes + i * fill.element_bytes, &fill.value, fill.element_bytes);
  }
  return cudaSuccess;
}

}  // namespace warplens::cuda_api
