// Tensor-core instructions of a warp, and the moves of their 8x8 matrices.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/matrix/products.h"
#include "warplens/run/sass/memory/addresses.h"
#include "warplens/run/sass/memory/watch.h"
#include "warplens/simt/lanes/vectors.h"
#include "warplens/simt/matrix/dot_functions.h"
#include "warplens/simt/matrix/math.h"
#include "warplens/simt/requests/count.h"

namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME {
namespace {

// mode bits
constexpr uint32_t kDeep = 1, kSingle = 2, kBfloat = 4, kTf32 = 8;

/// The fragment of A (16 x k) or of B (k x 8): each register holds 8 rows of A or columns of B, 4 lanes each; elements
/// go to out by columns.
void gather(const uint32_t* rows, bool is_a, uint32_t mode, uint32_t depth, uint32_t* out) {
  const uint32_t registers = (is_a ? 2 : 1) * ((mode & kDeep) ? 2 : 1);
  for (uint32_t reg = 0; reg < registers; ++reg) {
    const uint32_t outer_block = is_a ? reg % 2 : 0, inner_block = is_a ? reg / 2 : reg;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t outer = lane / 4 + 8 * outer_block, bits = rows[reg * kLanes + lane];
      const auto put = [&](uint32_t inner, uint32_t value) {
        out[is_a ? inner * 16 + outer : outer * depth + inner] = value;
      };
      if (mode & kTf32) {
        put(lane % 4 + 4 * inner_block, bits);
      } else {
        put(2 * (lane % 4) + 8 * inner_block, bits & 0xffff);
        put(2 * (lane % 4) + 1 + 8 * inner_block, bits >> 16);
      }
    }
  }
}

/// Where element `element` of a lane lies in the 16 x 8 sums, by columns.
uint32_t place_of(uint32_t lane, uint32_t element) {
  return (2 * (lane % 4) + element % 2) * 16 + lane / 4 + 8 * (element / 2);
}

uint32_t depth_of(const Op& op) { return op.mode & kTf32 ? (op.mode & kDeep ? 8 : 4) : (op.mode & kDeep ? 16 : 8); }
ptx::Type type_of(const Op& op) {
  return op.mode & kTf32 ? ptx::Type::kTf32 : op.mode & kBfloat ? ptx::Type::kBf16 : ptx::Type::kF16;
}

/// Into single precision, where the registers are; false where that is out of its reach: nothing is changed then.
bool hmma_in_registers(Warp& w, const Op& op) {
  const auto depth = static_cast<int>(depth_of(op)), each = op.mode & kTf32 ? 1 : 2;
  simt::TileProduct p{depth, 1, each, type_of(op), type_of(op)};
  p.model = simt::dot_model(w.block->run->program->architecture, p.a_type, false);
  for (int i = 0; i < depth / (2 * each); ++i) p.a[i] = w.in(op.a) + i * kLanes;
  for (int i = 0; i < depth / (4 * each); ++i) p.b[i] = w.in(op.b) + i * kLanes;
  alignas(64) float c[4][kLanes];
  std::memcpy(c, w.in(op.c), sizeof c);
  p.c = c;
  if (!simt::dot_functions().tiles(p)) return false;
  std::memcpy(w.row(op.target), c, sizeof c);
  return true;
}

void hmma(Warp& w, const Op& op, uint32_t) {
  using ptx::Type;
  const bool single = op.mode & kSingle;
  if (single && hmma_in_registers(w, op)) return;
  const uint32_t depth = depth_of(op);
  uint32_t a[16 * 16], b[16 * 8], sums[16 * 8];
  gather(w.in(op.a), true, op.mode, depth, a);
  gather(w.in(op.b), false, op.mode, depth, b);
  const uint32_t* c = w.in(op.c);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t element = 0; element < 4; ++element)
      sums[place_of(lane, element)] =
          single ? c[element * kLanes + lane] : c[element / 2 * kLanes + lane] >> 16 * (element % 2) & 0xffff;
  }
  simt::MatrixProduct product{16, 8, static_cast<int>(depth)};
  product.a_type = product.b_type = type_of(op);
  product.c_type = single ? Type::kF32 : Type::kF16;
  product.a = a;
  product.b = b;
  product.c = sums;
  simt::multiply_float(product, simt::dot_model(w.block->run->program->architecture, product.a_type, false));
  Lanes out[4] = {};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t element = 0; element < 4; ++element) {
      const uint32_t bits = sums[place_of(lane, element)];
      if (single) out[element].value[lane] = bits;
      else out[element / 2].value[lane] |= (bits & 0xffff) << 16 * (element % 2);
    }
  }
  for (uint32_t reg = 0; reg < (single ? 4u : 2u); ++reg) store(w.row(op.target) + reg * kLanes, out[reg], kAll);
}
/// Dense shapes 16x8x16 and 16x8x8 of 16-bit types, 16x8x8 of tf32 (whose registers are those of the deep one) and
/// 16x8x4.
bool prepare_hmma(Decoder& d, Op& op) {
  const Word& w = op.word;
  const bool deep = w.bit(75), tf32 = w.bit(83), shallow = w.bit(78);
  op.mode = (deep || (tf32 && !shallow) ? kDeep : 0) | (w.bit(76) ? kSingle : 0) | (w.bit(82) ? kBfloat : 0) |
            (tf32 ? kTf32 : 0);
  op.a = d.source(w.bits(24, 8));
  op.b = d.source(w.bits(32, 8));
  op.c = d.source(w.bits(64, 8));
  op.run = hmma;
  const bool dense = !w.bit(72) && !w.bit(73) && (tf32 || !shallow) && !(deep && tf32);
  return dense || prepare_product(d, op);
}

