// Warp-group matrix products of Hopper. Each warp of the four multiplies its 16 rows; operands in shared memory are
// read at once, which a program cannot tell from later.
#include "warplens/run/sass/matrix/gmma.h"

#include <cstring>
#include <vector>

#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/simt/matrix/fragments.h"
#include "warplens/simt/matrix/math.h"
#include "warplens/simt/matrix/shared_matrix.h"

namespace warplens::simt::sass_machine {
namespace {

using simt::MatrixInfo, simt::SharedMatrix, ptx::Type;

constexpr uint32_t kRows = 16;  // of a warp
constexpr uint32_t kUnitBytes = 16;

struct Operands {
  GroupShape shape;
  bool a_in_registers = false, transpose_a = false, transpose_b = false, negate = false, saturate = false;
};

Operands operands_of(const Op& op) {
  const Word& w = op.word;
  Operands o;
  o.shape = group_shape(op.opcode, w);
  o.a_in_registers = w.form() == 6;
  o.negate = o.shape.d != Type::kS32 && w.bit(63) != w.bit(72);
  o.saturate = o.shape.d == Type::kS32 && w.bit(75);
  const bool halves = ptx::bits(o.shape.a) == 16;
  o.transpose_a = halves && w.bit(61);
  o.transpose_b = halves && w.bit(62);
  return o;
}

uint64_t uniform_pair(Warp& w, const Operand& o, uint32_t further) {
  const uint32_t* rows = w.rows + (o.row + further) * kLanes;
  return rows[0] | uint64_t{rows[kLanes]} << 32;
}

/// A tile of shared memory, elements `first` to `first + outers` of m or n, with all of k, to
/// to[outer * outer_pitch + inner * inner_pitch].
bool read_tile(Warp& w, const SharedMatrix& d, Type type, uint32_t k, bool transposed, uint32_t first, uint32_t outers,
               uint32_t* to, uint32_t outer_pitch, uint32_t inner_pitch) {
  const auto bytes = static_cast<uint32_t>(ptx::bits(type)) / 8, count = kUnitBytes / bytes;
  const uint32_t outer_step = transposed ? count : 1, inner_step = transposed ? 1 : count;
  for (uint32_t outer = 0; outer < outers; outer += outer_step) {
    for (uint32_t inner = 0; inner < k; inner += inner_step) {
      const uint8_t* unit = shared_bytes(w, d.offset(first + outer, inner, bytes, transposed), kUnitBytes);
      if (!unit) return false;
      uint32_t* target = to + outer * outer_pitch + inner * inner_pitch;
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t value = 0;
        std::memcpy(&value, unit + i * bytes, bytes);
        target[i * (transposed ? outer_pitch : inner_pitch)] = value;
      }
    }
  }
  return true;
}

void read_a_registers(const uint32_t* rows, const GroupShape& s, uint32_t* to) {
  const int bits = ptx::bits(s.a), each = 32 / bits;
  MatrixInfo tile;
  tile.m = kRows;
  tile.n = static_cast<int>(s.n);
  tile.k = static_cast<int>(s.k);
  tile.a = s.a;
  tile.b = s.b;
  tile.d = s.d;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int place = 0; place < static_cast<int>(kRows * s.k) / kLanes; ++place) {
      const simt::Element e = simt::element_of_a(tile, each, lane, place);
      const uint32_t word = rows[place / each * kLanes + lane];
      to[e.column * static_cast<int>(kRows) + e.row] =
          bits == 32 ? word : word >> (place % each * bits) & ((1u << bits) - 1);
    }
  }
}

/// Calls f(register word, shift, column-major element) for every element of the accumulator.
template <typename F>
void each_accumulator(uint32_t* rows, const GroupShape& s, uint32_t* sums, F f) {
  const uint32_t each = 32 / static_cast<uint32_t>(ptx::bits(s.d));
  for (uint32_t place = 0; place < s.n / 2; ++place) {
    uint32_t* row = rows + place / each * kLanes;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t m = lane / 4 + 8 * (place % 4 / 2), n = 2 * (lane % 4) + place % 2 + 8 * (place / 4);
      f(row[lane], 16 * (place % each), sums[n * kRows + m]);
    }
  }
}

