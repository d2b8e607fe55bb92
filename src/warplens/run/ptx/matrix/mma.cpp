// mma and wmma.mma: registers to dense matrices, the product, and back.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "warplens/base/half.h"
#include "warplens/run/ptx/matrix/registers.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/matrix/dot_functions.h"
#include "warplens/simt/matrix/fragments.h"
#include "warplens/simt/matrix/math.h"
#include "warplens/simt/matrix/scaled.h"
#include "warplens/simt/matrix/sparsity.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;

/// The m x n x k walk of one operand: calls f(lane, place, row, column) for each element.
template <typename Where, typename F>
void walk(int elements_a_lane, const Where& where, const F& f) {
  for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
    for (int place = 0; place < elements_a_lane; ++place) f(lane, place, where(lane, place));
  }
}

uint32_t minifloat(uint32_t byte) { return (byte >> 2) & 15; }  // e2m1 stands in bits 2 to 5

class Mma {
 public:
  Mma(Warp& warp, const Op& op, const MatrixInfo& info)
      : warp_(warp),
        op_(op),
        info_(info),
        places_(warp.program->matrix_places[op.matrix]),
        a_(matrix_scratch.a),
        b_(matrix_scratch.b),
        c_(matrix_scratch.c) {
    a_.resize(static_cast<size_t>(info.m * info.k));
    b_.resize(static_cast<size_t>(info.n * info.k));
    c_.resize(static_cast<size_t>(info.m * info.n));
  }

  void run() {
    gather();
    MatrixProduct product{info_.m, info_.n, info_.k, info_.a, info_.b, info_.c, a_.data(), b_.data(), c_.data()};
    product.saturate = info_.saturate;
    product.use_xor = info_.use_xor;
    if (info_.sparse) {
      multiply_sparse_of_warp(product);
    } else if (info_.c == Type::kS32) {
      multiply_integer(product);
    } else if (info_.scale_blocks != 0) {
      multiply_with_scales(product);
    } else if (runs_on_half_units(warp_.program->architecture, info_.a)) {
      multiply_halves(product);
    } else {
      multiply_float(product, dot_model(warp_.program->architecture, info_.a, false));
    }
    scatter();
  }

 private:
  void multiply_sparse_of_warp(const MatrixProduct& product) {
    const auto places = kept_places({info_.a, info_.k, info_.selector}, warp_.lanes<uint32_t>(op_.e));
    const int architecture = warp_.program->architecture;
    if (info_.c != Type::kS32 && runs_on_half_units(architecture, info_.a))
      return multiply_sparse_halves(product, architecture, places);
    multiply_sparse(product, dot_model(architecture, info_.a, false), places);
  }

  /// From sm_90 on ptxas widens a register's four fp8 values to two registers of f16, multiplies the lower pairs first,
  /// and adds C at the end as an ordinary sum.
  void multiply_halves(MatrixProduct product) {
    std::vector<uint32_t> a(a_.size()), b(b_.size());
    for (int i = 0; i < info_.k; ++i) {
      const int to = i % 4 / 2 * (info_.k / 2) + i / 4 * 2 + i % 2;
      for (int row = 0; row < info_.m; ++row)
        a[static_cast<size_t>(to * info_.m + row)] = a_[static_cast<size_t>(i * info_.m + row)];
      for (int row = 0; row < info_.n; ++row)
        b[static_cast<size_t>(row * info_.k + to)] = b_[static_cast<size_t>(row * info_.k + i)];
    }
    product.a = a.data();
    product.b = b.data();
    const std::vector<uint32_t> addend = c_;
    std::fill(c_.begin(), c_.end(), 0);
    DotModel model = dot_model(warp_.program->architecture, info_.a, false);
    model.chunk =
        std::min<decltype(model.chunk)>(model.chunk, info_.k / 2);  // each of the two products is one of half the depth
    multiply_float(product, model);
    for (size_t i = 0; i < c_.size(); ++i) c_[i] = rounded_sum(c_[i], addend[i], info_.c);
  }

  /// The scales of row (column) `lane / 4` of an operand, or what its lane of four holds: bytes of a register.
  void take_scales(int operand, int lane, uint8_t* to) const {
    const uint32_t slot = warp_.program->slots[op_.elements + static_cast<uint32_t>(operand)];
    const uint32_t word = warp_.lanes<uint32_t>(slot)[lane] >> (8 * (op_.scale_places >> (4 * operand) & 3));
    std::memcpy(to, &word, info_.scale_blocks);
  }

  void multiply_with_scales(const MatrixProduct& product) const {
    const int blocks = info_.scale_blocks;
    std::array<uint8_t, 16 * 4> a;
    std::array<uint8_t, 8 * 4> b;
    const int pair = static_cast<int>(op_.scale_places >> 2 & 1) * 2,
              lane_of_four = static_cast<int>(op_.scale_places >> 6 & 3);
    for (int row = 0; row < 16; ++row)
      take_scales(0, row % 8 * 4 + pair + row / 8, &a[static_cast<size_t>(row * blocks)]);
    for (int i = 0; i < 8; ++i) take_scales(1, i * 4 + lane_of_four, &b[static_cast<size_t>(i * blocks)]);
    multiply_scaled(product, {info_.scale, blocks, a.data(), b.data()},
                    dot_model(warp_.program->architecture, info_.a, false));
  }

