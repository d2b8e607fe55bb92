// Warp-group matrix products of Hopper. Each warp of the four multiplies its 16 rows; operands in shared memory are
// read at once, which a program cannot tell from later.
#include <cstring>
#include <vector>

#include "warplens/emulator/asynchronous/tensor_map.h"
#include "warplens/sass/addresses.h"
#include "warplens/sass/decoder.h"
#include "warplens/sass/halves.h"
#include "warplens/sass/lanes.h"

namespace warplens::sass {
namespace {

constexpr uint32_t kRows = 16;  // of a warp

/// What the instruction's bits say.
struct Shape {
  uint32_t n = 0, k = 0, bytes = 2;  // bytes: of an element
  bool a_in_registers = false, transpose_a = false, transpose_b = false, negate = false, single = false, bfloat = false;
  bool from_zero = false;            // the accumulators do not enter
};
Shape shape_of(const Word& w) {
  Shape s;
  const bool tf32 = w.bit(77);
  s.n = 8 * (w.bits(53, 5) + 1);
  s.k = tf32 ? 8 : 16;
  s.bytes = tf32 ? 4 : 2;
  s.a_in_registers = w.form() == 6;
  s.transpose_a = w.bit(61), s.transpose_b = w.bit(62);
  s.negate = w.bit(63) != w.bit(72);
  s.single = w.bit(75);
  s.bfloat = w.bit(76);
  s.from_zero = w.bit(90);
  return s;
}

/// A matrix descriptor of the PTX ISA: where a tile lies in shared memory.
class Descriptor {
 public:
  explicit Descriptor(uint64_t bits)
      : start_(field(bits, 0)), leading_(field(bits, 16)), stride_(field(bits, 32)),
        swizzle_(static_cast<uint8_t>((4 - (bits >> 62)) & 3)) {}

  /// Offset of element (`outer`, `inner`): m or n, and k. `transposed`: neighbours in m or n lie side by side.
  uint32_t offset(uint32_t outer, uint32_t inner, uint32_t bytes, bool transposed) const {
    const uint32_t pitch = swizzle_ == 0 ? 16 : 16u << swizzle_;
    uint32_t plain;
    if (transposed) {
      const uint32_t byte = outer * bytes, rows = swizzle_ == 0 ? leading_ : stride_,
                     columns = swizzle_ == 0 ? stride_ : leading_;
      plain = start_ + byte % pitch + byte / pitch * columns + inner % 8 * pitch + inner / 8 * rows;
    } else {
      const uint32_t byte = inner * bytes;
      plain = start_ + outer / 8 * stride_ + outer % 8 * pitch + byte % pitch + byte / pitch * leading_;
    }
    return emulator::swizzled(plain, swizzle_);
  }

 private:
  static uint32_t field(uint64_t bits, int at) { return static_cast<uint32_t>(bits >> at & 0x3fff) << 4; }
  uint32_t start_, leading_, stride_;
  uint8_t swizzle_;
};

uint64_t uniform_pair(Warp& w, const Operand& o, uint32_t further) {
  const uint32_t* rows = w.rows + (o.row + further) * kLanes;
  return rows[0] | uint64_t{rows[kLanes]} << 32;
}

float element(const uint8_t* from, const Shape& s) {
  uint32_t bits = 0;
  std::memcpy(&bits, from, s.bytes);
  return s.bytes == 4 ? as_float(bits & 0xffffe000u) : from_half(bits, s.bfloat);
}

/// Elements of a tile in shared memory, `count` of m or n from `first`: out[inner * count + outer].
bool read_tile(Warp& w, const Descriptor& d, const Shape& s, bool transposed, uint32_t first, uint32_t count,
               std::vector<float>* out) {
  out->resize(size_t{count} * s.k);
  for (uint32_t inner = 0; inner < s.k; ++inner) {
    for (uint32_t outer = 0; outer < count; ++outer) {
      const uint8_t* from = shared_bytes(w, d.offset(first + outer, inner, s.bytes, transposed), s.bytes);
      if (!from) return false;
      (*out)[inner * count + outer] = element(from, s);
    }
  }
  return true;
}

void read_a_registers(Warp& w, const Operand& a, const Shape& s, std::vector<float>* out) {
  out->resize(size_t{kRows} * s.k);
  const uint32_t* rows = w.in(a);
  for (uint32_t reg = 0; reg < 4; ++reg) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t bits = rows[reg * kLanes + lane], row = lane / 4 + 8 * (reg % 2);
      if (s.bytes == 4) {
        (*out)[(lane % 4 + 4 * (reg / 2)) * kRows + row] = as_float(bits & 0xffffe000u);
        continue;
      }
      const uint32_t inner = 2 * (lane % 4) + 8 * (reg / 2);
      (*out)[inner * kRows + row] = from_half(bits & 0xffff, s.bfloat);
      (*out)[(inner + 1) * kRows + row] = from_half(bits >> 16, s.bfloat);
    }
  }
}

