#include "warplens/libraries/math/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "warplens/base/half.h"
#include "warplens/simt/conversion.h"

namespace warplens::libraries {
namespace {

template <typename V>
struct Plain {
  using Stored = V;
  static V widen(V value) { return value; }
  static V narrow(V value) { return value; }
};

struct F16 {
  using Stored = Half;
  static float widen(Half value) { return static_cast<float>(value); }
  static Half narrow(float value) { return static_cast<Half>(value); }
};

struct Bf16 {
  using Stored = uint16_t;
  static float widen(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  static uint16_t narrow(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    constexpr uint16_t kNan = 0x7fff;
    return value == value ? static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) : kNan;
  }
};

template <ptx::Type kType>
struct F8 {
  using Stored = uint8_t;
  static constexpr float kMost = kType == ptx::Type::kE4m3 ? 448 : 57344;
  static float widen(uint8_t bits) {
    static const std::array<float, 256> values = [] {
      std::array<float, 256> out;
      for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(simt::decode_float(i, kType));
      return out;
    }();
    return values[bits];
  }
  static uint8_t narrow(float value) {
    const float held = value == value ? std::clamp(value, -kMost, kMost) : value;
    return static_cast<uint8_t>(simt::encode_float(static_cast<double>(held), kType));
  }
};

template <typename I>
struct Whole {
  using Stored = I;
  static double widen(I value) { return static_cast<double>(value); }
  static I narrow(double value) {
    constexpr auto kLeast = static_cast<double>(std::numeric_limits<I>::min()),
                   kMost = static_cast<double>(std::numeric_limits<I>::max());
    return value == value ? static_cast<I>(std::clamp(std::nearbyint(value), kLeast, kMost)) : I{0};
  }
};

/// Calls `use` with the codec of a number; false where there is none.
template <typename F>
bool with_codec(Number number, F use) {
  switch (number) {
    case Number::kF32: return use(Plain<float>()), true;
    case Number::kF64: return use(Plain<double>()), true;
    case Number::kF16: return use(F16()), true;
    case Number::kBf16: return use(Bf16()), true;
    case Number::kI8: return use(Whole<int8_t>()), true;
    case Number::kU8: return use(Whole<uint8_t>()), true;
    case Number::kI32: return use(Whole<int32_t>()), true;
    case Number::kE4m3: return use(F8<ptx::Type::kE4m3>()), true;
    case Number::kE5m2: return use(F8<ptx::Type::kE5m2>()), true;
    case Number::kC32: return use(Plain<std::complex<float>>()), true;
    case Number::kC64: return use(Plain<std::complex<double>>()), true;
  }
  return false;
}

template <typename T>
constexpr bool kIsComplex = false;
template <typename R>
constexpr bool kIsComplex<std::complex<R>> = true;

/// The real part where a complex value becomes a real one.
template <typename To, typename From>
To as(const From& value) {
  if constexpr (kIsComplex<From> && !kIsComplex<To>) return static_cast<To>(value.real());
  else if constexpr (kIsComplex<From>) return To(value);
  else if constexpr (kIsComplex<To>) return To(static_cast<typename To::value_type>(value));
  else return static_cast<To>(value);
}

}  // namespace

int size_bytes(Number number) {
  int out = 0;
  with_codec(number, [&](auto codec) { out = sizeof(typename decltype(codec)::Stored); });
  return out;
}

const char* name(Number number) {
  switch (number) {
    case Number::kF32: return "f32";
    case Number::kF64: return "f64";
    case Number::kF16: return "f16";
    case Number::kBf16: return "bf16";
    case Number::kI8: return "i8";
    case Number::kU8: return "u8";
    case Number::kI32: return "i32";
    case Number::kE4m3: return "e4m3";
    case Number::kE5m2: return "e5m2";
    case Number::kC32: return "c64";
    case Number::kC64: return "c128";
  }
  return "unknown";
}

namespace {

template <typename T>
inline void load_by(Number from, const void* data, int64_t step, int64_t count, T* out) {
  with_codec(from, [&](auto codec) {
    using Codec = decltype(codec);
    const auto* in = static_cast<const typename Codec::Stored*>(data);
    if (step == 1) {
      for (int64_t i = 0; i < count; ++i) out[i] = as<T>(Codec::widen(in[i]));
    } else {
      for (int64_t i = 0; i < count; ++i) out[i] = as<T>(Codec::widen(in[i * step]));
    }
  });
}

template <typename T>
inline void store_by(const T* values, int64_t count, Number to, void* data, int64_t step) {
  with_codec(to, [&](auto codec) {
    using Codec = decltype(codec);
    using Value = decltype(Codec::widen({}));
    auto* out = static_cast<typename Codec::Stored*>(data);
    for (int64_t i = 0; i < count; ++i) out[i * step] = Codec::narrow(as<Value>(values[i]));
  });
}

// The same loops compiled for processors with AVX2, which everything that they call is inlined into.
#if defined(__x86_64__)
#define WARPLENS_FOR_AVX2 __attribute__((target("avx2,fma,f16c"), flatten))
bool has_avx2() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  return has;
}
#else
#define WARPLENS_FOR_AVX2
bool has_avx2() { return false; }
#endif

template <typename T>
WARPLENS_FOR_AVX2 void load_by_avx2(Number from, const void* data, int64_t step, int64_t count, T* out) {
  load_by(from, data, step, count, out);
}
template <typename T>
WARPLENS_FOR_AVX2 void store_by_avx2(const T* values, int64_t count, Number to, void* data, int64_t step) {
  store_by(values, count, to, data, step);
}
#undef WARPLENS_FOR_AVX2

}  // namespace

template <typename T>
void load(Number from, const void* data, int64_t step, int64_t count, T* out) {
  (has_avx2() ? load_by_avx2<T> : load_by<T>)(from, data, step, count, out);
}

template <typename T>
void store(const T* values, int64_t count, Number to, void* data, int64_t step) {
  (has_avx2() ? store_by_avx2<T> : store_by<T>)(values, count, to, data, step);
}

std::complex<double> load_one(Number from, const void* data) {
  std::complex<double> out;
  load(from, data, 1, 1, &out);
  return out;
}

template void load(Number, const void*, int64_t, int64_t, float*);
template void load(Number, const void*, int64_t, int64_t, double*);
template void load(Number, const void*, int64_t, int64_t, std::complex<float>*);
template void load(Number, const void*, int64_t, int64_t, std::complex<double>*);
template void store(const float*, int64_t, Number, void*, int64_t);
template void store(const double*, int64_t, Number, void*, int64_t);
template void store(const std::complex<float>*, int64_t, Number, void*, int64_t);
template void store(const std::complex<double>*, int64_t, Number, void*, int64_t);

}  // namespace warplens::libraries
