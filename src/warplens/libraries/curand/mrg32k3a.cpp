// L'Ecuyer's MRG32k3a, as curand_kernel.h seeds it: the difference of two recurrences.
#include <vector>

#include "warplens/libraries/curand/engine.h"

namespace warplens::libraries {
namespace mrg32k3a {
namespace {

constexpr size_t kLanes = 81920;
constexpr int kLaneLog2 = 76;
constexpr uint64_t kFirstModulus = 4294967087, kSecondModulus = 4294944443;
constexpr double kUnit = 2.3283065498378288e-10;  // 1 / kFirstModulus
constexpr double kToBits = 1.000000048662;        // from the modulus to 2^32

using Values = std::array<uint64_t, 3>;
using Matrix = std::array<Values, 3>;

Values product(const Matrix& m, const Values& v, uint64_t modulus) {
  Values out{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k) out[i] = (out[i] + m[i][k] * v[k] % modulus) % modulus;
  return out;
}

Matrix squared(const Matrix& m, uint64_t modulus) {
  Matrix out{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 3; ++k) out[i][j] = (out[i][j] + m[i][k] * m[k][j] % modulus) % modulus;
  return out;
}

struct Step {
  Matrix first{{{0, 1, 0}, {0, 0, 1}, {kFirstModulus - 810728, 1403580, 0}}};
  Matrix second{{{0, 1, 0}, {0, 0, 1}, {kSecondModulus - 1370589, 0, 527612}}};
  void square() {
    first = squared(first, kFirstModulus);
    second = squared(second, kSecondModulus);
  }
};

struct State {
  Values first, second;
  State after(const Step& step) const {
    return {product(step.first, first, kFirstModulus), product(step.second, second, kSecondModulus)};
  }
  /// 1 to the modulus.
  double draw() {
    static const Step kOne;
    *this = after(kOne);
    const uint64_t difference = (first[2] + kFirstModulus - second[2] % kFirstModulus) % kFirstModulus;
    return static_cast<double>(difference == 0 ? kFirstModulus : difference);
  }
};

State seeded(uint64_t seed) {
  constexpr uint64_t kStart = 12345;
  if (seed == 0) return {{kStart, kStart, kStart}, {kStart, kStart, kStart}};
  const uint64_t a = static_cast<uint32_t>(seed) ^ 0x55555555u, b = static_cast<uint32_t>(seed >> 32) ^ 0xaaaaaaaau;
  const auto mixed = [&](uint64_t x, uint64_t modulus) { return x * kStart % modulus; };
  return {{mixed(a, kFirstModulus), mixed(b, kFirstModulus), mixed(a, kFirstModulus)},
          {mixed(b, kSecondModulus), mixed(a, kSecondModulus), mixed(b, kSecondModulus)}};
}

class Mrg32k3a : public Engine {
 public:
  Mrg32k3a(uint64_t seed, uint64_t skipped) {
    Step lane;
    for (int k = 0; k < kLaneLog2; ++k) lane.square();
    states_.push_back(seeded(seed));
    while (states_.size() < kLanes) states_.push_back(states_.back().after(lane));
    Step power;
    for (uint64_t bit = 1; bit <= skipped / kLanes + 1 && bit != 0; bit <<= 1, power.square())
      for (size_t k = 0; k < kLanes; ++k)
        if ((turns_of(skipped, k, kLanes, 1) & bit) != 0) states_[k] = states_[k].after(power);
  }

  size_t lanes() const override { return kLanes; }
  size_t results(Draw draw) const override { return is_normal(draw) ? 2 : 1; }
  Results draw(size_t lane, Draw draw, bool advances) override {
    State state = states_[lane];
    const double first = state.draw();
    Results out{first * kUnit};
    if (draw == Draw::kInteger) out[0] = static_cast<uint32_t>(first * kToBits);
    if (draw == Draw::kUnit) out[0] = static_cast<float>(out[0]);
    if (is_normal(draw)) {
      const auto [a, b] = normals(first * kUnit, state.draw() * kUnit);
      out = {a, b};
    }
    if (advances) states_[lane] = state;
    return out;
  }

 private:
  std::vector<State> states_;
};

}  // namespace
}  // namespace mrg32k3a

std::unique_ptr<Engine> make_mrg32k3a(uint64_t seed, uint64_t skipped_integers) {
  return std::make_unique<mrg32k3a::Mrg32k3a>(seed, skipped_integers);
}

}  // namespace warplens::libraries