/// 8x8 sums of four products of doubles, each a multiply-add in its turn.
/// A lane of A holds a column of each four of its row and, of 16 rows, of the row eight further down; sums are made
/// one product after the other.
void dmma(Warp& w, const Op& op, uint32_t) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  const auto at = [](const uint32_t* rows, uint32_t number, uint32_t lane) {
    return std::bit_cast<double>(wide(rows + 2 * number * kLanes, static_cast<int>(lane)));
  };
  const uint32_t halves = op.mode == 0 ? 1 : 2, fours = op.mode < 2 ? 1 : 2 * (op.mode - 1);
  Lanes out[8];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t element = 0; element < 2 * halves; ++element) {
      const uint32_t half = element / 2, row = lane / 4, column = 2 * (lane % 4) + element % 2;
      double sum = at(c, element, lane);
      for (uint32_t k = 0; k < 4 * fours; ++k)
        sum = std::fma(at(a, halves * (k / 4) + half, row * 4 + k % 4), at(b, k / 4, column * 4 + k % 4), sum);
      const auto bits = std::bit_cast<uint64_t>(sum);
      out[2 * element].value[lane] = static_cast<uint32_t>(bits);
      out[2 * element + 1].value[lane] = static_cast<uint32_t>(bits >> 32);
    }
  }
  for (uint32_t reg = 0; reg < 4 * halves; ++reg) store(w.row(op.target) + reg * kLanes, out[reg], kAll);
}
bool prepare_dmma(Decoder& d, Op& op) {
  const Word& w = op.word;
  op.a = d.source(w.bits(24, 8));
  op.b = d.source(w.bits(32, 8));
  op.c = d.source(w.bits(64, 8));
  op.mode = w.bits(76, 2);  // 8x8x4, 16x8x4, 16x8x8, 16x8x16
  op.run = dmma;
  return w.form() == 1 && w.bits(72, 4) == 0 && w.bits(78, 10) == 0;
}

// mode bits of integer products
constexpr uint32_t kWide = 1, kSignedA = 2, kSignedB = 4, kSaturate = 8;

using simt::Ints, simt::Shorts;

