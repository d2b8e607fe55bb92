// cuRAND's pseudorandom engines. Lanes draw in turn from one sequence, each far behind the one before it.
#pragma once
#include <array>
#include <cstdint>
#include <memory>

namespace warplens::libraries {

enum class Draw : uint8_t { kInteger, kUnit, kUnitDouble, kNormal, kNormalDouble };
inline bool is_normal(Draw draw) { return draw == Draw::kNormal || draw == Draw::kNormalDouble; }

constexpr size_t kMostResults = 4;
using Results = std::array<double, kMostResults>;  // hold 32-bit integers and floats exactly

class Engine {
 public:
  virtual ~Engine() = default;
  virtual size_t lanes() const = 0;
  /// Results that a lane gives before it is the next one's turn.
  virtual size_t results(Draw draw) const = 0;
  /// Results of the lane's turn. Without `advances` it draws the same again.
  virtual Results draw(size_t lane, Draw draw, bool advances) = 0;
};

/// A lane behind the one before it by 2^67 numbers, of 4,096.
std::unique_ptr<Engine> make_xorwow(uint64_t seed, uint64_t skipped_integers);
/// By 2^76 numbers, of 81,920.
std::unique_ptr<Engine> make_mrg32k3a(uint64_t seed, uint64_t skipped_integers);
/// A counter of its own for each of 65,536 lanes, encrypted with the seed.
std::unique_ptr<Engine> make_philox(uint64_t seed, uint64_t skipped_integers);

/// How many integers `lane` of `lanes`, which give `results` a turn, has given after `integers` in all: whole turns.
inline uint64_t turns_of(uint64_t integers, size_t lane, size_t lanes, size_t results) {
  const uint64_t turns = integers / results;
  return turns / lanes + (lane < turns % lanes ? 1 : 0);
}

/// In (0, 1]: of 32 bits, and of 53.
float unit(uint32_t bits);
double unit(uint32_t low, uint32_t high);
/// Two normal numbers from two uniform ones in (0, 1]; `angle` is a share of the circle.
std::array<double, 2> normals(double uniform, double angle);

}  // namespace warplens::libraries