void gmma(Warp& w, const Op& op, uint32_t) {
  thread_local std::vector<uint32_t> a, b, sums;
  const Operands o = operands_of(op);
  const GroupShape& s = o.shape;
  a.resize(size_t{kRows} * s.k);
  b.resize(size_t{s.n} * s.k);
  sums.assign(size_t{kRows} * s.n, 0);
  const Operand& descriptors = o.a_in_registers ? op.b : op.a;
  if (o.a_in_registers) {
    read_a_registers(w.in(op.a), s, a.data());
  } else if (!read_tile(w, SharedMatrix::of_wgmma(uniform_pair(w, descriptors, 0)), s.a, s.k, o.transpose_a,
                        w.index % 4 * kRows, kRows, a.data(), 1, kRows)) {
    return;
  }
  if (!read_tile(w, SharedMatrix::of_wgmma(uniform_pair(w, descriptors, 2)), s.b, s.k, o.transpose_b, 0, s.n, b.data(),
                 s.k, 1))
    return;
  const bool single = ptx::bits(s.d) == 32;
  const uint32_t mask = single ? kAll : 0xffff;
  if (w.value(op.p) & 1) {
    each_accumulator(const_cast<uint32_t*>(w.in(op.c)), s, sums.data(),
                     [&](uint32_t word, uint32_t shift, uint32_t& sum) { sum = word >> shift & mask; });
  }
  simt::MatrixProduct product{static_cast<int>(kRows),
                              static_cast<int>(s.n),
                              static_cast<int>(s.k),
                              s.a,
                              s.b,
                              s.d,
                              a.data(),
                              b.data(),
                              sums.data()};
  product.saturate = o.saturate;
  product.negate = o.negate;
  if (s.d == Type::kS32) simt::multiply_integer(product);
  else simt::multiply_float(product, simt::dot_model(w.block->run->program->architecture, s.a, true));
  each_accumulator(w.row(op.target), s, sums.data(), [&](uint32_t& word, uint32_t shift, uint32_t sum) {
    word = (word & ~(mask << shift)) | sum << shift;
  });
}

bool prepare_gmma(Decoder& d, Op& op) {
  const Word& w = op.word;
  const Operands o = operands_of(op);
  const GroupShape& s = o.shape;
  const uint32_t accumulators = s.n / 2 * static_cast<uint32_t>(ptx::bits(s.d)) / 32, first = w.bits(64, 8);
  op.a = o.a_in_registers ? d.source(w.bits(24, 8)) : d.uniform(w.bits(24, 8));
  op.b = d.uniform(w.bits(32, 8));
  op.c = d.source(first);
  op.run = gmma;
  // The uniform predicate that lets the accumulators enter: its number is stored inverted, 0 for the one that is true.
  op.p = {static_cast<uint8_t>(kUniformPredicates + (w.bits(87, 3) ^ 7)), w.bit(90)};
  const bool from_zero = (w.bits(87, 3) == 0) && w.bit(90);
  const auto fits = [&](uint32_t number) { return number + accumulators <= d.layout().zero; };
  const uint32_t descriptors = o.a_in_registers ? w.bits(32, 8) : w.bits(24, 8);
  const bool known = (w.form() == 4 || w.form() == 6) && w.bit(91) && s.known;
  return known && fits(w.bits(16, 8)) && (from_zero || fits(first)) && d.are_uniform(descriptors, 4);
}

void nothing(Warp&, const Op&, uint32_t) {}
bool prepare_nothing(Decoder&, Op& op) {
  op.run = nothing;
  return true;
}

}  // namespace

GroupShape group_shape(Opcode opcode, const Word& w) {
  GroupShape s;
  const uint32_t columns = w.bits(53, 6), type = w.bits(72, 12);
  s.n = 8 * (columns + 1);
  if (opcode == Opcode::kIgmma) {  // bit 75 saturates; its number of columns counts in threes
    const uint32_t step = columns / 3;
    s.n = step <= 3 ? 8 * (step + 1) : 16 * (step - 1);
    s.k = 32;
    s.d = Type::kS32;
    s.a = w.bit(76) ? Type::kS8 : Type::kU8;
    s.b = w.bit(82) ? Type::kS8 : Type::kU8;
    s.known = (type & ~(1u << 3 | 1u << 4 | 1u << 10)) == 0 && s.n <= 256 && !w.bit(63);
    return s;
  }
  s.d = w.bit(75) ? Type::kF32 : Type::kF16;
  if (opcode == Opcode::kQgmma) {
    s.k = 32;
    s.a = w.bit(76) ? Type::kE5m2 : Type::kE4m3;
    s.b = w.bit(77) ? Type::kE5m2 : Type::kE4m3;
    s.known = (type & ~(1u | 1u << 3 | 1u << 4 | 1u << 5)) == 0 && s.n <= 256;
    return s;
  }
  const bool tf32 = w.bit(77), bfloat = w.bit(76), short_k = w.bit(58);  // HGMMA's own: it has five bits of columns
  s.n = 8 * ((columns & 31) + 1);
  s.k = tf32 ? 8 : 16;
  s.a = s.b = tf32 ? Type::kTf32 : bfloat ? Type::kBf16 : Type::kF16;
  s.known = (type & ~(1u | 1u << 3 | 1u << 4 | 1u << 5)) == 0 && !(tf32 && bfloat) && tf32 == short_k;
  return s;
}

const Row kGroupRows[] = {
    {Opcode::kHgmma, prepare_gmma},        {Opcode::kIgmma, prepare_gmma}, {Opcode::kQgmma, prepare_gmma},
    {Opcode::kWarpgroup, prepare_nothing}, {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
