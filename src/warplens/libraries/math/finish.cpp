#include "warplens/libraries/math/finish.h"

#include <algorithm>
#include <cmath>

namespace warplens::libraries {
namespace {

constexpr double kSqrt2OverPi = 0.7978845608028654, kCubic = 0.044715;

template <typename R>
R gelu(R x) {
  return R(0.5) * x * (1 + std::tanh(R(kSqrt2OverPi) * (x + R(kCubic) * x * x * x)));
}
template <typename R>
R gelu_slope(R x) {
  const R t = std::tanh(R(kSqrt2OverPi) * (x + R(kCubic) * x * x * x));
  return R(0.5) * (1 + t) + R(0.5) * x * (1 - t * t) * R(kSqrt2OverPi) * (1 + 3 * R(kCubic) * x * x);
}

void* at(void* data, Number number, int64_t element) { return static_cast<char*>(data) + element * size_bytes(number); }
const void* at(const void* data, Number number, int64_t element) {
  return static_cast<const char*>(data) + element * size_bytes(number);
}

/// ReLU's bits of one column.
struct Bits {
  uint8_t* data;
  int64_t first;
  bool get(int64_t i) const { return (data[(first + i) / 8] >> ((first + i) % 8) & 1) != 0; }
  void set(int64_t i, bool value) {
    const auto bit = static_cast<uint8_t>(1u << ((first + i) % 8));
    uint8_t& byte = data[(first + i) / 8];
    byte = static_cast<uint8_t>(value ? byte | bit : byte & ~bit);
  }
};

/// One column through the activation.
template <typename R>
void activate(const Epilogue& e, int64_t batch, int64_t column, int64_t rows, R* values) {
  const int64_t first = batch * e.aux_batch_step + column * e.aux_leading;
  Bits bits{static_cast<uint8_t*>(e.aux), first};
  std::vector<R> before;
  if (e.activation == Activation::kGeluBackward) {
    before.resize(static_cast<size_t>(rows));
    load(e.aux_number, at(e.aux, e.aux_number, first), 1, rows, before.data());
  }
  if (e.activation == Activation::kGelu && e.aux != nullptr)
    store(values, rows, e.aux_number, at(e.aux, e.aux_number, first), 1);
  for (int64_t i = 0; i < rows; ++i) {
    R& x = values[i];
    switch (e.activation) {
      case Activation::kNone: break;
      case Activation::kRelu:
        if (e.aux != nullptr) bits.set(i, x > 0);
        x = x > 0 || x != x ? x : 0;
        break;
      case Activation::kReluBackward: x = bits.get(i) ? x : 0; break;
      case Activation::kGelu: x = gelu(x); break;
      case Activation::kGeluBackward: x *= gelu_slope(before[static_cast<size_t>(i)]); break;
    }
  }
}

/// The sums of op(A)'s rows, or op(B)'s columns.
template <typename T>
std::vector<T> sums_of_lines(const Matrix& matrix, int64_t batch, int64_t lines, int64_t length, int64_t line_step,
                             int64_t step) {
  std::vector<T> out(static_cast<size_t>(lines)), line(static_cast<size_t>(length));
  for (int64_t i = 0; i < lines; ++i) {
    load(matrix.number, at(matrix.of(batch), matrix.number, i * line_step), step, length, line.data());
    for (const T& value : line) out[static_cast<size_t>(i)] += value;
  }
  return out;
}

template <typename T>
void store_gradient(const Product& p, int64_t batch, std::vector<T> of_d) {
  const Epilogue& e = p.epilogue;
  if (e.sums == Epilogue::Sums::kNone || e.gradient == nullptr) return;
  if (e.sums == Epilogue::Sums::kA) of_d = sums_of_lines<T>(p.a, batch, p.m, p.k, p.a.row_step, p.a.column_step);
  if (e.sums == Epilogue::Sums::kB) of_d = sums_of_lines<T>(p.b, batch, p.n, p.k, p.b.column_step, p.b.row_step);
  store(of_d.data(), static_cast<int64_t>(of_d.size()), e.bias_number,
        at(e.gradient, e.bias_number, batch * e.bias_batch_step), 1);
}

}  // namespace

template <typename T>
void finish(const Product& p, int64_t batch, T alpha, T beta, std::vector<T>* sums) {
  const Epilogue& e = p.epilogue;
  std::vector<T> bias(static_cast<size_t>(e.bias != nullptr ? p.m : 0)), added(static_cast<size_t>(p.m)),
      row_sums(static_cast<size_t>(e.sums == Epilogue::Sums::kD ? p.m : 0));
  if (e.bias != nullptr) load(e.bias_number, at(e.bias, e.bias_number, batch * e.bias_batch_step), 1, p.m, bias.data());
  float largest = 0;
  for (int64_t column = 0; column < p.n; ++column) {
    T* const values = sums->data() + column * p.m;
    for (int64_t i = 0; i < p.m; ++i) values[i] *= alpha;
    if (e.a.values != nullptr || e.b.values != nullptr)
      for (int64_t i = 0; i < p.m; ++i) values[i] *= T(e.a.of(i) * e.b.of(column));
    if (beta != T(0)) {
      load(p.c.number, at(p.c.of(batch), p.c.number, column * p.c.column_step), p.c.row_step, p.m, added.data());
      for (int64_t i = 0; i < p.m; ++i) values[i] += beta * T(e.c.of(0)) * added[static_cast<size_t>(i)];
    }
    if (e.bias != nullptr)
      for (int64_t i = 0; i < p.m; ++i) values[i] += bias[static_cast<size_t>(i)];
    if constexpr (std::is_floating_point_v<T>) {
      if (e.activation != Activation::kNone) activate(e, batch, column, p.m, values);
      for (size_t i = 0; i < row_sums.size(); ++i) row_sums[i] += values[i];
      if (e.largest != nullptr)
        for (int64_t i = 0; i < p.m; ++i) largest = std::max(largest, static_cast<float>(std::fabs(values[i])));
      if (e.d.values != nullptr)
        for (int64_t i = 0; i < p.m; ++i) values[i] *= e.d.of(0);
    }
    store(values, p.m, p.d.number, at(p.d.of(batch), p.d.number, column * p.d.column_step), p.d.row_step);
  }
  if (e.largest != nullptr) *e.largest = batch == 0 ? largest : std::max(largest, *e.largest);
  store_gradient(p, batch, std::move(row_sums));
}

template void finish(const Product&, int64_t, float, float, std::vector<float>*);
template void finish(const Product&, int64_t, double, double, std::vector<double>*);
template void finish(const Product&, int64_t, std::complex<float>, std::complex<float>,
                     std::vector<std::complex<float>>*);
template void finish(const Product&, int64_t, std::complex<double>, std::complex<double>,
                     std::vector<std::complex<double>>*);

}  // namespace warplens::libraries
