// Philox 4x32-10 of Salmon and others: a counter, encrypted.
#include <vector>

#include "warplens/libraries/curand/engine.h"

namespace warplens::libraries {
namespace philox {
namespace {

constexpr size_t kLanes = 65536, kTurn = 4;
using Block = std::array<uint32_t, 4>;

Block encrypted(uint64_t counter, uint32_t lane, uint64_t seed) {
  constexpr int kRounds = 10;
  constexpr uint64_t kFirst = 0xd2511f53, kSecond = 0xcd9e8d57;
  Block c{static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), lane, 0};
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < kRounds; ++round, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
    const uint64_t a = kFirst * c[0], b = kSecond * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
  }
  return c;
}

class Philox : public Engine {
 public:
  Philox(uint64_t seed, uint64_t skipped) : seed_(seed), counters_(kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) counters_[lane] = turns_of(skipped, lane, kLanes, kTurn);
  }

  size_t lanes() const override { return kLanes; }
  size_t results(Draw) const override { return kTurn; }
  Results draw(size_t lane, Draw draw, bool advances) override {
    const bool wide = draw == Draw::kUnitDouble || draw == Draw::kNormalDouble;
    Results out{};
    for (size_t half = 0; half < (wide ? 2 : 1); ++half) {
      const Block block = encrypted(counters_[lane] + half, static_cast<uint32_t>(lane), seed_);
      if (wide) put_wide(block, draw, &out[2 * half]);
      else put(block, draw, &out);
    }
    if (advances) counters_[lane] += wide ? 2 : 1;
    return out;
  }

 private:
  static void put_wide(const Block& block, Draw draw, double* out) {
    const double a = unit(block[0], block[1]), b = unit(block[2], block[3]);
    const auto [x, y] = draw == Draw::kNormalDouble ? normals(a, b) : std::array{a, b};
    out[0] = x;
    out[1] = y;
  }
  static void put(const Block& block, Draw draw, Results* out) {
    for (size_t k = 0; k < kTurn; ++k)
      (*out)[k] = draw == Draw::kInteger ? static_cast<double>(block[k]) : double{unit(block[k])};
    if (draw != Draw::kNormal) return;
    for (size_t k = 0; k < kTurn; k += 2) {
      const auto [x, y] = normals((*out)[k], (*out)[k + 1]);
      (*out)[k] = x;
      (*out)[k + 1] = y;
    }
  }

  uint64_t seed_;
  std::vector<uint64_t> counters_;
};

}  // namespace
}  // namespace philox

std::unique_ptr<Engine> make_philox(uint64_t seed, uint64_t skipped_integers) {
  return std::make_unique<philox::Philox>(seed, skipped_integers);
}

}  // namespace warplens::libraries
