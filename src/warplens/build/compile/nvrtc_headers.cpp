#include "warplens/build/compile/nvrtc_headers.h"

#include "warplens/build/compile/torch_source.h"

namespace warplens::compile {
namespace {

/// The types are those of libcu++ under NVRTC (cuda/std/cstdint), so that both may be included.
constexpr const char* kStdint = R"(#pragma once
using int8_t = signed char; using int16_t = signed short; using int32_t = signed int; using int64_t = signed long long;
using uint8_t = unsigned char; using uint16_t = unsigned short; using uint32_t = unsigned int;
using uint64_t = unsigned long long; using intptr_t = int64_t; using uintptr_t = uint64_t;
using intmax_t = int64_t; using uintmax_t = uint64_t;
#ifndef INT32_MAX
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 0xffffffffu
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 0xffffffffffffffffULL
#endif
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t;
using ::uint64_t; using ::intptr_t; using ::uintptr_t;
}
)";

constexpr const char* kStddef = R"(#pragma once
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
)";

constexpr const char* kMath = R"(#pragma once
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
)";

constexpr const char* kFloat = R"(#pragma once
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#endif
)";

constexpr const char* kLimits = R"(#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 0xffffffffu
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 0xffffffffffffffffUL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 0xffffffffffffffffULL
#endif
)";

/// What kernels of PyTorch extensions use of torch, ATen and c10.
constexpr const char* kTorchDevice = R"(#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <stdint.h>
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define TORCH_CHECK(...)
#define C10_CUDA_CHECK(...)
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                               \
  for (index_type i = blockIdx.x * static_cast<index_type>(blockDim.x) + threadIdx.x; i < (n); \
       i += static_cast<index_type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
namespace c10 {
using Half = __half;
using BFloat16 = __nv_bfloat16;
}
namespace at {
using c10::Half;
using c10::BFloat16;
template <typename T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <typename T> using opmath_type = typename OpMathType<T>::type;
template <typename T, bool kCuda> struct AccumulateType : OpMathType<T> {};
template <typename T, bool kCuda> using acc_type = typename AccumulateType<T, kCuda>::type;
template <typename T> struct DefaultPtrTraits { typedef T* PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T* __restrict__ PtrType; };
// A pointer, then sizes and strides in elements, outermost first, as torch lays them out.
template <typename T, int N, template <typename> class Traits, typename Index> struct TensorAccessor {
  T* data_; const Index *sizes_, *strides_;
  __device__ TensorAccessor<T, N - 1, Traits, Index> operator[](Index i) const { return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1}; }
  __device__ Index size(int d) const { return sizes_[d]; }
  __device__ Index stride(int d) const { return strides_[d]; }
  __device__ T* data() const { return data_; }
};
template <typename T, template <typename> class Traits, typename Index> struct TensorAccessor<T, 1, Traits, Index> {
  T* data_; const Index *sizes_, *strides_;
  __device__ T& operator[](Index i) const { return data_[strides_[0] * i]; }
  __device__ Index size(int d) const { return sizes_[d]; }
  __device__ Index stride(int d) const { return strides_[d]; }
  __device__ T* data() const { return data_; }
};
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits, typename Index = int64_t>
struct GenericPackedTensorAccessor {
  T* data_; Index sizes_[N], strides_[N];
  __device__ decltype(auto) operator[](Index i) const { return TensorAccessor<T, N, Traits, Index>{data_, sizes_, strides_}[i]; }
  __device__ Index size(int d) const { return sizes_[d]; }
  __device__ Index stride(int d) const { return strides_[d]; }
  __device__ T* data() const { return data_; }
};
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <typename T, int N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
}
namespace torch { using namespace at; }
)";

constexpr const char* kNothing = "#pragma once\n";  // printf and assert are built into NVRTC

}  // namespace

const ServedHeaders& served_headers() {
  static const ServedHeaders headers = {
      {"cstdint", "stdint.h", "cstddef", "stddef.h", "cmath", "math.h", "cfloat", "float.h", "climits", "limits.h",
       "cstdio", "stdio.h", "cassert", "assert.h", kTorchHeader},
      {kStdint, kStdint, kStddef, kStddef, kMath, kMath, kFloat, kFloat, kLimits, kLimits, kNothing, kNothing, kNothing,
       kNothing, kTorchDevice}};
  return headers;
}

}  // namespace warplens::compile
