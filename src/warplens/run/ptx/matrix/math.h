// Products of matrices as tensor cores compute them, bit for bit: products and the addend aligned to the largest
// exponent, cut to a few fraction bits, added exactly, and cut (f32) or rounded (f16) once a chunk of the inner
// dimension. The model and its numbers are those of MMA-Sim 2.1.1.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/isa/ptx/types.h"

namespace warplens::emulator {

/// How one generation adds products of one type.
struct DotModel {
  int fraction_bits = 25;  // kept of each aligned term
  int chunk = 16;          // products that are added at once
  int result_bits = 23;    // fraction bits of an f32 result; 13 for fp8 on sm_89 and wgmma of sm_90
};

/// `warpgroup`: wgmma instead of mma.
DotModel dot_model(int architecture, ptx::Type input, bool warpgroup);

/// sm_90's mma of fp8 runs on the f16 units.
inline bool runs_on_half_units(int architecture, ptx::Type input) {
  return architecture == 90 && ptx::bits(input) <= 8;
}

/// D = A * B + C. Elements are bits in the formats given; A is m x k, B is k x n, C and D are m x n, all by
/// columns. c_type is the type of C and D.
struct MatrixProduct {
  int m = 0, n = 0, k = 0;
  ptx::Type a_type{}, b_type{}, c_type{};
  const uint32_t* a = nullptr;
  const uint32_t* b = nullptr;
  uint32_t* c = nullptr;  // also receives D
  bool saturate = false;  // integers
  bool negate = false;    // subtract the products (imm-scale of wgmma)
  bool use_xor = false;   // single-bit products: popc(a ^ b) instead of popc(a & b)
};

/// A format's fields: what stands for a value.
struct NumberFormat {
  int exponent_bits = 8, fraction_bits = 23, bias = 127;
  bool has_infinity = true, has_nan = true;
};
NumberFormat number_format(ptx::Type type);

inline constexpr int kZeroExponent = -100000;  // zeros never are the largest term

/// Elements of a matrix as lanes work on them: exact values, and the exponents that their bits hold (of a subnormal
/// number the smallest one). False when there is an infinity or a NaN, whose value then does not matter.
using DotUnpackFunction = bool (*)(const uint32_t* bits, int count, ptx::Type type, const NumberFormat& format,
                                   float* values, int32_t* exponents);

/// One column of a product by all rows; the inner dimension at once in chunks as the model says.
struct DotColumn {
  int pitch = 0, k = 0;  // pitch: rows, a multiple of 16
  DotModel model;
  bool half = false, negate = false;  // half: the sum is rounded to f16 after each chunk
  const float* a = nullptr;           // k columns of `pitch` rows
  const int32_t* a_exponents = nullptr;
  const float* b = nullptr;           // k values
  const int32_t* b_exponents = nullptr;
  float* c = nullptr;                 // `pitch` values, in and out
  int32_t* far = nullptr;             // `pitch`; not 0 where the terms are too large or small for this: c is then wrong
};
using DotColumnFunction = void (*)(const DotColumn& column);

/// D = A * B + C where mma.m16n8's registers of 32 lanes hold them; with several tiles of 8 columns. C and D are f32.
struct TileProduct {
  int k = 0, tiles = 1;
  int each = 2;                      // elements a register of A and B
  ptx::Type a_type{}, b_type{};
  DotModel model;
  bool negate = false;
  const uint32_t* a[8] = {};         // k / (2 * each)
  const uint32_t* b[8] = {};         // k / (4 * each) a tile
  const uint32_t* dense_a = nullptr; // instead of registers: k columns of 16 elements
  const uint32_t* dense_b = nullptr; // instead of registers: 8 columns of k elements a tile
  float (*c)[32] = nullptr;          // 4 a tile; also receive D
};
/// False when the product has infinities or NaNs or is otherwise out of the lanes' reach; C then is lost.
using DotTilesFunction = bool (*)(const TileProduct& product);

/// significand * 2^shift, cut towards zero.
int64_t align(int64_t significand, int shift);
/// sum * 2^(exponent - fraction) cut to `kept` fraction bits as f32.
uint32_t cut_to_f32(int64_t sum, int exponent, int fraction, int kept);

void multiply_float(const MatrixProduct& product, const DotModel& model);
/// The same, element by element with integers: the model as it is written down.
void multiply_float_plainly(const MatrixProduct& product, const DotModel& model);
/// One element of it; `exponent` is added to those of the products.
uint32_t dot_plainly(const MatrixProduct& product, const DotModel& model, int row, int column, int exponent = 0);
void multiply_integer(const MatrixProduct& product);

/// a + b of f32 or f16, rounded once.
uint32_t rounded_sum(uint32_t a, uint32_t b, ptx::Type type);

/// f64: a chain of fused multiply-adds.
void multiply_double(int m, int n, int k, const double* a, const double* b, double* c);

}  // namespace warplens::emulator
