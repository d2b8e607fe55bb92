#include "warplens/launch/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "warplens/base/half.h"
#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

template <typename T>
void put(T value, uint8_t* at) {
  std::memcpy(at, &value, sizeof value);
}

template <typename T>
T get(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename T>
T clamped(double value) {
  if (std::isnan(value)) return 0;
  // The largest T as a double may round up to one past it: then every double below it fits.
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

/// NaN keeps its sign alone.
uint16_t to_half(double value) {
  return std::isnan(value) ? static_cast<uint16_t>(std::signbit(value) ? 0xfe00 : 0x7e00) : half_bits(value);
}

/// The upper half of a float, rounded to nearest even; NaN stays NaN.
uint16_t to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeInfo& row : kDTypes) {
    if (name == row.name) return row.dtype;
  }
  return std::nullopt;
}

std::string dtype_names() {
  std::vector<std::string> names;
  for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
  return join(names, ", ");
}

void store(DType dtype, double value, uint8_t* at) {
  switch (dtype) {
    case DType::kI8: return put(clamped<int8_t>(value), at);
    case DType::kU8: return put(clamped<uint8_t>(value), at);
    case DType::kI16: return put(clamped<int16_t>(value), at);
    case DType::kU16: return put(clamped<uint16_t>(value), at);
    case DType::kI32: return put(clamped<int32_t>(value), at);
    case DType::kU32: return put(clamped<uint32_t>(value), at);
    case DType::kI64: return put(clamped<int64_t>(value), at);
    case DType::kU64: return put(clamped<uint64_t>(value), at);
    case DType::kF16: return put(to_half(value), at);
    case DType::kBf16: return put(to_bf16(static_cast<float>(value)), at);
    case DType::kF32: return put(static_cast<float>(value), at);
    case DType::kF64: return put(value, at);
  }
}

double load(DType dtype, const uint8_t* at) {
  switch (dtype) {
    case DType::kI8: return get<int8_t>(at);
    case DType::kU8: return get<uint8_t>(at);
    case DType::kI16: return get<int16_t>(at);
    case DType::kU16: return get<uint16_t>(at);
    case DType::kI32: return get<int32_t>(at);
    case DType::kU32: return get<uint32_t>(at);
    case DType::kI64: return static_cast<double>(get<int64_t>(at));
    case DType::kU64: return static_cast<double>(get<uint64_t>(at));
    case DType::kF16: return static_cast<double>(half_value(get<uint16_t>(at)));
    case DType::kBf16: return std::bit_cast<float>(uint32_t{get<uint16_t>(at)} << 16);
    case DType::kF32: return get<float>(at);
    case DType::kF64: return get<double>(at);
  }
  return 0;
}

}  // namespace warplens::launch
