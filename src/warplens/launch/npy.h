// numpy's .npy files (format versions 1 to 3), read and written.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/launch/dtype.h"

namespace warplens::launch {

struct Array {
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;  // C order, little-endian
};

/// Fortran order is converted to C order, big-endian to little-endian. Errors: complex, text and object arrays, and
/// files shorter than their header says (the message gives the byte).
Result<Array> parse_npy(std::string_view file);

std::string format_npy(DType dtype, const std::vector<uint64_t>& shape, std::span<const uint8_t> bytes);

}  // namespace warplens::launch
