#include "warplens/emulator/tensor_map.h"

#include "warplens/base/text.h"

namespace warplens::emulator {

uint32_t element_bytes(uint8_t element_type) {
  // u8 u16 u32 s32 u64 s64 f16 f32 f32.ftz f64 bf16 tf32 tf32.ftz
  constexpr uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  return element_type < sizeof kBytes ? kBytes[element_type] : 0;
}

Status check(const TensorMap& map) {
  if (map.rank > 4) return invalid_input(fmt::format("a tensor map of {} dimensions", map.rank + 1));
  const uint32_t bytes = element_bytes(map.element_type);
  if (bytes == 0) return unsupported(fmt::format("a tensor map of element type {}", map.element_type));
  if (map.interleave != 0) return unsupported("a tensor map with an interleaved layout");
  for (int i = 0; i <= map.rank; ++i) {
    if (map.box[static_cast<size_t>(i)] == 0 || map.box[static_cast<size_t>(i)] > 256) {
      return invalid_input(
          fmt::format("a tensor map whose box has {} elements in dimension {}", map.box[static_cast<size_t>(i)], i));
    }
  }
  constexpr uint32_t kWidest[4] = {~0u, 32, 64, 128};
  if (map.swizzle > 3 || map.box[0] * bytes > kWidest[map.swizzle]) {
    return invalid_input("a tensor map whose box is wider than its swizzle");
  }
  return {};
}

uint64_t box_bytes(const TensorMap& map) {
  uint64_t bytes = element_bytes(map.element_type);
  for (int i = 0; i <= map.rank; ++i) bytes *= map.box[static_cast<size_t>(i)];
  return bytes;
}

}  // namespace warplens::emulator
