#include "warplens/libraries/curand/engine.h"

#include <cmath>
#include <numbers>

namespace warplens::libraries {

float unit(uint32_t bits) {
  constexpr float kStep = 0x1p-32f;
  return static_cast<float>(bits) * kStep + kStep / 2;
}

double unit(uint32_t low, uint32_t high) {
  constexpr int kShift = 21;
  constexpr double kStep = 0x1p-53;
  return static_cast<double>(low ^ static_cast<uint64_t>(high) << kShift) * kStep + kStep / 2;
}

std::array<double, 2> normals(double uniform, double angle) {
  const double radius = std::sqrt(-2 * std::log(uniform)), radians = 2 * std::numbers::pi * angle;
  return {radius * std::sin(radians), radius * std::cos(radians)};
}

}  // namespace warplens::libraries
