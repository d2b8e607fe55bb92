#include "warplens/libraries/math/array.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warplens/libraries/math/product.h"

namespace warplens::libraries {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

int64_t offset_of(const Sizes& index, const Sizes& step) {
  int64_t out = 0;
  for (size_t i = 0; i < index.size(); ++i) out += index[i] * step[i];
  return out;
}

/// Offsets in an operand that is broadcast to `output`: of rows, and the step within one.
struct Broadcast {
  Sizes size, step;
  const Sizes& output;

  Broadcast(const Sizes& of, const Sizes& to)
      : size(to.size() - std::min(of.size(), to.size()), 1), step(to.size()), output(to) {
    size.insert(size.end(), of.begin(), of.end());
    step = packed_steps(size);
  }
  int64_t row(const Sizes& index) const {
    int64_t out = 0;
    for (size_t i = 0; i + 1 < index.size(); ++i) out += index[i] * size[i] / output[i] * step[i];
    return out;
  }
  int64_t column(int64_t i) const { return size.back() == output.back() ? i : i * size.back() / output.back(); }
};

Sizes at_least_one(Sizes size) {
  if (size.empty()) size.push_back(1);
  return size;
}

float start_of(Reducing how) {
  switch (how) {
    case Reducing::kMul:
    case Reducing::kMulNoZeros: return 1;
    case Reducing::kMin: return kInfinity;
    case Reducing::kMax: return -kInfinity;
    default: return 0;
  }
}

double joined(Reducing how, double sum, double value) {
  switch (how) {
    case Reducing::kMul: return sum * value;
    case Reducing::kMulNoZeros: return value == 0 ? sum : sum * value;
    case Reducing::kMin: return std::min(sum, value);
    case Reducing::kMax: return std::max(sum, value);
    case Reducing::kAmax: return std::max(sum, std::abs(value));
    case Reducing::kNorm1: return sum + std::abs(value);
    case Reducing::kNorm2: return sum + value * value;
    default: return sum + value;
  }
}

}  // namespace

int64_t count_of(const Sizes& size) {
  int64_t out = 1;
  for (const int64_t n : size) out *= n;
  return out;
}

Sizes packed_steps(const Sizes& size) {
  Sizes out(size.size(), 1);
  for (size_t i = size.size(); i-- > 1;) out[i - 1] = out[i] * size[i];
  return out;
}

Array::Array(Sizes dims, float value) : size(at_least_one(std::move(dims))) {
  values.assign(static_cast<size_t>(count_of(size)), value);
}

void each_row(const Sizes& size, const std::function<void(const Sizes& index, int64_t offset)>& use) {
  if (count_of(size) == 0) return;
  Sizes index(size.size(), 0);
  for (int64_t offset = 0; offset < count_of(size); offset += size.back()) {
    use(index, offset);
    for (size_t i = size.size() - 1; i-- > 0;) {
      if (++index[i] < size[i]) break;
      index[i] = 0;
    }
  }
}

Array load_array(const Strided& from) {
  Array out(from.size);
  each_row(out.size, [&](const Sizes& index, int64_t offset) {
    const auto* row = static_cast<const char*>(from.data) + offset_of(index, from.step) * size_bytes(from.number);
    load(from.number, row, from.step.empty() ? 1 : from.step.back(), out.size.back(), out.values.data() + offset);
  });
  return out;
}

void store_array(const Array& array, const Strided& to) {
  each_row(array.size, [&](const Sizes& index, int64_t offset) {
    auto* row = static_cast<char*>(to.data) + offset_of(index, to.step) * size_bytes(to.number);
    store(array.values.data() + offset, array.size.back(), to.number, row, to.step.empty() ? 1 : to.step.back());
  });
}

void round_to(Number number, Array* array) {
  if (number == Number::kF32) return;
  const auto count = static_cast<int64_t>(array->values.size());
  std::vector<char> held(static_cast<size_t>(count * size_bytes(number)));
  store(array->values.data(), count, number, held.data(), 1);
  load(number, held.data(), 1, count, array->values.data());
}

Array pointwise(const Sizes& size, const std::vector<const Array*>& inputs, const RowFunction& f) {
  Array out(size);
  const int64_t count = out.size.back();
  std::vector<Broadcast> places;
  std::vector<std::vector<float>> spread(inputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    places.emplace_back(inputs[k]->size, out.size);
    if (places[k].size.back() != count) spread[k].resize(static_cast<size_t>(count));
  }
  std::vector<const float*> rows(inputs.size());
  each_row(out.size, [&](const Sizes& index, int64_t offset) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      rows[k] = inputs[k]->values.data() + places[k].row(index);
      if (spread[k].empty()) continue;
      for (int64_t i = 0; i < count; ++i) spread[k][static_cast<size_t>(i)] = rows[k][places[k].column(i)];
      rows[k] = spread[k].data();
    }
    f(rows.data(), count, out.values.data() + offset);
  });
  return out;
}

