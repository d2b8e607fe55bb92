#include "warplens/simt/asynchronous/tensor_map.h"

#include "warplens/base/text.h"

namespace warplens::simt {

uint32_t element_bytes(uint8_t element_type) {
  // u8 u16 u32 s32 u64 s64 f16 f32 f32.ftz f64 bf16 tf32 tf32.ftz
  constexpr uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  return element_type < sizeof kBytes ? kBytes[element_type] : 0;
}

ptx::Type reduction_type(const TensorMap& map) {
  using ptx::Type;
  constexpr Type kTypes[] = {Type::kU8,  Type::kU16, Type::kU32, Type::kS32,  Type::kU64, Type::kS64, Type::kF16,
                             Type::kF32, Type::kF32, Type::kF64, Type::kBf16, Type::kF32, Type::kF32};
  return kTypes[map.element_type];
}

namespace {

constexpr uint8_t kFloat32 = 7, kTf32 = 11;  // the second is stored as the first with a bit besides, each with its .ftz

constexpr int kAtomicityAt = 20;  // of sm_100 alone, whose own place for it is not known

struct Words {
  uint32_t value[kTensorMapBytes / 4];
  uint32_t bits(int word, int at, int count) const { return value[word] >> at & ((1u << count) - 1); }
  void set(int word, int at, int count, uint64_t bits) {
    const uint32_t mask = ((1u << count) - 1) << at;
    value[word] = (value[word] & ~mask) | (static_cast<uint32_t>(bits << at) & mask);
  }
};

}  // namespace

TensorMap read_map(const uint8_t* bytes) {
  Words w;
  std::memcpy(w.value, bytes, sizeof w.value);
  TensorMap map;
  map.address = w.value[0] | uint64_t{w.value[1]} << 32;
  map.im2col = w.bits(2, 0, 1) != 0;
  map.rank = static_cast<uint8_t>(w.bits(2, 4, 3));
  map.element_type = static_cast<uint8_t>(w.bits(2, 7, 4) + (w.bits(2, 16, 1) ? kTf32 - kFloat32 : 0));
  map.interleave = static_cast<uint8_t>(w.bits(2, 11, 2));
  map.swizzle = static_cast<uint8_t>(w.bits(2, 13, 2));
  map.fill_nan = static_cast<uint8_t>(w.bits(2, 15, 1));
  map.atomicity = static_cast<uint8_t>(w.bits(2, kAtomicityAt, 2));
  for (int i = 0; i < 4; ++i)
    map.strides[static_cast<size_t>(i)] = (w.value[3 + i] | uint64_t{w.bits(7, 4 * i, 4)} << 32) << 4;
  for (int i = 0; i < 5; ++i) {
    const auto k = static_cast<size_t>(i);
    map.dimensions[k] = w.value[8 + i] + 1;
    map.element_strides[k] = static_cast<uint8_t>(w.bits(13, 3 * i, 3) + 1);
    map.box[k] = (i == 0 ? w.bits(13, 24, 8) : w.bits(14, 8 * (i - 1), 8)) + 1;
  }
  return map;
}

bool write_map(const TensorMap& map, uint8_t* bytes) {
  Words w;
  std::memcpy(w.value, bytes, sizeof w.value);
  w.value[0] = static_cast<uint32_t>(map.address);
  w.value[1] = static_cast<uint32_t>(map.address >> 32);
  const bool tf32 = map.element_type >= kTf32;
  w.set(2, 0, 1, map.im2col);
  w.set(2, 4, 3, map.rank);
  w.set(2, 7, 4, map.element_type - (tf32 ? kTf32 - kFloat32 : 0u));
  w.set(2, 16, 1, tf32);
  w.set(2, 11, 2, map.interleave);
  w.set(2, 13, 2, map.swizzle);
  w.set(2, 15, 1, map.fill_nan);
  w.set(2, kAtomicityAt, 2, map.atomicity);
  for (int i = 0; i < 4; ++i) {
    const uint64_t units = map.strides[static_cast<size_t>(i)] >> 4;
    w.value[3 + i] = static_cast<uint32_t>(units);
    w.set(7, 4 * i, 4, units >> 32);
  }
  for (int i = 0; i < 5; ++i) {
    const auto k = static_cast<size_t>(i);
    w.value[8 + i] = map.dimensions[k] - 1;
    w.set(13, 3 * i, 3, map.element_strides[k] - 1u);
    i == 0 ? w.set(13, 24, 8, map.box[k] - 1) : w.set(14, 8 * (i - 1), 8, map.box[k] - 1);
  }
  std::memcpy(bytes, w.value, sizeof w.value);
  return read_map(bytes) == map;
}

Status check(const TensorMap& map) {
  if (map.rank > 4) return invalid_input(fmt::format("a tensor map of {} dimensions", map.rank + 1));
  const uint32_t bytes = element_bytes(map.element_type);
  if (bytes == 0) return unsupported(fmt::format("a tensor map of element type {}", map.element_type));
  if (map.im2col) return unsupported("a tensor map for im2col");
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
  if (tensor.address % 16 != 0)
    return invalid_input("a tensor map's tensor starts at an address that is a multiple of 16");
  TensorMap map;
  map.address = tensor.address;
  map.rank = static_cast<uint8_t>(rank - 1);
  map.element_type = tensor.element_type;
  map.swizzle = tensor.swizzle;
  map.fill_nan = tensor.fill_nan ? 1 : 0;
  for (size_t i = 0; i < rank; ++i) {
    if (tensor.dimensions[i] == 0 || tensor.dimensions[i] > UINT32_MAX)
      return invalid_input(fmt::format("a tensor map of {} elements in dimension {}", tensor.dimensions[i], i));
    map.dimensions[i] = static_cast<uint32_t>(tensor.dimensions[i]);
    map.box[i] = tensor.box[i];
    map.element_strides[i] = 1;
  }
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (tensor.strides[i] % 16 != 0)
      return invalid_input(
          fmt::format("a tensor map whose stride of dimension {} is {} bytes, which is not a multiple of 16", i + 1,
                      tensor.strides[i]));
    map.strides[i] = tensor.strides[i];
  }
  WL_TRY(check(map));
  return map;
}

Status check_start(const TensorMap& map, const std::array<int64_t, 5>& start) {
  constexpr int64_t kUnit = 16;
  if (start[0] * element_bytes(map.element_type) % kUnit == 0) return {};
  return invalid_input(fmt::format(
      "a tensor copy begins at element {} of the innermost dimension, but only multiples of 16 bytes are possible",
      start[0]));
}

uint64_t box_bytes(const TensorMap& map) {
  uint64_t bytes = element_bytes(map.element_type);
  for (int i = 0; i <= map.rank; ++i) bytes *= box_elements(map, static_cast<size_t>(i));
  return bytes;
}

}  // namespace warplens::simt