  void gather() {
    Registers(warp_, op_.a, stored_bits(info_, info_.a)).gather(places_.a, a_.data());
    Registers(warp_, op_.b, stored_bits(info_, info_.b)).gather(places_.b, b_.data());
    Registers(warp_, op_.c, stored_bits(info_, info_.c)).gather(places_.c, c_.data());
    if (info_.packed) return;
    if (info_.a == Type::kE2m1) {
      for (uint32_t& x : a_) x = minifloat(x);
    }
    if (info_.b == Type::kE2m1) {
      for (uint32_t& x : b_) x = minifloat(x);
    }
  }

  void scatter() { Registers(warp_, op_.d, stored_bits(info_, info_.d)).scatter(places_.c, c_.data()); }

  Warp& warp_;
  const Op& op_;
  const MatrixInfo& info_;
  const MatrixPlaces& places_;
  std::vector<uint32_t>&a_, &b_, &c_;
};

/// The product where its registers are, when lanes can make it there.
bool run_tiles(Warp& w, const Op& op, const MatrixInfo& info) {
  const int bits = stored_bits(info, info.a), architecture = w.program->architecture;
  const bool layout = info.m == 16 && (info.opaque ? info.n == 16 && info.k == 16 && bits == 16 : info.n == 8);
  const bool numbers = info.c == Type::kF32 && info.d == Type::kF32 && ptx::bits(info.a) == bits &&
                       ptx::bits(info.b) == bits && info.k * bits <= 256;
  if (!layout || !numbers || info.sparse || info.scale_blocks != 0) return false;
  if (runs_on_half_units(architecture, info.a)) return false;
  const auto& slots = w.program->slots;
  TileProduct p{info.k, info.n / 8, 32 / bits, info.a, info.b, dot_model(architecture, info.a, false)};
  for (int i = 0; i < p.k / (2 * p.each); ++i) p.a[i] = w.lanes<uint32_t>(slots[op.a + static_cast<uint32_t>(i)]);
  for (int i = 0; i < p.k / (4 * p.each) * p.tiles; ++i)
    p.b[i] = w.lanes<uint32_t>(slots[op.b + static_cast<uint32_t>(i)]);
  alignas(64) float c[8][kLanes];
  const auto count = static_cast<uint32_t>(4 * p.tiles);
  for (uint32_t i = 0; i < count; ++i) std::memcpy(c[i], w.lanes<float>(slots[op.c + i]), sizeof c[i]);
  p.c = c;
  if (!dot_functions().tiles(p)) return false;
  for (uint32_t i = 0; i < count; ++i) std::memcpy(w.lanes<float>(slots[op.d + i]), c[i], sizeof c[i]);
  return true;
}

void run_double(Warp& w, const Op& op, const MatrixInfo& info) {
  const auto& slots = w.program->slots;
  const auto value = [&](uint32_t first, int place, int lane) -> double& {
    return w.lanes<double>(slots[first + static_cast<uint32_t>(place)])[lane];
  };
  const auto where = [&](int operand, int lane, int place) { return element_of_operand(info, operand, lane, place); };
  const int m = info.m, n = info.n, k = info.k, lanes = static_cast<int>(kLanes);
  std::vector<double> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n)), c(static_cast<size_t>(m * n));
  walk(
      m * k / lanes, [&](int l, int p) { return where(0, l, p); },
      [&](int l, int p, Element e) { a[static_cast<size_t>(e.row * k + e.column)] = value(op.a, p, l); });
  walk(
      k * n / lanes, [&](int l, int p) { return where(1, l, p); },
      [&](int l, int p, Element e) { b[static_cast<size_t>(e.column * k + e.row)] = value(op.b, p, l); });
  walk(
      m * n / lanes, [&](int l, int p) { return where(2, l, p); },
      [&](int l, int p, Element e) { c[static_cast<size_t>(e.row * n + e.column)] = value(op.c, p, l); });
  multiply_double(m, n, k, a.data(), b.data(), c.data());
  walk(
      m * n / lanes, [&](int l, int p) { return where(2, l, p); },
      [&](int l, int p, Element e) { value(op.d, p, l) = c[static_cast<size_t>(e.row * n + e.column)]; });
}

/// wmma may widen or narrow its accumulator: C f16 with D f32 and the other way round.
uint32_t change_accumulator(uint32_t bits, Type from, Type to) {
  if (from == to) return bits;
  if (to == Type::kF16) return half_bits(std::bit_cast<float>(bits));
  return std::bit_cast<uint32_t>(half_value(bits));
}

/// Brings C to D's format in D's registers, so that the product accumulates there.
void convert_accumulator(Warp& w, const Op& op, const MatrixInfo& info) {
  const Registers from(w, op.c, stored_bits(info, info.c));
  Registers to(w, op.d, stored_bits(info, info.d));
  const int count = info.m * info.n / static_cast<int>(kLanes);
  std::vector<uint32_t> values;
  for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
    values.clear();
    for (int place = 0; place < count; ++place)
      values.push_back(change_accumulator(from.get(lane, place), info.c, info.d));
    for (int place = 0; place < count; ++place) to.set(lane, place, values[static_cast<size_t>(place)]);
  }
}

}  // namespace

void run_mma(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.matrix];
  if (info.d == Type::kF64) return run_double(w, op, info);
  if (run_tiles(w, op, info)) return;
  if (info.c == info.d) return Mma(w, op, info).run();
  convert_accumulator(w, op, info);
  MatrixInfo same = info;
  same.c = info.d;
  Op in_place = op;
  in_place.c = op.d;
  Mma(w, in_place, same).run();
}

}  // namespace warplens::simt::ptx_machine