/// The bytes 0 and 2, and 1 and 3, of each word as halves of a word.
struct Halves {
  Ints even, odd;
};
inline Halves halves_of(Ints bytes, bool is_signed) {
  if (!is_signed) return {bytes & 0x00ff00ff, bytes >> 8 & 0x00ff00ff};
  const auto all = simt::bits_as<Shorts>(bytes);
  return {simt::bits_as<Ints>(all << 8 >> 8), simt::bits_as<Ints>(all >> 8)};
}
/// Products of halves, two of them added.
inline Ints pairs(Ints x, Ints y) {
#if defined(__AVX512BW__)
  return simt::bits_as<Ints>(_mm512_madd_epi16(simt::bits_as<__m512i>(x), simt::bits_as<__m512i>(y)));
#elif defined(__AVX2__)
  return simt::bits_as<Ints>(_mm256_madd_epi16(simt::bits_as<__m256i>(x), simt::bits_as<__m256i>(y)));
#else
  return (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
#endif
}

/// Adds what lane kFrom of each four holds of A by what B holds of the same k: columns 2c + parity of lane 4g + c.
template <int kFrom>
inline void add_bytes(const Op& op, const Halves* a, const uint32_t* b, Ints (*sums)[2]) {
  for (int parity = 0; parity < 2; ++parity) {
    uint32_t four[4];
    for (int c = 0; c < 4; ++c) four[c] = b[8 * c + 4 * parity + kFrom];
    const Halves y = halves_of(simt::repeat_four<Ints>(four), op.mode & kSignedB);
    for (int half = 0; half < 2; ++half)
      sums[half][parity] += pairs(simt::spread_in_fours<kFrom>(a[half].even), y.even) +
                            pairs(simt::spread_in_fours<kFrom>(a[half].odd), y.odd);
  }
}

/// 16x8 sums of 16 or 32 products of bytes: register r of A holds rows 8*(r%2) and up, and k from 16*(r/2).
void imma(Warp& w, const Op& op, uint32_t) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  Lanes out[4];
  for (int at = 0; at < kLanes; at += simt::kWidth) {
    Ints sums[2][2] = {};
    for (int depth = 0; depth < (op.mode & kWide ? 2 : 1); ++depth) {
      Halves x[2];
      for (int half = 0; half < 2; ++half)
        x[half] = halves_of(simt::load<Ints>(a + (half + 2 * depth) * kLanes + at), op.mode & kSignedA);
      add_bytes<0>(op, x, b + depth * kLanes, sums);
      add_bytes<1>(op, x, b + depth * kLanes, sums);
      add_bytes<2>(op, x, b + depth * kLanes, sums);
      add_bytes<3>(op, x, b + depth * kLanes, sums);
    }
    for (int element = 0; element < 4; ++element) simt::store(out[element].value + at, sums[element / 2][element % 2]);
  }
  for (int element = 0; element < 4; ++element) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t sum =
          int64_t{static_cast<int32_t>(c[element * kLanes + lane])} + static_cast<int32_t>(out[element].value[lane]);
      out[element].value[lane] =
          static_cast<uint32_t>(op.mode & kSaturate ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    }
  }
  for (int reg = 0; reg < 4; ++reg) store(w.row(op.target) + reg * kLanes, out[reg], kAll);
}
/// Shapes 16x8x16 and 16x8x32 of bytes.
bool prepare_imma(Decoder& d, Op& op) {
  const Word& w = op.word;
  op.mode =
      (w.bit(75) ? kWide : 0) | (w.bit(76) ? kSignedA : 0) | (w.bit(78) ? kSignedB : 0) | (w.bit(82) ? kSaturate : 0);
  op.a = d.source(w.bits(24, 8));
  op.b = d.source(w.bits(32, 8));
  op.c = d.source(w.bits(64, 8));
  op.run = imma;
  constexpr uint32_t kKnown = 1u << 3 | 1u << 4 | 1u << 6 | 1u << 10, kAlways = 1u << 2 | 1u << 14;  // from bit 72
  return (w.form() == 1 && (w.bits(72, 16) & ~kKnown) == kAlways) || prepare_product(d, op);
}

/// An 8x8 matrix of 16-bit elements, rows to columns: lane 4r + c holds elements 2c and 2c + 1 of row r.
inline void transpose(uint32_t* matrix) {
  using Elements = uint16_t __attribute__((vector_size(64)));
  Elements low, high;
  std::memcpy(&low, matrix, 64);
  std::memcpy(&high, matrix + 16, 64);
  const Elements first = __builtin_shufflevector(low, high, 0, 8, 16, 24, 32, 40, 48, 56, 1, 9, 17, 25, 33, 41, 49, 57,
                                                 2, 10, 18, 26, 34, 42, 50, 58, 3, 11, 19, 27, 35, 43, 51, 59);
  const Elements second = __builtin_shufflevector(low, high, 4, 12, 20, 28, 36, 44, 52, 60, 5, 13, 21, 29, 37, 45, 53,
                                                  61, 6, 14, 22, 30, 38, 46, 54, 62, 7, 15, 23, 31, 39, 47, 55, 63);
  std::memcpy(matrix, &first, 64);
  std::memcpy(matrix + 16, &second, 64);
}

/// Passes of each matrix's eight rows of 16 bytes, a group of their own.
simt::Wavefronts passes_of(const uint64_t* rows) {
  uint32_t banks = 0;  // groups of four
  for (int i = 0; i < 8; ++i) banks |= rows[i] % 16 ? 0 : 1u << rows[i] / 16 % 8;
  if (banks == 0xff) return {1, 1};
  Addresses eight;
  for (int i = 0; i < kLanes; ++i) eight.value[i] = rows[i % 8];
  return simt::count_wavefronts(eight.value, 0xff, 16);
}

