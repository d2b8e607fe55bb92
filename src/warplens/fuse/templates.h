// The CUDA that kernels are made of. ${name} is a hole (see fill.h).
#pragma once

namespace warplens::fuse {

inline constexpr const char* kPrologue = R"(${comment}
// ${title}
typedef ${real} real;
${small_types}
template <typename T> __device__ __forceinline__ real to_real(T x) { return real(x); }
template <typename T> __device__ __forceinline__ void store(T& y, real x) { y = T(x); }
${extremes}
template <int Bytes> struct Raw;
template <> struct Raw<1> { typedef unsigned char type; };
template <> struct Raw<2> { typedef unsigned short type; };
template <> struct Raw<4> { typedef unsigned int type; };
template <> struct Raw<8> { typedef uint2 type; };
template <> struct Raw<16> { typedef uint4 type; };
// N neighbours, moved by one instruction.
template <typename T, int N> struct alignas(sizeof(T) * N) Pack {
  T v[N];
  typedef typename Raw<sizeof(T) * N>::type Bits;
  __device__ __forceinline__ void load(const T* from) { const Bits b = *reinterpret_cast<const Bits*>(from); memcpy(v, &b, sizeof b); }
  __device__ __forceinline__ void save(T* to) const { Bits b; memcpy(&b, v, sizeof b); *reinterpret_cast<Bits*>(to) = b; }
};

)";

inline constexpr const char* kF16 = R"(struct f16 { unsigned short bits; };
__device__ __forceinline__ real to_real(f16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)); return y; }
__device__ __forceinline__ void store(f16& y, real x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(float(x))); }
)";

inline constexpr const char* kBf16 = R"(struct bf16 { unsigned short bits; };
__device__ __forceinline__ real to_real(bf16 x) { return __int_as_float(int(x.bits) << 16); }
__device__ __forceinline__ void store(bf16& y, real x) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(float(x))); }
)";

/// Of doubles: ${name}, ${sign}.
inline constexpr const char* kExtremeOfDoubles = R"(// NaN goes through, as in PyTorch.
__device__ __forceinline__ real ${name}(real a, real b) { return a ${sign} b || a != a ? a : b; }
)";

/// Of floats: ${name}, ${instruction}.
inline constexpr const char* kExtremeOfFloats = R"(// NaN goes through, as in PyTorch.
__device__ __forceinline__ real ${name}(real a, real b) { real y; asm("${instruction}.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y; }
)";

/// Each thread takes vectors of each input; the last block takes the rest one by one.
inline constexpr const char* kElements = R"(typedef unsigned ${index} Index;
${indices}
__device__ __forceinline__ void formula(${formula_parameters}) {
  ${formula}
}

extern "C" __global__ void __launch_bounds__(${threads}) ${kernel}(${parameters}) {
  const Index tile = Index(blockIdx.x) * ${tile}u;
  if (tile + ${tile}u <= n && ${aligned}) {
    ${scalars_and_packs}
    #pragma unroll
    for (int u = 0; u < ${vectors}; ++u) {
      const Index i = tile + (u * ${threads}u + threadIdx.x) * ${width}u;
      ${loads}
    }
    #pragma unroll
    for (int u = 0; u < ${vectors}; ++u) {
      const Index i = tile + (u * ${threads}u + threadIdx.x) * ${width}u;
      ${result_packs}
      #pragma unroll
      for (int k = 0; k < ${width}; ++k) {
        ${of_packs}
        ${into_packs}
      }
      ${saves}
    }
  } else {
    const Index end = tile + ${tile}u < n ? tile + ${tile}u : n;
    for (Index i = tile + threadIdx.x; i < end; i += ${threads}u) {
      ${of_elements}
      ${into_elements}
    }
  }
}
)";

/// A group of threads takes a row.
inline constexpr const char* kRows = R"(${reductions}

extern "C" __global__ void __launch_bounds__(${threads}) ${kernel}(${parameters}) {
  const ${index} row = ${row};
  if (row * ${columns}u >= n) return;
  ${inputs}
  ${kept}
  ${passes}
}
)";

/// A reduction over the threads of a row.
inline constexpr const char* kReduction = R"(__device__ __forceinline__ real row_${name}(real x) {
  #pragma unroll
  for (int step = ${half_warp}; step > 0; step /= 2) {
    const real other = __shfl_xor_sync(0xffffffffu, x, step);
    x = ${joined};
  }
  ${over_warps}
  return x;
}
)";

inline constexpr const char* kReductionOverWarps = R"(__shared__ real parts[${warps}];
__syncthreads();
if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
__syncthreads();
x = parts[0];
#pragma unroll
for (int warp = 1; warp < ${warps}; ++warp) {
  const real other = parts[warp];
  x = ${joined};
}
)";

/// One pass over a row that stays in registers, and over one that is read anew.
inline constexpr const char* kPassInRegisters = R"(#pragma unroll
for (int c = 0; c < ${chunks}; ++c) {
  const unsigned int col = (c * ${group}u + threadIdx.x) * ${width}u;
  if (col < ${columns}u) {
    ${vector}
  }
}
)";
inline constexpr const char* kPassOverMemory =
    R"(for (unsigned int col = threadIdx.x * ${width}u; col < ${columns}u; col += ${stride}u) {
  ${vector}
}
)";

/// The code of a pass for the vector at `col`.
inline constexpr const char* kVectorOfRow = R"(${loads}
${result_packs}
#pragma unroll
for (int k = 0; k < ${width}; ++k) {
  ${body}
}
${saves}
)";

}  // namespace warplens::fuse
