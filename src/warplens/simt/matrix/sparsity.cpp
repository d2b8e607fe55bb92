#include "warplens/simt/matrix/sparsity.h"

#include <algorithm>

#include "warplens/simt/matrix/dot_functions.h"

namespace warplens::simt {
namespace {

using ptx::Type;

constexpr int kRows = 16;

/// Where the four bits of a group lie.
struct Nibble {
  int lane, shift;
};

/// A row's groups take 16, 32 or 64 bits. Lane l of four times eight serves rows l / 4 and l / 4 + 8.
Nibble nibble_of(const Sparsity& s, int row, int group) {
  const int groups = s.k / group_elements(s.type), quad = row % 8 * 4, upper = row / 8;
  if (groups <= 4) return {quad + s.selector, 16 * upper + 4 * group};
  const bool narrow = ptx::bits(s.type) <= 8;
  if (groups <= 8 && narrow) return {quad + 2 * s.selector + upper, 4 * group};
  if (groups <= 8) return {quad + 2 * s.selector + group / 4, 16 * upper + 4 * (group % 4)};
  return {quad + 2 * (group / 8) + upper, 4 * (group % 8)};
}

bool all_finite(const uint32_t* bits, int count, Type type) {
  std::vector<float> values(static_cast<size_t>(count));
  std::vector<int32_t> exponents(static_cast<size_t>(count));
  return dot_functions().unpack(bits, count, type, number_format(type), values.data(), exponents.data());
}

/// Row by row, each with its own choice of B's elements.
void multiply_rows(const MatrixProduct& p, const DotModel& model, const std::vector<uint16_t>& places) {
  const int kept = static_cast<int>(places.size()) / p.m;
  std::vector<uint32_t> a(static_cast<size_t>(kept)), b(static_cast<size_t>(kept * p.n)), c(static_cast<size_t>(p.n));
  for (int row = 0; row < p.m; ++row) {
    for (int i = 0; i < kept; ++i) {
      a[static_cast<size_t>(i)] = p.a[i * p.m + row];
      for (int n = 0; n < p.n; ++n)
        b[static_cast<size_t>(n * kept + i)] = p.b[n * p.k + places[static_cast<size_t>(row * kept + i)]];
    }
    for (int n = 0; n < p.n; ++n) c[static_cast<size_t>(n)] = p.c[n * p.m + row];
    MatrixProduct one = p;
    one.m = 1;
    one.k = kept;
    one.a = a.data();
    one.b = b.data();
    one.c = c.data();
    multiply_float_plainly(one, model);
    for (int n = 0; n < p.n; ++n) p.c[n * p.m + row] = c[static_cast<size_t>(n)];
  }
}

}  // namespace

int group_elements(Type type) { return type == Type::kTf32 ? 2 : ptx::bits(type) == 4 ? 8 : 4; }

std::vector<uint16_t> kept_places(const Sparsity& s, const uint32_t* metadata) {
  const int elements = group_elements(s.type), each = elements / 2, groups = s.k / elements;
  std::vector<uint16_t> places;
  for (int row = 0; row < kRows; ++row) {
    for (int group = 0; group < groups; ++group) {
      const Nibble at = nibble_of(s, row, group);
      const uint32_t bits = metadata[at.lane] >> at.shift & 15;
      for (int i = 0; i < each; ++i) {
        // Two bits choose a quarter of the group: an element, half of a tf32, or a pair of four bits each.
        const int quarter = static_cast<int>(each == 4 ? bits >> (i / 2 * 2) & 3 : bits >> (2 * i) & 3);
        const int in_group = each == 1 ? quarter / 2 : each == 2 ? quarter : quarter * 2 + i % 2;
        places.push_back(static_cast<uint16_t>(group * elements + in_group));
      }
    }
  }
  return places;
}

void multiply_sparse(const MatrixProduct& p, const DotModel& model, const std::vector<uint16_t>& places) {
  const int kept = static_cast<int>(places.size()) / p.m;
  const bool integers = p.c_type == Type::kS32;
  if (!integers && !(all_finite(p.a, p.m * kept, p.a_type) && all_finite(p.b, p.n * p.k, p.b_type)))
    return multiply_rows(p, model, places);
  std::vector<uint32_t> dense(static_cast<size_t>(p.m * p.k));
  for (int row = 0; row < p.m; ++row) {
    for (int i = 0; i < kept; ++i)
      dense[static_cast<size_t>(places[static_cast<size_t>(row * kept + i)] * p.m + row)] = p.a[i * p.m + row];
  }
  MatrixProduct filled = p;
  filled.a = dense.data();
  if (integers) return multiply_integer(filled);
  DotModel wide = model;
  wide.chunk *= 2;  // zeros add nothing: the kept elements of so many are added at once
  multiply_float(filled, wide);
}

void multiply_sparse_halves(const MatrixProduct& p, int architecture, const std::vector<uint16_t>& places) {
  const int kept = static_cast<int>(places.size()) / p.m;
  const std::vector<uint32_t> addend(p.c, p.c + p.m * p.n);
  std::fill_n(p.c, p.m * p.n, 0);
  DotModel model = dot_model(architecture, p.a_type, false);
  for (int pair = 0; pair < 2; ++pair) {
    std::vector<uint32_t> a;
    std::vector<uint16_t> some(places.size() / 2);
    for (int i = 0; i < kept; ++i) {
      if (i % 4 / 2 != pair) continue;
      const auto column = static_cast<int>(a.size()) / p.m;
      a.insert(a.end(), p.a + i * p.m, p.a + (i + 1) * p.m);
      for (int row = 0; row < p.m; ++row)
        some[static_cast<size_t>(row * kept / 2 + column)] = places[static_cast<size_t>(row * kept + i)];
    }
    MatrixProduct half = p;
    half.a = a.data();
    model.chunk = p.k;  // all that is kept of one of the two
    multiply_sparse(half, model, some);
  }
  for (int i = 0; i < p.m * p.n; ++i) p.c[i] = rounded_sum(p.c[i], addend[static_cast<size_t>(i)], p.c_type);
}

}  // namespace warplens::simt
