// An argument that is a tensor map (CUtensorMap), by which the tensor memory unit copies boxes of a buffer.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/status.h"
#include "warplens/launch/dtype.h"

namespace warplens::launch {

/// Parameters of cuTensorMapEncodeTiled or, with `im2col`, cuTensorMapEncodeIm2col. In elements, innermost first.
struct TensorMapSpec {
  DType dtype = DType::kF32;
  std::vector<uint64_t> dimensions;
  std::vector<uint64_t> strides_bytes;    // of the dimensions 1 and up; made from the dimensions when none is given
  std::vector<uint32_t> box;              // elements; of a tile
  std::vector<uint32_t> element_strides;  // all 1 when none is given
  uint32_t swizzle_bytes = 0;             // 0, 32, 64 or 128
  bool fill_nan = false;                  // outside the tensor
  bool im2col = false;
  std::vector<int32_t> lower, upper;  // corners of the box of pixels, width first: offsets from the tensor's
  uint32_t channels = 0, pixels = 0;  // elements a pixel, pixels a copy

  /// 0 to 3, as CUtensorMapSwizzle and tensormap.replace number them.
  uint8_t swizzle() const { return static_cast<uint8_t>(swizzle_bytes == 0 ? 0 : std::countr_zero(swizzle_bytes) - 4); }
};

inline constexpr uint32_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

/// {"dtype": "f16", "dimensions": [64, 32], "box": [16, 8], "swizzle": 32}; im2col: {"lower", "upper", "channels",
/// "pixels"} instead of a box. Errors name the member under `place`.
Result<TensorMapSpec> parse_tensor_map(const json::Value& value, const std::string& place);

}  // namespace warplens::launch
