// Tensor-core instructions of a warp, and the moves of their 8x8 matrices.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "warplens/emulator/matrix/math.h"
#include "warplens/emulator/memory/access.h"
#include "warplens/sass/addresses.h"
#include "warplens/sass/lanes.h"
#include "warplens/sass/watch.h"

namespace warplens::sass::inline WARPLENS_ISA_NAME {
namespace {

// mode bits
constexpr uint32_t kDeep = 1, kSingle = 2, kBfloat = 4, kTf32 = 8;

/// The fragment of A (16 x k) or of B (k x 8): each register holds 8 rows of A or columns of B, 4 lanes each; elements
/// go to out by columns.
void gather(const uint32_t* rows, bool is_a, uint32_t mode, uint32_t depth, uint32_t* out) {
  const uint32_t registers = (is_a ? 2 : 1) * ((mode & (kDeep | kTf32)) ? 2 : 1);
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

void hmma(Warp& w, const Op& op, uint32_t) {
  using ptx::Type;
  const bool single = op.mode & kSingle;
  const uint32_t depth = op.mode & kTf32 ? (op.mode & kDeep ? 8 : 4) : (op.mode & kDeep ? 16 : 8);
  uint32_t a[16 * 16], b[16 * 8], sums[16 * 8];
  gather(w.in(op.a), true, op.mode, depth, a);
  gather(w.in(op.b), false, op.mode, depth, b);
  const uint32_t* c = w.in(op.c);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t element = 0; element < 4; ++element)
      sums[place_of(lane, element)] =
          single ? c[element * kLanes + lane] : c[element / 2 * kLanes + lane] >> 16 * (element % 2) & 0xffff;
  }
  emulator::MatrixProduct product{16, 8, static_cast<int>(depth)};
  product.a_type = product.b_type = op.mode & kTf32 ? Type::kTf32 : op.mode & kBfloat ? Type::kBf16 : Type::kF16;
  product.c_type = single ? Type::kF32 : Type::kF16;
  product.a = a, product.b = b, product.c = sums;
  emulator::multiply_float(product,
                           emulator::dot_model(w.block->run->program->architecture, product.a_type, false));
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
/// Shapes 16x8x16 and 16x8x8 of 16-bit types, and 16x8x8 of tf32 (whose registers are those of the deep one).
bool prepare_hmma(Decoder& d, Op& op) {
  const Word& w = op.word;
  const bool deep = w.bit(75), tf32 = w.bit(83);
  op.mode = (deep || tf32 ? kDeep : 0) | (w.bit(76) ? kSingle : 0) | (w.bit(82) ? kBfloat : 0) | (tf32 ? kTf32 : 0);
  op.a = d.source(w.bits(24, 8));
  op.b = d.source(w.bits(32, 8));
  op.c = d.source(w.bits(64, 8));
  op.run = hmma;
  return !w.bit(72) && !w.bit(73) && !w.bit(78) && !(deep && tf32);
}

int32_t byte_at(uint32_t bits, int index, bool is_signed) {
  const uint32_t byte = bits >> 8 * index & 255;
  return is_signed ? static_cast<int8_t>(byte) : static_cast<int32_t>(byte);
}

// mode bits of integer products
constexpr uint32_t kWide = 1, kSignedA = 2, kSignedB = 4, kSaturate = 8;

/// 16x8 sums of 16 or 32 products of bytes: register r of A holds rows 8*(r%2) and up, and k from 16*(r/2).
void imma(Warp& w, const Op& op, uint32_t) {
  const uint32_t *a = w.in(op.a), *b = w.in(op.b), *c = w.in(op.c);
  Lanes out[4];
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int element = 0; element < 4; ++element) {
      const int row = lane / 4, half = element / 2, column = 2 * (lane % 4) + element % 2;
      int64_t sum = static_cast<int32_t>(c[element * kLanes + lane]);
      for (int k = 0; k < (op.mode & kWide ? 32 : 16); ++k) {
        const int from = k % 16 / 4, depth = k / 16;
        const uint32_t x = a[(half + 2 * depth) * kLanes + row * 4 + from], y = b[depth * kLanes + column * 4 + from];
        sum += byte_at(x, k % 4, op.mode & kSignedA) * byte_at(y, k % 4, op.mode & kSignedB);
      }
      if (op.mode & kSaturate) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      out[element].value[lane] = static_cast<uint32_t>(sum);
    }
  }
  for (int reg = 0; reg < 4; ++reg) store(w.row(op.target) + reg * kLanes, out[reg], kAll);
}
/// Shapes 16x8x16 and 16x8x32 of bytes; narrower types have other bits.
bool prepare_imma(Decoder& d, Op& op) {
  const Word& w = op.word;
  op.mode =
      (w.bit(75) ? kWide : 0) | (w.bit(76) ? kSignedA : 0) | (w.bit(78) ? kSignedB : 0) | (w.bit(82) ? kSaturate : 0);
  op.a = d.source(w.bits(24, 8));
  op.b = d.source(w.bits(32, 8));
  op.c = d.source(w.bits(64, 8));
  op.run = imma;
  constexpr uint32_t kKnown = 1u << 3 | 1u << 4 | 1u << 6 | 1u << 10, kAlways = 1u << 2 | 1u << 14;  // from bit 72
  return w.form() == 1 && (w.bits(72, 16) & ~kKnown) == kAlways;
}

