// Marsaglia's xorwow, as curand_kernel.h seeds it.
#include <vector>

#include "warplens/libraries/curand/engine.h"

namespace warplens::libraries {
namespace xorwow {
namespace {

constexpr size_t kLanes = 4096, kWords = 5, kBits = 32 * kWords;
constexpr int kLaneLog2 = 67;
constexpr uint32_t kWeyl = 362437;

using Shifted = std::array<uint32_t, kWords>;

Shifted next(const Shifted& v) {
  const uint32_t t = v[0] ^ v[0] >> 2;
  return {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1};
}

/// A linear step over bits: what each of them becomes.
struct Step {
  std::vector<Shifted> of_bit = std::vector<Shifted>(kBits);

  Shifted operator()(const Shifted& v) const {
    Shifted out{};
    for (size_t bit = 0; bit < kBits; ++bit)
      if ((v[bit / 32] >> bit % 32 & 1) != 0)
        for (size_t k = 0; k < kWords; ++k) out[k] ^= of_bit[bit][k];
    return out;
  }
  void square() {
    const Step once = *this;
    for (Shifted& bit : of_bit) bit = once(bit);
  }
};

Step one_number() {
  Step out;
  for (size_t bit = 0; bit < kBits; ++bit) {
    Shifted v{};
    v[bit / 32] = 1u << bit % 32;
    out.of_bit[bit] = next(v);
  }
  return out;
}

struct State {
  Shifted v;
  uint32_t d;
  uint32_t draw() {
    v = next(v);
    d += kWeyl;
    return v[kWords - 1] + d;
  }
};

State seeded(uint64_t seed) {
  const uint32_t s0 = static_cast<uint32_t>(seed) ^ 0xaad26b49u, s1 = static_cast<uint32_t>(seed >> 32) ^ 0xf7dcefddu;
  const uint32_t t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  return {{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 6615241u + t1 + t0};
}

class Xorwow : public Engine {
 public:
  Xorwow(uint64_t seed, uint64_t skipped) {
    Step lane = one_number();
    for (int k = 0; k < kLaneLog2; ++k) lane.square();
    states_.push_back(seeded(seed));
    while (states_.size() < kLanes)
      states_.push_back({lane(states_.back().v), states_.back().d});  // d's period is 2^32
    Step power = one_number();
    for (uint64_t bit = 1; bit <= skipped / kLanes + 1 && bit != 0; bit <<= 1, power.square())
      for (size_t k = 0; k < kLanes; ++k)
        if ((turns_of(skipped, k, kLanes, 1) & bit) != 0) states_[k].v = power(states_[k].v);
    for (size_t k = 0; k < kLanes; ++k) states_[k].d += kWeyl * static_cast<uint32_t>(turns_of(skipped, k, kLanes, 1));
  }

  size_t lanes() const override { return kLanes; }
  size_t results(Draw draw) const override { return is_normal(draw) ? 2 : 1; }
  Results draw(size_t lane, Draw draw, bool advances) override {
    State state = states_[lane];
    const Results out = drawn(&state, draw);
    if (advances) states_[lane] = state;
    return out;
  }

 private:
  static double wide_unit(State* s) {
    const uint32_t low = s->draw();
    return unit(low, s->draw());
  }
  static Results drawn(State* s, Draw draw) {
    switch (draw) {
      case Draw::kInteger: return {static_cast<double>(s->draw())};
      case Draw::kUnit: return {unit(s->draw())};
      case Draw::kUnitDouble: return {wide_unit(s)};
      case Draw::kNormal: {
        const uint32_t first = s->draw();
        const auto [a, b] = normals(unit(first), unit(s->draw()));
        return {a, b};
      }
      case Draw::kNormalDouble: break;
    }
    const double first = wide_unit(s);
    const auto [a, b] = normals(first, wide_unit(s));
    return {a, b};
  }

  std::vector<State> states_;
};

}  // namespace
}  // namespace xorwow

std::unique_ptr<Engine> make_xorwow(uint64_t seed, uint64_t skipped_integers) {
  return std::make_unique<xorwow::Xorwow>(seed, skipped_integers);
}

}  // namespace warplens::libraries
