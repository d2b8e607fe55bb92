#include "warplens/libraries/cudnn/graph_pointwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace warplens::libraries {
namespace {

template <typename F>
RowFunction of_one(F f) {
  return [f](const float* const* in, int64_t n, float* out) {
    for (int64_t i = 0; i < n; ++i) out[i] = f(in[0][i]);
  };
}
template <typename F>
RowFunction of_two(F f) {
  return [f](const float* const* in, int64_t n, float* out) {
    for (int64_t i = 0; i < n; ++i) out[i] = f(in[0][i], in[1][i]);
  };
}
RowFunction select() {
  return [](const float* const* in, int64_t n, float* out) {
    for (int64_t i = 0; i < n; ++i) out[i] = in[2][i] != 0 ? in[0][i] : in[1][i];
  };
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

struct Gelu {
  static constexpr float kRootHalf = std::numbers::sqrt2_v<float> / 2;
  static float normal(float x) { return 0.5F * (1 + std::erf(x * kRootHalf)); }
  static float value(float x) { return x * normal(x); }
  static float slope(float x) {
    return normal(x) + x * std::exp(-0.5F * x * x) * kRootHalf * std::numbers::inv_sqrtpi_v<float>;
  }
};
struct GeluByTanh {
  static constexpr float kScale = 0.7978845608F, kCube = 0.044715F;
  static float turned(float x) { return std::tanh(kScale * (x + kCube * x * x * x)); }
  static float value(float x) { return 0.5F * x * (1 + turned(x)); }
  static float slope(float x) {
    const float t = turned(x);
    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * kScale * (1 + 3 * kCube * x * x);
  }
};

/// Activations, 100 to 107: `gradient` is that of mode 200 to 207, as a factor of the output's gradient.
template <typename Value, typename Slope>
RowFunction activation(bool gradient, Value value, Slope slope) {
  if (!gradient) return of_one(value);
  return of_two([slope](float x, float dy) { return dy * slope(x); });
}

RowFunction activation_function(int mode, const double* parameters) {
  constexpr int kForward = 100, kBackward = 200;
  const bool gradient = mode >= kBackward;
  const auto lower = static_cast<float>(parameters[0]), upper = static_cast<float>(parameters[1]),
             slope = static_cast<float>(parameters[2]);
  switch (mode - (gradient ? kBackward : kForward)) {
    case 0:
      return activation(
          gradient, [=](float x) { return x < lower ? lower + slope * (x - lower) : std::min(x, upper); },
          [=](float x) { return x <= lower  ? slope
                                : x < upper ? 1.0F
                                            : 0.0F; });
    case 1:
      return activation(
          gradient, [](float x) { return std::tanh(x); }, [](float x) { return 1 - std::tanh(x) * std::tanh(x); });
    case 2: return activation(gradient, sigmoid, [](float x) { return sigmoid(x) * (1 - sigmoid(x)); });
    case 3:
      return activation(
          gradient, [=](float x) { return x > 0 ? x : slope * std::expm1(x); },
          [=](float x) { return x > 0 ? 1 : slope * std::exp(x); });
    case 4: return activation(gradient, Gelu::value, Gelu::slope);
    case 5:
      return activation(
          gradient, [=](float x) { return std::log1p(std::exp(slope * x)) / slope; },
          [=](float x) { return sigmoid(slope * x); });
    case 6:
      return activation(
          gradient, [=](float x) { return x * sigmoid(slope * x); },
          [=](float x) {
            const float s = sigmoid(slope * x);
            return s + slope * x * s * (1 - s);
          });
    default: return activation(gradient, GeluByTanh::value, GeluByTanh::slope);
  }
}

RowFunction of_pair(int mode) {
  switch (mode) {
    case 0: return of_two([](float a, float b) { return a + b; });
    case 1: return of_two([](float a, float b) { return a * b; });
    case 2: return of_two([](float a, float b) { return std::min(a, b); });
    case 3: return of_two([](float a, float b) { return std::max(a, b); });
    case 5: return of_two([](float a, float b) { return a + b * b; });
    case 6: return of_two([](float a, float b) { return a / b; });
    case 7: return of_two([](float a, float b) { return std::fmod(a, b); });
    case 8: return of_two([](float a, float b) { return std::pow(a, b); });
    case 9: return of_two([](float a, float b) { return a - b; });
    case 23: return of_two([](float a, float b) { return std::atan2(a, b); });
    case 300: return of_two([](float a, float b) { return static_cast<float>(a == b); });
    case 301: return of_two([](float a, float b) { return static_cast<float>(a != b); });
    case 302: return of_two([](float a, float b) { return static_cast<float>(a > b); });
    case 303: return of_two([](float a, float b) { return static_cast<float>(a >= b); });
    case 304: return of_two([](float a, float b) { return static_cast<float>(a < b); });
    case 305: return of_two([](float a, float b) { return static_cast<float>(a <= b); });
    case 400: return of_two([](float a, float b) { return static_cast<float>(a != 0 && b != 0); });
    case 401: return of_two([](float a, float b) { return static_cast<float>(a != 0 || b != 0); });
    default: return {};
  }
}

RowFunction of_single(int mode) {
  switch (mode) {
    case 4: return of_one([](float a) { return std::sqrt(a); });
    case 10: return of_one([](float a) { return std::abs(a); });
    case 11: return of_one([](float a) { return std::ceil(a); });
    case 12: return of_one([](float a) { return std::cos(a); });
    case 13: return of_one([](float a) { return std::exp(a); });
    case 14: return of_one([](float a) { return std::floor(a); });
    case 15: return of_one([](float a) { return std::log(a); });
    case 16: return of_one([](float a) { return -a; });
    case 17: return of_one([](float a) { return 1 / std::sqrt(a); });
    case 18: return of_one([](float a) { return std::sin(a); });
    case 19: return of_one([](float a) { return std::tan(a); });
    case 20: return of_one([](float a) { return std::erf(a); });
    case 21: return of_one([](float a) { return a; });
    case 22: return of_one([](float a) { return 1 / a; });
    case 402: return of_one([](float a) { return static_cast<float>(a == 0); });
    default: return {};
  }
}

constexpr int kSelect = 601;

bool is_activation(int mode) { return (mode >= 100 && mode <= 107) || (mode >= 200 && mode <= 207); }

}  // namespace

size_t inputs_of_pointwise(int mode) {
  if (mode == kIndexMode) return 1;
  if (mode == kSelect) return 3;
  if (is_activation(mode)) return mode >= 200 ? 2 : 1;
  return of_pair(mode) ? 2 : of_single(mode) ? 1 : 0;
}

RowFunction pointwise_function(const GraphOperation& operation) {
  const int mode = operation.mode;
  if (mode == kSelect) return select();
  if (is_activation(mode)) return activation_function(mode, operation.parameters);
  const RowFunction pair = of_pair(mode);
  return pair ? pair : of_single(mode);
}

}  // namespace warplens::libraries
