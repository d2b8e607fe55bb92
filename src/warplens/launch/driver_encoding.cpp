#include "warplens/launch/driver_encoding.h"

#include <bit>

namespace warplens::launch {
namespace {

/// CUtensorMapDataType.
int driver_number(DType dtype) {
  switch (dtype) {
    case DType::kI8: case DType::kU8: return 0;
    case DType::kI16: case DType::kU16: return 1;
    case DType::kU32: return 2;
    case DType::kI32: return 3;
    case DType::kU64: return 4;
    case DType::kI64: return 5;
    case DType::kF16: return 6;
    case DType::kF32: return 7;
    case DType::kF64: return 8;
    case DType::kBf16: return 9;
  }
  return 0;
}

}  // namespace

EncodeMap driver_encoding(const cuda::Driver& driver) {
  return [&driver](const TensorMapSpec& map, uint64_t address) -> Result<std::vector<uint8_t>> {
    if (driver.encode_tiled == nullptr || driver.encode_im2col == nullptr)
      return unsupported("the CUDA driver here makes no tensor maps: one of CUDA 12 or later does");
    struct alignas(64) {
      uint8_t bytes[kTensorMapBytes];
    } made;
    const int dtype = driver_number(map.dtype), fill = map.fill_nan ? 1 : 0;
    const int swizzle = map.swizzle_bytes == 0 ? 0 : std::countr_zero(map.swizzle_bytes) - 4;
    const auto rank = static_cast<unsigned>(map.dimensions.size());
    auto* const tensor = reinterpret_cast<void*>(address);
    const int code =
        map.im2col ? driver.encode_im2col(&made, dtype, rank, tensor, map.dimensions.data(), map.strides_bytes.data(),
                                          map.lower.data(), map.upper.data(), map.channels, map.pixels,
                                          map.element_strides.data(), 0, swizzle, 0, fill)
                   : driver.encode_tiled(&made, dtype, rank, tensor, map.dimensions.data(), map.strides_bytes.data(),
                                         map.box.data(), map.element_strides.data(), 0, swizzle, 0, fill);
    WL_TRY(driver.check(code, "the driver makes no such tensor map"));
    return std::vector<uint8_t>(made.bytes, made.bytes + kTensorMapBytes);
  };
}

}  // namespace warplens::launch
