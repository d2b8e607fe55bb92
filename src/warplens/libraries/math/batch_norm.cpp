#include "warplens/libraries/math/batch_norm.h"

#include <cmath>

namespace warplens::libraries {
namespace {

using Values = std::vector<double>;

/// For each element of `t`, in order, the index of the parameter that it has.
std::vector<size_t> parameter_of(const Tensor& t, const Tensor& parameters) {
  std::vector<size_t> out;
  out.reserve(static_cast<size_t>(t.count()));
  const Dims& size = parameters.size;
  Dims i{};
  for (i[0] = 0; i[0] < t.size[0]; ++i[0])
    for (i[1] = 0; i[1] < t.size[1]; ++i[1])
      for (i[2] = 0; i[2] < t.size[2]; ++i[2])
        for (i[3] = 0; i[3] < t.size[3]; ++i[3])
          for (i[4] = 0; i[4] < t.size[4]; ++i[4]) {
            int64_t at = 0;
            for (size_t k = 0; k < i.size(); ++k) at = at * size[k] + (size[k] > 1 ? i[k] : 0);
            out.push_back(static_cast<size_t>(at));
          }
  return out;
}

Tensor placed(Tensor parameters, const void* data) {
  parameters.data = const_cast<void*>(data);
  return parameters;
}
Values read(const Tensor& parameters, const void* data) { return values_of<double>(placed(parameters, data)); }
void write(const Values& values, const Tensor& parameters, void* data, double alpha = 1, double beta = 0) {
  if (data != nullptr) store_values(values, placed(parameters, data), alpha, beta);
}

struct Statistics {
  Values mean, variance;
  double each = 0;  // elements that share a parameter
};
Statistics statistics_of(const Values& x, const std::vector<size_t>& of, size_t parameters) {
  Statistics out{Values(parameters), Values(parameters),
                 static_cast<double>(x.size()) / static_cast<double>(parameters)};
  for (size_t i = 0; i < x.size(); ++i) out.mean[of[i]] += x[i] / out.each;
  for (size_t i = 0; i < x.size(); ++i) out.variance[of[i]] += (x[i] - out.mean[of[i]]) * (x[i] - out.mean[of[i]]);
  for (double& v : out.variance) v /= out.each;
  return out;
}

/// y from means and 1 / sqrt(variance + epsilon).
void normalise(const BatchNorm& n, Values x, const std::vector<size_t>& of, const Values& mean, const Values& inverse) {
  const Values scale = read(n.parameters, n.scale), shift = read(n.parameters, n.shift);
  for (size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - mean[of[i]]) * inverse[of[i]] * scale[of[i]] + shift[of[i]];
  store_values(x, n.y, n.alpha, n.beta);
}

Values inverses(const Values& variance, double epsilon) {
  Values out(variance.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = 1 / std::sqrt(variance[i] + epsilon);
  return out;
}

}  // namespace

void run_training(const BatchNorm& n) {
  const std::vector<size_t> of = parameter_of(n.x, n.parameters);
  const Values x = values_of<double>(n.x);
  Statistics found = statistics_of(x, of, static_cast<size_t>(n.parameters.count()));
  const Values inverse = inverses(found.variance, n.epsilon);
  write(found.mean, n.parameters, n.saved_mean);
  write(inverse, n.parameters, n.saved_inverse);
  write(found.mean, n.parameters, n.running_mean, n.momentum, 1 - n.momentum);
  normalise(n, x, of, found.mean, inverse);
  for (double& v : found.variance) v *= found.each > 1 ? found.each / (found.each - 1) : 1;
  write(found.variance, n.parameters, n.running_variance, n.momentum, 1 - n.momentum);
}

void run_inference(const BatchNorm& n) {
  normalise(n, values_of<double>(n.x), parameter_of(n.x, n.parameters), read(n.parameters, n.running_mean),
            inverses(read(n.parameters, n.running_variance), n.epsilon));
}

void run_gradient(const BatchNormGradient& g) {
  const std::vector<size_t> of = parameter_of(g.x, g.parameters);
  const auto parameters = static_cast<size_t>(g.parameters.count());
  const Values x = values_of<double>(g.x);
  Values dy = values_of<double>(g.dy);
  Statistics found = statistics_of(x, of, parameters);
  Values inverse = inverses(found.variance, g.epsilon);
  if (g.saved_mean != nullptr) found.mean = read(g.parameters, g.saved_mean);
  if (g.saved_inverse != nullptr) inverse = read(g.parameters, g.saved_inverse);
  const Values scale = read(g.parameters, g.scale);
  Values d_scale(parameters), d_shift(parameters);
  const auto normal = [&](size_t i) { return (x[i] - found.mean[of[i]]) * inverse[of[i]]; };
  for (size_t i = 0; i < x.size(); ++i) {
    d_shift[of[i]] += dy[i];
    d_scale[of[i]] += dy[i] * normal(i);
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t p = of[i];
    dy[i] = scale[p] * inverse[p] * (dy[i] - (d_shift[p] + normal(i) * d_scale[p]) / found.each);
  }
  store_values(dy, g.dx, g.data_alpha, g.data_beta);
  write(d_scale, g.parameters, g.d_scale, g.parameter_alpha, g.parameter_beta);
  write(d_shift, g.parameters, g.d_shift, g.parameter_alpha, g.parameter_beta);
}

}  // namespace warplens::libraries
