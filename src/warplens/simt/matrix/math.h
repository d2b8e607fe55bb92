// Products of matrices as tensor cores compute them, bit for bit. Products and the addend are aligned to the largest
// exponent, cut to a few fraction bits, and added exactly. Sums are cut (f32) or rounded (f16) once a chunk of the
// inner dimension. The model and its numbers are those of MMA-Sim 2.1.1.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/simt/number_format.h"

namespace warplens::simt {

/// How one generation adds products of one type.
struct DotModel {
  int fraction_bits = 25;  // kept of each aligned term
  int chunk = 16;          // products that are added at once
  int result_bits = 23;    // fraction bits of an f32 result; 13 for fp8 on sm_89 and wgmma of sm_90
};

/// `warpgroup`: wgmma instead of mma.
DotModel dot_model(int architecture, ptx::Type input, bool warpgroup);

/// mma of fp8 runs on the f16 units from sm_90 to sm_110: ptxas makes products of f16 of it.
inline bool runs_on_half_units(int architecture, ptx::Type input) {
  return architecture >= 90 && architecture < 120 && ptx::bits(input) <= 8;
}

/// D = A * B + C. Elements are bits in the given formats. A is m x k, B is k x n, C and D are m x n, all by columns;
/// c_type is the type of C and D.
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

inline constexpr int kZeroExponent = -100000;  // zeros never are the largest term

/// significand * 2^shift, cut towards zero.
int64_t align(int64_t significand, int shift);
/// sum * 2^(exponent - fraction) cut to `kept` fraction bits as f32.
uint32_t cut_to_f32(int64_t sum, int exponent, int fraction, int kept);

void multiply_float(const MatrixProduct& product, const DotModel& model);
/// The same, element by element with integers: the model in its plainest form.
void multiply_float_plainly(const MatrixProduct& product, const DotModel& model);
/// One element of it; `exponent` is added to those of the products.
uint32_t dot_plainly(const MatrixProduct& product, const DotModel& model, int row, int column, int exponent = 0);
void multiply_integer(const MatrixProduct& product);

/// a + b of f32 or f16, rounded once.
uint32_t rounded_sum(uint32_t a, uint32_t b, ptx::Type type);

/// f64: a chain of fused multiply-adds.
void multiply_double(int m, int n, int k, const double* a, const double* b, double* c);

}  // namespace warplens::simt