/// Gives or takes `count` 8x8 matrices of 16-bit elements; row i of matrix m lies at the address of lane 8*m + i.
template <bool kStore>
void matrices(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const Addresses at = shared_addresses(w, op);
  const uint32_t* from = w.in(op.b);
  const uint32_t count = op.mode >> 1, transposed = op.mode & 1;
  const uint64_t before = w.count->wavefronts, before_ideal = w.count->ideal_wavefronts;
  ++w.count->requests;
  ++w.count->shared_requests;
  for (uint32_t m = 0; m < count; ++m) {
    const simt::Wavefronts passes = passes_of(at.value + 8 * m);
    w.count->wavefronts += passes.actual;
    w.count->ideal_wavefronts += passes.ideal;
    w.count->bytes += 128;
    Lanes matrix;
    if (kStore) copy_lanes(matrix.value, from + m * kLanes);
    if (kStore && transposed) transpose(matrix.value);
    for (uint32_t row = 0; row < 8; ++row) {
      const uint64_t address = at.value[8 * m + row];
      if (address % 16 != 0) return static_cast<void>(stop_misaligned(w, address, 16));
      uint8_t* bytes = shared_bytes(w, address, 16);
      if (!bytes) return;
      uint32_t* four = matrix.value + 4 * row;
      kStore ? std::memcpy(bytes, four, 16) : std::memcpy(four, bytes, 16);
    }
    if (!kStore && transposed) transpose(matrix.value);
    if (!kStore) copy_lanes(w.row(op.target) + m * kLanes, matrix.value);
  }
  if (!op.watched) return;
  const uint32_t readers = count == 4 ? kAll : (1u << 8 * count) - 1;
  watch_request(w, at, readers, 16, true, kStore, w.count->wavefronts - before,
                w.count->ideal_wavefronts - before_ideal);
}
bool prepare_matrices(Decoder& d, Op& op, Handler run) {
  set_shared_address(d, op, 32);
  constexpr uint32_t kCounts[] = {1, 2, 4, 0};
  const uint32_t count = kCounts[op.word.bits(72, 2)];
  op.mode = count << 1 | op.word.bits(78, 1);
  op.run = run;
  const bool of_bytes = op.word.bits(74, 4) != 0 || op.word.bits(79, 2) != 0;  // and of fewer bits
  return count != 0 && !of_bytes;
}
bool prepare_ldsm(Decoder& d, Op& op) { return prepare_matrices(d, op, matrices<false>); }
bool prepare_stsm(Decoder& d, Op& op) {
  op.b = d.source(op.word.bits(32, 8));
  const bool known = prepare_matrices(d, op, matrices<true>);
  op.c = d.source(kRegisterZero);
  return known && !op.word.bit(91);
}

void movm(Warp& w, const Op& op, uint32_t) {
  Lanes matrix;
  copy_lanes(matrix.value, w.in(op.a));
  transpose(matrix.value);
  store(w.row(op.target), matrix, kAll);
}
/// Eight rows of 32 elements of 4 bits become two of 16 bytes: lane 4r + c holds elements 8c and up of row r, then of
/// each half 4c and up.
void widen_nibbles(Warp& w, const Op& op, uint32_t) {
  Lanes halves[2];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t half = 0; half < 2; ++half) {
      const uint32_t from = lane / 4 * 4 + 2 * half + lane % 4 / 2;
      const uint32_t nibbles = w.in(op.a)[from] >> 16 * (lane % 2) & 0xffff;
      uint32_t bytes = 0;
      for (uint32_t k = 0; k < 4; ++k) bytes |= (nibbles >> 4 * k & 15) << 8 * k;
      halves[half].value[lane] = bytes;
    }
  }
  for (uint32_t half = 0; half < 2; ++half) store(w.row(op.target) + half * kLanes, halves[half], kAll);
}
bool prepare_movm(Decoder& d, Op& op) {
  constexpr uint32_t kTranspose = 0, kWidenNibbles = 0x48;  // without sign
  const uint32_t what = op.word.bits(72, 9);
  op.a = d.source(op.word.bits(24, 8));
  op.run = what == kTranspose ? movm : widen_nibbles;
  return what == kTranspose || what == kWidenNibbles;
}

}  // namespace

const Row kMatrixRows[] = {
    {Opcode::kMovm, prepare_movm},    {Opcode::kLdsm, prepare_ldsm},    {Opcode::kHmma, prepare_hmma},
    {Opcode::kDmma, prepare_dmma},    {Opcode::kImma, prepare_imma},    {Opcode::kStsm, prepare_stsm},
    {Opcode::kBmma, prepare_product}, {Opcode::kQmma, prepare_product}, {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine::inline WARPLENS_ISA_NAME
