#include "warplens/emulator/asynchronous/tensor_map.h"

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

Result<TensorMap> encode(const TiledTensor& tensor) {
  const size_t rank = tensor.dimensions.size();
  if (rank < 1 || rank > 5) return invalid_input(fmt::format("a tensor map has 1 to 5 dimensions, not {}", rank));
  if (tensor.box.size() != rank || tensor.strides.size() + 1 != rank)
    return invalid_input("a tensor map needs a box extent for each dimension and a stride for each but the innermost");
  if (tensor.address % 16 != 0) return invalid_input("a tensor map's tensor starts at an address that 16 divides");
  TensorMap map;
  map.address = tensor.address, map.rank = static_cast<uint8_t>(rank - 1), map.element_type = tensor.element_type;
  map.swizzle = tensor.swizzle, map.fill_nan = tensor.fill_nan ? 1 : 0;
  for (size_t i = 0; i < rank; ++i) {
    if (tensor.dimensions[i] == 0 || tensor.dimensions[i] > UINT32_MAX)
      return invalid_input(fmt::format("a tensor map of {} elements in dimension {}", tensor.dimensions[i], i));
    map.dimensions[i] = static_cast<uint32_t>(tensor.dimensions[i]);
    map.box[i] = tensor.box[i], map.element_strides[i] = 1;
  }
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (tensor.strides[i] % 16 != 0)
      return invalid_input(fmt::format(
          "a tensor map whose stride of dimension {} is {} bytes, which 16 does not divide", i + 1, tensor.strides[i]));
    map.strides[i] = tensor.strides[i];
  }
  WL_TRY(check(map));
  return map;
}

uint64_t box_bytes(const TensorMap& map) {
  uint64_t bytes = element_bytes(map.element_type);
  for (int i = 0; i <= map.rank; ++i) bytes *= map.box[static_cast<size_t>(i)];
  return bytes;
}

}  // namespace warplens::emulator