/// Calls f(register word, shift, row, column) for every element of the accumulator; single precision shifts by 0.
template <typename F>
void each_accumulator(uint32_t* rows, const Shape& s, F f) {
  for (uint32_t place = 0; place < s.n / 2; ++place) {
    uint32_t* row = rows + (s.single ? place : place / 2) * kLanes;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      f(row[lane], s.single ? 0 : 16 * (place % 2), lane / 4 + 8 * (place % 4 / 2),
        2 * (lane % 4) + place % 2 + 8 * (place / 4));
    }
  }
}

void gmma(Warp& w, const Op& op, uint32_t) {
  const Shape s = shape_of(op.word);
  std::vector<float> a, b;
  const Operand& descriptors = s.a_in_registers ? op.b : op.a;
  if (s.a_in_registers) {
    read_a_registers(w, op.a, s, &a);
  } else if (!read_tile(w, Descriptor(uniform_pair(w, descriptors, 0)), s, s.transpose_a, w.index % 4 * kRows, kRows,
                        &a)) {
    return;
  }
  if (!read_tile(w, Descriptor(uniform_pair(w, descriptors, 2)), s, s.transpose_b, 0, s.n, &b)) return;
  std::vector<float> sums(size_t{kRows} * s.n);
  if (!s.from_zero) {
    each_accumulator(const_cast<uint32_t*>(w.in(op.c)), s,
                     [&](uint32_t word, uint32_t shift, uint32_t row, uint32_t column) {
                       sums[row * s.n + column] = s.single ? as_float(word) : from_half(word >> shift & 0xffff, false);
                     });
  }
  for (uint32_t inner = 0; inner < s.k; ++inner) {
    for (uint32_t row = 0; row < kRows; ++row) {
      const float factor = s.negate ? -a[inner * kRows + row] : a[inner * kRows + row];
      for (uint32_t column = 0; column < s.n; ++column) sums[row * s.n + column] += factor * b[inner * s.n + column];
    }
  }
  each_accumulator(w.row(op.target), s, [&](uint32_t& word, uint32_t shift, uint32_t row, uint32_t column) {
    const float sum = sums[row * s.n + column];
    word = s.single ? as_bits(sum) : (word & ~(0xffffu << shift)) | to_half(sum, false) << shift;
  });
}

/// Products of f16, bf16 and tf32. The predicate that lets the accumulators enter is known where it is constant.
bool prepare_gmma(Decoder& d, Op& op) {
  const Word& w = op.word;
  const Shape s = shape_of(w);
  const uint32_t accumulators = s.single ? s.n / 2 : s.n / 4, first = w.bits(64, 8), target = w.bits(16, 8);
  op.a = s.a_in_registers ? d.source(w.bits(24, 8)) : d.uniform(w.bits(24, 8));
  op.b = d.uniform(w.bits(32, 8));
  op.c = d.source(first);
  op.run = gmma;
  const auto fits = [&](uint32_t number) { return number + accumulators <= d.layout().zero; };
  const uint32_t descriptors = s.a_in_registers ? w.bits(32, 8) : w.bits(24, 8);
  const bool known = (w.form() == 4 || w.form() == 6) && w.bits(87, 3) == 0 && w.bit(91) && !w.bit(73) && !w.bit(74) &&
                     w.bits(78, 6) == 0 && !(s.bytes == 4 && s.bfloat);
  return known && fits(target) && (s.from_zero || fits(first)) && descriptors + 4 <= kUniformZero;
}

void nothing(Warp&, const Op&, uint32_t) {}
bool prepare_nothing(Decoder&, Op& op) {
  op.run = nothing;
  return true;
}

}  // namespace

const Row kGroupRows[] = {
    {0x1f0, "HGMMA", prepare_gmma}, {0x1c5, "WARPGROUP", prepare_nothing}, {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass
