#include "warplens/libraries/math/tensor.h"

namespace warplens::libraries {
namespace {

/// Calls `use` with the first element of each line along the last dimension.
template <typename F>
void each_line(const Tensor& t, F use) {
  char* const data = static_cast<char*>(t.data);
  const int64_t bytes = size_bytes(t.number);
  for (int64_t a = 0; a < t.size[0]; ++a)
    for (int64_t b = 0; b < t.size[1]; ++b)
      for (int64_t c = 0; c < t.size[2]; ++c)
        for (int64_t d = 0; d < t.size[3]; ++d)
          use(data + (a * t.step[0] + b * t.step[1] + c * t.step[2] + d * t.step[3]) * bytes);
}

}  // namespace

int64_t Tensor::count() const {
  int64_t out = 1;
  for (const int64_t n : size) out *= n;
  return out;
}

int64_t Tensor::span() const {
  if (count() == 0) return 0;
  int64_t out = 1;
  for (size_t i = 0; i < size.size(); ++i) out += (size[i] - 1) * step[i];
  return out;
}

Tensor Tensor::at(int64_t first) const {
  Tensor out = *this;
  out.data = static_cast<char*>(data) + first * step[0] * size_bytes(number);
  out.size[0] = 1;
  return out;
}

template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  std::vector<T> out(static_cast<size_t>(tensor.count()));
  T* to = out.data();
  each_line(tensor, [&](char* line) {
    load(tensor.number, line, tensor.step[4], tensor.size[4], to);
    to += tensor.size[4];
  });
  return out;
}

template <typename T>
void store_values(const std::vector<T>& values, const Tensor& tensor, double alpha, double beta) {
  const T* from = values.data();
  std::vector<T> line(static_cast<size_t>(tensor.size[4])), old(line.size());
  each_line(tensor, [&](char* to) {
    if (beta != 0) load(tensor.number, to, tensor.step[4], tensor.size[4], old.data());
    for (size_t i = 0; i < line.size(); ++i)
      line[i] = static_cast<T>(alpha) * from[i] + (beta != 0 ? static_cast<T>(beta) * old[i] : T(0));
    store(line.data(), tensor.size[4], tensor.number, to, tensor.step[4]);
    from += tensor.size[4];
  });
}

template std::vector<float> values_of(const Tensor&);
template std::vector<double> values_of(const Tensor&);
template void store_values(const std::vector<float>&, const Tensor&, double, double);
template void store_values(const std::vector<double>&, const Tensor&, double, double);

}  // namespace warplens::libraries