/// Gives or takes `count` 8x8 matrices of 16-bit elements; row i of matrix m lies at the address of lane 8*m + i.
template <bool kStore>
void matrices(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const Addresses at = shared_addresses(w, op);
  uint32_t* rows = kStore ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  const uint32_t count = op.mode >> 1, transposed = op.mode & 1;
  const uint64_t before = w.count->wavefronts, before_ideal = w.count->ideal_wavefronts;
  ++w.count->requests;
  ++w.count->shared_requests;
  for (uint32_t m = 0; m < count; ++m) {
    // Each matrix is a group of its own: eight rows of 16 bytes.
    Addresses eight;
    for (int i = 0; i < kLanes; ++i) eight.value[i] = at.value[8 * m + static_cast<uint32_t>(i % 8)];
    const emulator::Wavefronts passes = emulator::count_wavefronts(eight.value, 0xff, 16);
    w.count->wavefronts += passes.actual;
    w.count->ideal_wavefronts += passes.ideal;
    w.count->bytes += 128;
    for (uint32_t row = 0; row < 8; ++row) {
      uint8_t* bytes = shared_bytes(w, at.value[8 * m + row], 16);
      if (!bytes) return;
      for (uint32_t column = 0; column < 8; ++column) {
        const uint32_t r = transposed ? column : row, c = transposed ? row : column;
        auto* half = reinterpret_cast<uint8_t*>(&rows[m * kLanes + r * 4 + c / 2]) + 2 * (c % 2);
        kStore ? std::memcpy(bytes + 2 * column, half, 2) : std::memcpy(half, bytes + 2 * column, 2);
      }
    }
  }
  if (!op.watched) return;
  const uint32_t lanes = count == 4 ? kAll : (1u << 8 * count) - 1;
  watch_request(w, at, lanes, 16, true, kStore, w.count->wavefronts - before, w.count->ideal_wavefronts - before_ideal);
}
bool prepare_matrices(Decoder& d, Op& op, Handler run) {
  set_shared_address(d, op, 32);
  constexpr uint32_t kCounts[] = {1, 2, 4, 0};
  const uint32_t count = kCounts[op.word.bits(72, 2)];
  op.mode = count << 1 | op.word.bits(78, 1);
  op.run = run;
  return count != 0 && !op.word.bit(79);
}
bool prepare_ldsm(Decoder& d, Op& op) { return prepare_matrices(d, op, matrices<false>); }
bool prepare_stsm(Decoder& d, Op& op) {
  op.b = d.source(op.word.bits(32, 8));
  const bool known = prepare_matrices(d, op, matrices<true>);
  op.c = d.source(kRegisterZero);
  return known && !op.word.bit(91);
}

void movm(Warp& w, const Op& op, uint32_t) {
  const uint32_t* a = w.in(op.a);
  auto element = [&](int row, int column) { return a[row * 4 + column / 2] >> 16 * (column % 2) & 0xffff; };
  Lanes out;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int row = lane / 4, column = 2 * (lane % 4);
    out.value[lane] = element(column, row) | element(column + 1, row) << 16;
  }
  store(w.row(op.target), out, kAll);
}
bool prepare_movm(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.run = movm;
  return true;
}

}  // namespace

const Row kMatrixRows[] = {
    {0x03a, "MOVM", prepare_movm}, {0x03b, "LDSM", prepare_ldsm}, {0x03c, "HMMA", prepare_hmma},
    {0x037, "IMMA", prepare_imma},     {0x044, "STSM", prepare_stsm}, {0xffff, nullptr, nullptr},
};

}  // namespace warplens::sass::inline WARPLENS_ISA_NAME
