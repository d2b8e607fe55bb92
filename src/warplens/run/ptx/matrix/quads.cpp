#include "warplens/run/ptx/matrix/quads.h"

#include <array>
#include <bit>
#include <cmath>

#include "warplens/base/half.h"
#include "warplens/run/ptx/matrix/registers.h"
#include "warplens/simt/matrix/math.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;

constexpr int kQuads = 4, kSize = 8, kInner = 4;
constexpr int kFirstWithoutHardware = 80;  // from sm_80 on, ptxas makes it of shuffles and f32 arithmetic

/// The lane of pair of quads `quad` whose number in it is 0 to 7.
int lane_of(int quad, int number) { return 4 * quad + number % 4 + number / 4 * 16; }

uint32_t bits_of_half(float value) { return std::isnan(value) ? 0x7fff : half_bits(value); }
uint32_t float_bits(float value) { return std::isnan(value) ? 0x7fffffff : std::bit_cast<uint32_t>(value); }

/// A place of C or D: who holds it, and where.
struct Held {
  int lane, place;
};
Held held(int quad, int row, int column, Type type) {
  if (type == Type::kF16) return {lane_of(quad, row), column};
  return {lane_of(quad, row / 4 * 4 + column / 2 % 2 * 2 + row % 2), column / 4 * 4 + row / 2 % 2 * 2 + column % 2};
}

class Quads {
 public:
  Quads(Warp& w, const Op& op)
      : architecture_(w.program->architecture),
        info_(w.program->matrices[op.matrix]),
        a_(w, op.a, 16),
        b_(w, op.b, 16),
        c_(w, op.c, ptx::bits(info_.c)),
        d_(w, op.d, ptx::bits(info_.d)) {}

  void run() {
    std::array<std::array<uint32_t, kSize * kSize>, kQuads> results;  // D may lie where A, B or C do
    for (int quad = 0; quad < kQuads; ++quad) results[static_cast<size_t>(quad)] = product(quad);
    for (int quad = 0; quad < kQuads; ++quad) {
      for (int row = 0; row < kSize; ++row) {
        for (int column = 0; column < kSize; ++column) {
          const Held at = held(quad, row, column, info_.d);
          d_.set(at.lane, at.place, results[static_cast<size_t>(quad)][static_cast<size_t>(column * kSize + row)]);
        }
      }
    }
  }

 private:
  uint32_t element_a(int quad, int row, int inner) const {
    return info_.by_columns ? a_.get(lane_of(quad, row / 4 * 4 + inner), row % 4) : a_.get(lane_of(quad, row), inner);
  }
  uint32_t element_b(int quad, int inner, int column) const {
    return info_.transposed ? b_.get(lane_of(quad, column / 4 * 4 + inner), column % 4)
                            : b_.get(lane_of(quad, column), inner);
  }
  uint32_t element_c(int quad, int row, int column) const {
    const Held at = held(quad, row, column, info_.c);
    return c_.get(at.lane, at.place);
  }

  std::array<uint32_t, kSize * kSize> product(int quad) const {
    std::array<uint32_t, kSize * kInner> a{}, b{};
    std::array<uint32_t, kSize * kSize> c{};
    for (int i = 0; i < kInner; ++i) {
      for (int at = 0; at < kSize; ++at) {
        a[static_cast<size_t>(i * kSize + at)] = element_a(quad, at, i);
        b[static_cast<size_t>(at * kInner + i)] = element_b(quad, i, at);
      }
    }
    for (int row = 0; row < kSize; ++row) {
      for (int column = 0; column < kSize; ++column) {
        const auto at = static_cast<size_t>(column * kSize + row);
        const uint32_t held_c = element_c(quad, row, column);
        c[at] = architecture_ < kFirstWithoutHardware ? accumulator(held_c)
                                                      : in_software(a.data() + row, b.data() + column * kInner, held_c);
      }
    }
    if (architecture_ < kFirstWithoutHardware)
      multiply_float({kSize, kSize, kInner, Type::kF16, Type::kF16, info_.d, a.data(), b.data(), c.data()},
                     dot_model(architecture_, Type::kF16, false));
    return c;
  }

  /// C in D's format.
  uint32_t accumulator(uint32_t bits) const {
    if (info_.c == info_.d) return bits;
    return info_.d == Type::kF32 ? float_bits(half_value(bits)) : bits_of_half(std::bit_cast<float>(bits));
  }

  /// As ptxas's code for sm_80 and up does it: into f32 the four products one after another, then C; into f16 C and
  /// the first two products, then the other two.
  uint32_t in_software(const uint32_t* row, const uint32_t* column, uint32_t held_c) const {
    std::array<float, kInner> x, y;
    for (size_t i = 0; i < kInner; ++i) {
      x[i] = half_value(row[i * kSize]);
      y[i] = half_value(column[i]);
    }
    const float c = info_.c == Type::kF32 ? std::bit_cast<float>(held_c) : half_value(held_c);
    if (info_.d == Type::kF32) {
      float sum = 0;
      for (size_t i = 0; i < kInner; ++i) sum = std::fma(x[i], y[i], sum);
      return float_bits(c + sum);
    }
    const float first = std::fma(x[1], y[1], x[0] * y[0]), second = std::fma(x[3], y[3], x[2] * y[2]);
    return bits_of_half(c + first + second);
  }

  int architecture_;
  const MatrixInfo& info_;
  Registers a_, b_, c_, d_;
};

}  // namespace

void run_quads(Warp& w, const Op& op) { Quads(w, op).run(); }

}  // namespace warplens::simt::ptx_machine
