#include "warplens/bench/suite/array_functions.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/threads.h"
#include "warplens/bench/suite/attention_reference.h"
#include "warplens/bench/suite/varied_attention.h"

namespace warplens::bench {
namespace {

int64_t columns_of(const ArrayArgument& x) { return x.shape.empty() ? 1 : x.shape.back(); }
int64_t rows_of(const ArrayArgument& x) { return formula::element_count(x.shape) / columns_of(x); }

ReferenceValues scan(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument& x = args[0];
  ReferenceValues out{x.shape, {}};
  out.values.reserve(x.values.size());
  for (int64_t row = 0; row < rows_of(x); ++row) {
    double sum = 0;
    for (int64_t c = 0; c < columns_of(x); ++c) out.values.push_back(sum += x.values[row * columns_of(x) + c]);
  }
  return out;
}

ReferenceValues transpose(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument& x = args[0];
  const int64_t rows = rows_of(x), columns = columns_of(x);
  ReferenceValues out{{columns, rows}, std::vector<double>(x.values.size())};
  parallel_for(static_cast<size_t>(columns), default_threads(), [&](size_t c) {
    for (int64_t r = 0; r < rows; ++r) out.values[c * rows + r] = x.values[r * columns + c];
  });
  return out;
}

ReferenceValues histogram(ArrayArguments args, const formula::Shape& output) {
  ReferenceValues out{output, std::vector<double>(formula::element_count(output))};
  for (const double v : args[0].values) {
    if (v >= 0 && v < static_cast<double>(out.values.size())) out.values[static_cast<size_t>(v)] += 1;
  }
  return out;
}

ReferenceValues column_sum(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument& x = args[0];
  ReferenceValues out{{columns_of(x)}, std::vector<double>(columns_of(x))};
  for (size_t i = 0; i < x.values.size(); ++i) out.values[i % out.values.size()] += x.values[i];
  return out;
}

/// x[row, t[row]]
ReferenceValues pick(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument &x = args[0], &t = args[1];
  ReferenceValues out{t.shape, {}};
  for (size_t row = 0; row < t.values.size(); ++row)
    out.values.push_back(x.values[row * columns_of(x) + static_cast<size_t>(t.values[row])]);
  return out;
}

/// 1 at t[row] of each row, 0 elsewhere, of the shape of x.
ReferenceValues one_hot(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument &t = args[0], &x = args[1];
  ReferenceValues out{x.shape, std::vector<double>(x.values.size())};
  for (size_t row = 0; row < t.values.size(); ++row)
    out.values[row * columns_of(x) + static_cast<size_t>(t.values[row])] = 1;
  return out;
}

/// One value a row, as formulas give it in a column, as an array of one axis.
ReferenceValues column(ArrayArguments args, const formula::Shape&) {
  return {{static_cast<int64_t>(args[0].values.size())}, {args[0].values.begin(), args[0].values.end()}};
}

/// a[r] all along row r, of the shape of x.
ReferenceValues lines(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument &a = args[0], &x = args[1];
  ReferenceValues out{x.shape, std::vector<double>(x.values.size())};
  for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = a.values[i / columns_of(x)];
  return out;
}

/// Pairs (i, i + half) of the last axis turned by the angles whose cosines and sines are given, a row a position.
ReferenceValues rotary(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument &x = args[0], &cosine = args[1], &sine = args[2];
  const int64_t size = columns_of(x), half = size / 2, positions = rows_of(cosine);
  const int64_t heads = rows_of(x) / positions;
  ReferenceValues out{x.shape, std::vector<double>(x.values.size())};
  for (int64_t row = 0; row < rows_of(x); ++row) {
    for (int64_t i = 0; i < half; ++i) {
      const double c = cosine.values[row / heads * half + i], s = sine.values[row / heads * half + i];
      const double a = x.values[row * size + i], b = x.values[row * size + half + i];
      out.values[row * size + i] = a * c - b * s;
      out.values[row * size + half + i] = b * c + a * s;
    }
  }
  return out;
}

/// a (m, k) times b (k, n), or (n, k) where transposed. Of large ones some columns are computed.
template <bool kTransposed>
ReferenceValues matmul(ArrayArguments args, const formula::Shape&) {
  const ArrayArgument &a = args[0], &b = args[1];
  const int64_t m = rows_of(a), k = columns_of(a), n = kTransposed ? rows_of(b) : columns_of(b);
  constexpr int64_t kMostProducts = 1 << 27;
  const int64_t columns = std::clamp<int64_t>(kMostProducts / std::max<int64_t>(1, m * k), 1, n), step = n / columns;
  ReferenceValues out{{m, n}, std::vector<double>(m * columns)};
  parallel_for(static_cast<size_t>(columns), default_threads(), [&](size_t number) {
    const auto c = static_cast<int64_t>(number);
    std::vector<double> column(k);
    const int64_t place = c * step + c * 37 % step;  // at different places of tiles
    for (int64_t i = 0; i < k; ++i) column[i] = b.values[kTransposed ? place * k + i : i * n + place];
    for (int64_t row = 0; row < m; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < k; ++i) sum += a.values[row * k + i] * column[i];
      out.values[row * columns + c] = sum;
    }
  });
  for (int64_t i = 0; columns < n && i < m * columns; ++i)
    out.places.push_back(static_cast<size_t>(i / columns * n + i % columns * step + i % columns * 37 % step));
  return out;
}

/// The numbers that bytes stand for in fp8 (e4m3): a sign, four bits of exponent, three of mantissa; no infinities.
ReferenceValues e4m3(ArrayArguments args, const formula::Shape&) {
  ReferenceValues out{args[0].shape, {}};
  for (const double x : args[0].values) {
    const int bits = static_cast<int>(x), exponent = bits >> 3 & 15, mantissa = bits & 7;
    const double size = exponent ? std::ldexp(8 + mantissa, exponent - 10) : std::ldexp(mantissa, -9);
    out.values.push_back((bits & 127) == 127 ? NAN : bits & 128 ? -size : size);
  }
  return out;
}

using Shapes = std::span<const formula::Shape>;
formula::Shape like_first(Shapes args) { return args[0]; }
formula::Shape like_second(Shapes args) { return args[1]; }
formula::Shape product(Shapes args) { return {args[0][0], args[1].back()}; }
formula::Shape product_transposed(Shapes args) { return {args[0][0], args[1][0]}; }
formula::Shape one_axis(Shapes args) { return {formula::element_count(args[0])}; }

constexpr ArrayFunction kFunctions[] = {
    {"scan", 1, scan, "running sums along each row"},
    {"transpose", 1, transpose, "of a matrix"},
    {"histogram", 1, histogram, "how often each of 0, 1, ... occurs"},
    {"column_sum", 1, column_sum, "over all axes but the last"},
    {"pick", 2, pick, "element b[r] of each row r of a", like_second},
    {"one_hot", 2, one_hot, "zeros of b's shape, with 1 at a[r] in each row r", like_second},
    {"column", 1, column, "one value for each row, as an array with one axis", one_axis},
    {"lines", 2, lines, "an array of b's shape, with row r filled with a[r]", like_second},
    {"rotary", 3, rotary, "rotary embedding of a, with cosines b and sines c", like_first},
    {"matmul", 2, matmul<false>, "product of matrices", product, 2},
    {"matmul_transposed", 2, matmul<true>, "product of a (m, k) and b (n, k), transposed", product_transposed, 2},
    {"e4m3", 1, e4m3, "fp8 numbers of bytes", like_first},
};

}  // namespace

const ArrayFunction* find_array_function(std::string_view name) {
  for (const std::span<const ArrayFunction> functions :
       {array_functions(), attention_functions(), varied_attention_functions()}) {
    for (const ArrayFunction& f : functions) {
      if (f.name == name) return &f;
    }
  }
  return nullptr;
}

std::span<const ArrayFunction> array_functions() { return kFunctions; }

}  // namespace warplens::bench
