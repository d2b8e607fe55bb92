#include "warplens/libraries/math/product.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/libraries/math/cpu_library.h"
#include "warplens/libraries/math/finish.h"
#include "warplens/libraries/math/structured.h"

namespace warplens::libraries {
namespace {

template <typename T>
using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                  const T*, const int*, const T*, T*, const int*);

template <typename T>
Result<Gemm<T>*> gemm() {
  constexpr const char* kNames[] = {"sgemm_", "dgemm_", "", "", "cgemm_", "zgemm_"};
  static const Result<Gemm<T>*> found = cpu_function<Gemm<T>>(kNames[static_cast<int>(kNumberOf<T>)]);
  return found;
}

/// TF32 keeps 10 bits of the mantissa; halves go to even.
float tf32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  constexpr uint32_t kDropped = 13, kHalf = (1u << (kDropped - 1)) - 1, kExponent = 0x7f800000;
  if ((bits & kExponent) == kExponent) return value;
  return std::bit_cast<float>((bits + kHalf + ((bits >> kDropped) & 1)) & ~((1u << kDropped) - 1));
}
template <typename T>
void round_to_tf32(std::vector<T>* values) {
  if constexpr (std::is_same_v<T, float>) std::ranges::transform(*values, values->begin(), tf32);
}

/// A matrix as gemm takes it.
template <typename T>
struct Operand {
  const T* data;
  int leading;
  char op;
  std::vector<T> packed;
};

/// As it lies where gemm can take it so, else as a copy.
template <typename T>
Operand<T> operand(const Matrix& matrix, const void* data, int64_t rows, int64_t columns, bool rounded) {
  const bool as_is = matrix.number == kNumberOf<T> && !rounded;
  const bool by_columns = matrix.row_step == 1 && matrix.column_step >= rows;
  const bool by_rows = matrix.column_step == 1 && matrix.row_step >= columns;
  if (as_is && by_columns && !matrix.conjugate)
    return {static_cast<const T*>(data), static_cast<int>(std::max<int64_t>(matrix.column_step, 1)), 'N', {}};
  const char transposed = matrix.conjugate ? 'C' : 'T';
  if (as_is && by_rows)
    return {static_cast<const T*>(data), static_cast<int>(std::max<int64_t>(matrix.row_step, 1)), transposed, {}};
  Operand<T> out{nullptr, 0, by_rows ? transposed : 'N', std::vector<T>(static_cast<size_t>(rows * columns))};
  const int64_t lines = by_rows ? rows : columns, length = by_rows ? columns : rows;
  const int64_t line_step = by_rows ? matrix.row_step : matrix.column_step;
  const int64_t step = by_rows ? matrix.column_step : matrix.row_step;
  for (int64_t i = 0; i < lines; ++i) {
    load(matrix.number, static_cast<const char*>(data) + i * line_step * size_bytes(matrix.number), step, length,
         out.packed.data() + i * length);
  }
  if (rounded) round_to_tf32(&out.packed);
  if constexpr (!std::is_floating_point_v<T>) {
    if (matrix.conjugate && !by_rows)
      std::ranges::transform(out.packed, out.packed.begin(), [](T v) { return std::conj(v); });
  }
  out.data = out.packed.data();
  out.leading = static_cast<int>(std::max<int64_t>(length, 1));
  return out;
}

template <typename T>
T scalar(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value.real());
  else return T(value);
}

bool same_place(const Matrix& x, const Matrix& y, int64_t batch) {
  return x.of(batch) == y.of(batch) && x.number == y.number && x.row_step == y.row_step &&
         x.column_step == y.column_step;
}

template <typename T>
Status run_batch(const Product& p, int64_t batch, Gemm<T>* multiply) {
  const Operand<T> a = operand<T>(p.a, p.a.of(batch), p.m, p.k, p.tf32);
  const Operand<T> b = operand<T>(p.b, p.b.of(batch), p.k, p.n, p.tf32);
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const bool adds = p.beta != 0.0;
  const bool in_place = p.d.number == kNumberOf<T> && p.d.row_step == 1 && p.d.column_step >= p.m &&
                        p.epilogue.is_none() && (!adds || same_place(p.c, p.d, batch));
  if (in_place) {
    const T alpha = scalar<T>(p.alpha), beta = scalar<T>(p.beta);
    const int leading = static_cast<int>(std::max<int64_t>(p.d.column_step, 1));
    multiply(&a.op, &b.op, &m, &n, &k, &alpha, a.data, &a.leading, b.data, &b.leading, &beta,
             static_cast<T*>(p.d.of(batch)), &leading);
    return {};
  }
  std::vector<T> sums(static_cast<size_t>(p.m * p.n));
  const T one = 1, zero = 0;
  multiply(&a.op, &b.op, &m, &n, &k, &one, a.data, &a.leading, b.data, &b.leading, &zero, sums.data(), &m);
  finish(p, batch, scalar<T>(p.alpha), scalar<T>(p.beta), &sums);
  return {};
}

/// The matrix without compression, one for all products of a batch. `lines`: those across the product's depth.
Matrix expanded(const Matrix& matrix, int64_t lines, int64_t depth, std::vector<char>* memory) {
  const StructuredShape shape = StructuredShape{.number = matrix.number, .lines = lines, .depth = depth}.packed();
  memory->resize(static_cast<size_t>(lines * depth * size_bytes(matrix.number)));
  expand(shape, matrix.data, memory->data());
  Matrix out = matrix;
  out.data = memory->data();
  out.structured = false;
  return out;
}

template <typename T>
Status run_as(const Product& product) {
  WL_ASSIGN(Gemm<T>* const multiply, gemm<T>());
  for (int64_t batch = 0; batch < product.batches; ++batch) WL_TRY(run_batch<T>(product, batch, multiply));
  return {};
}

}  // namespace

Matrix column_major(const void* data, Number number, int64_t leading, int op) {
  Matrix out{.data = const_cast<void*>(data), .number = number, .row_step = 1, .column_step = leading};
  if (op != 0) std::swap(out.row_step, out.column_step);
  constexpr int kConjugate = 2;
  out.conjugate = op == kConjugate && is_complex(number);
  return out;
}

Status run(const Product& p) {
  if (p.m == 0 || p.n == 0 || p.batches == 0) return {};
  if (std::max({p.m, p.n, p.k, p.a.row_step, p.a.column_step, p.b.row_step, p.b.column_step, p.d.column_step}) >
      INT_MAX)
    return unsupported(fmt::format("a product of {} by {} by {}: sizes end at 2^31", p.m, p.n, p.k));
  if (p.a.structured || p.b.structured) {
    std::vector<char> memory;
    Product dense = p;
    if (p.a.structured) dense.a = expanded(p.a, p.m, p.k, &memory);
    else dense.b = expanded(p.b, p.n, p.k, &memory);
    return run(dense);
  }
  const auto has = [&](Number number) { return p.a.number == number || p.d.number == number; };
  if (has(Number::kC64)) return run_as<std::complex<double>>(p);
  if (has(Number::kC32)) return run_as<std::complex<float>>(p);
  // Sums of products of bytes are exact in f64, as in the GPU's i32.
  if (has(Number::kF64) || has(Number::kI8) || has(Number::kU8)) return run_as<double>(p);
  return run_as<float>(p);
}

}  // namespace warplens::libraries
