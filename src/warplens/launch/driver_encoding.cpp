#include "warplens/launch/driver_encoding.h"

namespace warplens::launch {
EncodeMap driver_encoding(const cuda::Driver& driver) {
  return [&driver](const TensorMapSpec& map, uint64_t address) -> Result<std::vector<uint8_t>> {
    if (driver.encode_tiled == nullptr || driver.encode_im2col == nullptr)
      return unsupported("this CUDA driver cannot make tensor maps: install a driver for CUDA 12 or later");
    struct alignas(64) {
      uint8_t bytes[kTensorMapBytes];
    } made;
    const int dtype = info(map.dtype).driver_map_type, fill = map.fill_nan ? 1 : 0;
    const int swizzle = map.swizzle();
    const auto rank = static_cast<unsigned>(map.dimensions.size());
    auto* const tensor = reinterpret_cast<void*>(address);
    const int code =
        map.im2col ? driver.encode_im2col(&made, dtype, rank, tensor, map.dimensions.data(), map.strides_bytes.data(),
                                          map.lower.data(), map.upper.data(), map.channels, map.pixels,
                                          map.element_strides.data(), 0, swizzle, 0, fill)
                   : driver.encode_tiled(&made, dtype, rank, tensor, map.dimensions.data(), map.strides_bytes.data(),
                                         map.box.data(), map.element_strides.data(), 0, swizzle, 0, fill);
    WL_TRY(driver.check(code, "the driver refuses this tensor map"));
    return std::vector<uint8_t>(made.bytes, made.bytes + kTensorMapBytes);
  };
}

}  // namespace warplens::launch
