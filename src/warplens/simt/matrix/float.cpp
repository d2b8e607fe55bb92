// Floating-point products of matrices by lanes: what is out of their reach goes to the plain way, element by element.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "warplens/base/half.h"
#include "warplens/simt/matrix/dot_functions.h"
#include "warplens/simt/matrix/math.h"

namespace warplens::simt {
namespace {

using ptx::Type;

constexpr int kStep = 16;  // rows: what lanes do at once divides it

/// Values and exponents of a matrix's elements; whether any is an infinity or a NaN.
struct Unpacked {
  std::vector<float> values;
  std::vector<int32_t> exponents;
  bool odd = false;

  void fill(const uint32_t* bits, int count, Type type) {
    values.resize(static_cast<size_t>(count));
    exponents.resize(static_cast<size_t>(count));
    odd = !dot_functions().unpack(bits, count, type, number_format(type), values.data(), exponents.data());
  }
};

/// What a product needs for its time, kept by each thread.
struct Scratch {
  Unpacked a, b;
  std::vector<uint32_t> padded;
  std::vector<float> c;
  std::vector<int32_t> far;
};

/// Columns of `rows` elements, filled up with zeros to `pitch`.
const uint32_t* padded(const uint32_t* bits, int rows, int columns, int pitch, std::vector<uint32_t>& to) {
  if (rows == pitch) return bits;
  to.assign(static_cast<size_t>(pitch * columns), 0);
  for (int i = 0; i < columns; ++i) std::copy_n(bits + i * rows, rows, to.data() + i * pitch);
  return to.data();
}

/// C as floats, columns `pitch` apart.
void read_sums(const MatrixProduct& p, int pitch, float* c) {
  if (p.c_type == Type::kF32 && p.m == pitch) {
    std::memcpy(c, p.c, static_cast<size_t>(p.m * p.n) * 4);
    return;
  }
  for (int column = 0; column < p.n; ++column) {
    for (int row = 0; row < p.m; ++row) {
      const uint32_t bits = p.c[column * p.m + row];
      c[column * pitch + row] = p.c_type == Type::kF16 ? half_value(bits) : std::bit_cast<float>(bits);
    }
  }
}

/// Puts D in C's place; the elements that are out of the lanes' reach are made the plain way.
void write_sums(const MatrixProduct& p, const DotModel& model, int pitch, const float* c, const int32_t* far) {
  const bool half = p.c_type == Type::kF16;
  int32_t any = 0;
  for (int i = 0; i < p.n * pitch; ++i) any |= far[i];
  if (!half && any == 0 && p.m == pitch) {
    std::memcpy(p.c, c, static_cast<size_t>(p.m * p.n) * 4);
    return;
  }
  for (int column = 0; column < p.n; ++column) {
    for (int row = 0; row < p.m; ++row) {
      const int at = column * pitch + row;
      p.c[column * p.m + row] = far[at] != 0 ? dot_plainly(p, model, row, column)
                                : half       ? half_bits(c[at])
                                             : std::bit_cast<uint32_t>(c[at]);
    }
  }
}

}  // namespace

void multiply_float(const MatrixProduct& p, const DotModel& model) {
  static thread_local Scratch scratch;
  const int pitch = (p.m + kStep - 1) / kStep * kStep;
  Unpacked &a = scratch.a, &b = scratch.b;
  a.fill(padded(p.a, p.m, p.k, pitch, scratch.padded), pitch * p.k, p.a_type);
  b.fill(p.b, p.n * p.k, p.b_type);
  if (a.odd || b.odd) return multiply_float_plainly(p, model);
  scratch.c.resize(static_cast<size_t>(pitch * p.n));
  scratch.far.assign(static_cast<size_t>(pitch * p.n), 0);
  read_sums(p, pitch, scratch.c.data());
  DotColumn column{pitch, p.k, model, p.c_type == Type::kF16, p.negate};
  column.a = a.values.data();
  column.a_exponents = a.exponents.data();
  for (int n = 0; n < p.n; ++n) {
    column.c = scratch.c.data() + n * pitch;
    column.far = scratch.far.data() + n * pitch;
    column.b = b.values.data() + n * p.k;
    column.b_exponents = b.exponents.data() + n * p.k;
    dot_functions().column(column);
  }
  write_sums(p, model, pitch, scratch.c.data(), scratch.far.data());
}

}  // namespace warplens::simt