Array index_along(const Sizes& size, size_t axis, int64_t first) {
  Array out(size);
  each_row(out.size, [&](const Sizes& index, int64_t offset) {
    const bool last = axis + 1 == out.size.size();
    for (int64_t i = 0; i < out.size.back(); ++i)
      out.values[static_cast<size_t>(offset + i)] = static_cast<float>(first + (last ? i : index[axis]));
  });
  return out;
}

Array reduce(const Array& x, const Sizes& size, Reducing how) {
  Array out(size);
  std::vector<double> sums(out.values.size(), start_of(how));
  const Broadcast place(out.size, x.size);
  each_row(x.size, [&](const Sizes& index, int64_t offset) {
    double* const row = sums.data() + place.row(index);
    for (int64_t i = 0; i < x.size.back(); ++i) {
      double& sum = row[place.column(i)];
      sum = joined(how, sum, static_cast<double>(x.values[static_cast<size_t>(offset + i)]));
    }
  });
  const double each = static_cast<double>(x.values.size()) / static_cast<double>(std::max<size_t>(sums.size(), 1));
  for (size_t i = 0; i < sums.size(); ++i) {
    if (how == Reducing::kAvg) sums[i] /= each;
    if (how == Reducing::kNorm2) sums[i] = std::sqrt(sums[i]);
    out.values[i] = static_cast<float>(sums[i]);
  }
  return out;
}

Result<Array> multiply(const Array& a, const Array& b, const Sizes& size, bool tf32) {
  Array out(size);
  const size_t dims = out.size.size();
  if (dims < 2 || a.size.size() != dims || b.size.size() != dims || a.size[dims - 1] != b.size[dims - 2])
    return internal_error("a product of matrices whose sizes do not agree");
  const int64_t m = out.size[dims - 2], n = out.size[dims - 1], k = a.size[dims - 1];
  if (k == 0) return out;
  // Rows of the result are columns of its transpose, which is B's times A's.
  const auto across = [](const float* data, int64_t columns, int64_t batch_step) {
    return Matrix{.data = const_cast<float*>(data), .row_step = 1, .column_step = columns, .batch_step = batch_step};
  };
  const Broadcast of_a(a.size, out.size), of_b(b.size, out.size);
  Sizes batches(out.size.begin(), out.size.end() - 2);
  batches.push_back(1);
  Status status;
  each_row(batches, [&](const Sizes& index, int64_t batch) {
    if (!status.ok()) return;
    int64_t from_a = 0, from_b = 0;
    for (size_t i = 0; i + 2 < dims; ++i) {
      from_a += index[i] * a.size[i] / out.size[i] * of_a.step[i];
      from_b += index[i] * b.size[i] / out.size[i] * of_b.step[i];
    }
    Product product{.m = n, .n = m, .k = k, .tf32 = tf32};
    product.a = across(b.values.data() + from_b, n, 0);
    product.b = across(a.values.data() + from_a, k, 0);
    product.c = product.d = across(out.values.data() + batch * m * n, n, 0);
    status = run(product);
  });
  WL_TRY(status);
  return out;
}

Array permute(const Array& x, const std::vector<size_t>& axes) {
  Strided from{.data = const_cast<float*>(x.values.data()), .number = Number::kF32, .size = {}, .step = {}};
  const Sizes steps = packed_steps(x.size);
  for (const size_t axis : axes) {
    from.size.push_back(x.size[axis]);
    from.step.push_back(steps[axis]);
  }
  return load_array(from);
}

Softmax softmax(const Array& x, const Array* sink) {
  Sizes rows = x.size;
  rows.back() = 1;
  Softmax out{Array(x.size), Array(rows), Array(rows)};
  each_row(x.size, [&](const Sizes& index, int64_t offset) {
    const float* const from = x.values.data() + offset;
    float* const to = out.weights.values.data() + offset;
    const int64_t n = x.size.back();
    float most = *std::max_element(from, from + n), other = -kInfinity;
    if (sink != nullptr) other = sink->values[static_cast<size_t>(Broadcast(sink->size, rows).row(index))];
    most = std::max(most, other);
    const float base = most == -kInfinity ? 0 : most;
    float sum = other == -kInfinity ? 0 : std::exp(other - base);
    for (int64_t i = 0; i < n; ++i) sum += to[i] = std::exp(from[i] - base);
    for (int64_t i = 0; i < n; ++i) to[i] = sum == 0 ? 0 : to[i] / sum;
    const auto row = static_cast<size_t>(offset / n);
    out.largest.values[row] = most;
    out.sums.values[row] = sum;
  });
  return out;
}

}  // namespace warplens::libraries
