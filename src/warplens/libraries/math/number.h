// Elements of the matrices that CUDA's libraries take: their types, and their values as the CPU computes with them.
#pragma once
#include <complex>
#include <cstdint>

namespace warplens::libraries {

/// Numbered as cudaDataType.
enum class Number : int {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kI8 = 3,
  kC32 = 4,  // a pair of f32
  kC64 = 5,  // a pair of f64
  kU8 = 8,
  kI32 = 10,
  kBf16 = 14,
  kE4m3 = 28,
  kE5m2 = 29,
};

/// 0 for any other number.
int size_bytes(Number number);
/// "bf16"; "c64" for a pair of f32, as PyTorch and NumPy count its bits.
const char* name(Number number);
inline bool is_complex(Number number) { return number == Number::kC32 || number == Number::kC64; }

template <typename T>
inline constexpr Number kNumberOf = Number::kF32;
template <>
inline constexpr Number kNumberOf<double> = Number::kF64;
template <>
inline constexpr Number kNumberOf<std::complex<float>> = Number::kC32;
template <>
inline constexpr Number kNumberOf<std::complex<double>> = Number::kC64;

/// `count` elements that lie `step` elements apart, converted exactly. T: float, double, or std::complex of either.
template <typename T>
void load(Number from, const void* data, int64_t step, int64_t count, T* out);
/// Rounds to nearest even. Integers and f8 saturate, as cuBLAS stores them.
template <typename T>
void store(const T* values, int64_t count, Number to, void* data, int64_t step);

/// One value, as a scalar argument holds it.
std::complex<double> load_one(Number from, const void* data);

}  // namespace warplens::libraries
