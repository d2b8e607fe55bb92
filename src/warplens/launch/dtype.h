// Element types of buffers and scalars.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::launch {

enum class DType : uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF16, kBf16, kF32, kF64 };

/// One row a type: its name in launch files, size, kind, and name in .npy files (which hold bf16 as u16).
/// The last two are its numbers in tensor maps: CUtensorMapDataType's and tensormap.replace's.
struct DTypeInfo {
  DType dtype;
  const char* name;
  uint32_t size_bytes;
  bool is_float, is_signed;
  const char* npy;
  uint8_t driver_map_type, map_type;
};
inline constexpr std::array<DTypeInfo, 12> kDTypes = {{
    {DType::kI8, "i8", 1, false, true, "i1", 0, 0},
    {DType::kU8, "u8", 1, false, false, "u1", 0, 0},
    {DType::kI16, "i16", 2, false, true, "i2", 1, 1},
    {DType::kU16, "u16", 2, false, false, "u2", 1, 1},
    {DType::kI32, "i32", 4, false, true, "i4", 3, 3},
    {DType::kU32, "u32", 4, false, false, "u4", 2, 2},
    {DType::kI64, "i64", 8, false, true, "i8", 5, 5},
    {DType::kU64, "u64", 8, false, false, "u8", 4, 4},
    {DType::kF16, "f16", 2, true, true, "f2", 6, 6},
    {DType::kBf16, "bf16", 2, true, true, "u2", 9, 10},
    {DType::kF32, "f32", 4, true, true, "f4", 7, 7},
    {DType::kF64, "f64", 8, true, true, "f8", 8, 9},
}};

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
std::optional<DType> find_dtype(std::string_view name);
/// "i8, u8, ..., f64", for messages.
std::string dtype_names();

/// Writes `value` at `at` as `dtype`: floats rounded to nearest even, integers cut to whole numbers and clamped to
/// range.
void store(DType dtype, double value, uint8_t* at);
/// The element at `at`; integers past 2^53 lose their low bits.
double load(DType dtype, const uint8_t* at);

}  // namespace warplens::launch
