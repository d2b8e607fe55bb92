// Inputs that kernels make themselves, the same on every machine: a value is a function of the block, the thread and a
// number. A kernel's name ends in its threads a block and the words that a thread leaves: name_t32_w4.
#pragma once
#include <cstdint>

#define KERNEL(name) extern "C" __global__ void name(uint32_t* out)

__device__ __noinline__ uint32_t hash(uint32_t number) {
  uint32_t x = number * 0x9e3779b9u + blockIdx.x * 0x85ebca6bu + threadIdx.x * 0xc2b2ae35u + 1;
  for (int i = 0; i < 2; ++i) {
    x ^= x >> 16, x *= 0x7feb352du;
    x ^= x >> 15, x *= 0x846ca68bu;
  }
  return x ^ x >> 16;
}

/// A floating-point value of `bits` bits: near one in even blocks, anywhere in odd ones. Some values are zero or
/// subnormal. In every fourth block, some are infinite or NaN.
__device__ __noinline__ uint32_t real(uint32_t number, int bits, int fraction) {
  const uint32_t random = hash(number), kind = random >> 26;
  const int exponent_bits = bits - 1 - fraction, bias = (1 << (exponent_bits - 1)) - 1;
  const bool wide = blockIdx.x % 2 == 1;
  const uint32_t sign = (random & 1) << (bits - 1), mantissa = random >> 1 & ((1u << fraction) - 1);
  if (kind < 4) return sign;
  if (kind == 4) return sign | mantissa;
  if (kind == 5 && blockIdx.x % 4 == 2)
    return sign | ((1u << exponent_bits) - 1) << fraction | (random & 2 ? mantissa : 0);
  const uint32_t more = hash(number ^ 0x55555555u);
  const uint32_t span = !wide ? 6 : bits == 32 ? 80 : (1u << exponent_bits) - 2;
  const uint32_t first = !wide ? bias - 3 : bits == 32 ? bias - 40 : 1;
  return sign | (first + more % span) << fraction | mantissa;
}

/// A register full of values; fraction 0: integers.
__device__ __noinline__ uint32_t word(uint32_t number, int bits, int fraction) {
  if (fraction == 0) return hash(number);
  uint32_t out = 0;
  for (int at = 0; at < 32; at += bits) out |= real(number * 8 + at / 4, bits, fraction) << at;
  return out;
}
