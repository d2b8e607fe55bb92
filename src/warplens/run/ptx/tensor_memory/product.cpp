#include "warplens/run/ptx/tensor_memory/product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "warplens/base/half.h"
#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/tensor_memory/handlers.h"
#include "warplens/run/ptx/tensor_memory/tile.h"
#include "warplens/simt/matrix/math.h"
#include "warplens/simt/matrix/scaled.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;

/// Dense matrices, kept by each thread.
struct Scratch {
  std::vector<uint32_t> a, b, d;
  std::vector<uint8_t> a_scales, b_scales;
};
thread_local Scratch scratch;

/// Where rows of a block's share of D, and of A in tensor memory, lie: from the PTX ISA's "data path layouts".
struct RowLayout {
  uint32_t rows = 128;     // of the block
  uint32_t quarter = 32;   // rows that follow each other; the next ones are 32 lanes further
  bool in_halves = false;  // of columns: the second half lies in the lanes from 64 on

  uint32_t lane(uint32_t row) const { return row / quarter * 32 + row % quarter; }
};

RowLayout layout_of(const TensorProduct& p, bool pair) {
  if (pair) return p.m == 128 ? RowLayout{64, 32, true} : RowLayout{};
  return p.m == 64 ? RowLayout{64, 16, false} : RowLayout{};
}

/// Elements of one word of A in tensor memory. Those under 8 bits stand in a byte each, fp4 in bits 2 to 5, unless
/// packed.
uint32_t element_of(uint32_t word, uint32_t i, Type type, bool packed) {
  const int bits = ptx::bits(type);
  if (bits == 32) return word;
  if (bits == 16) return word >> (16 * i) & 0xffff;
  if (packed) return word >> (4 * i) & 15;
  const uint32_t byte = word >> (8 * i) & 255;
  return bits == 4 ? byte >> 2 & 15 : bits == 6 ? byte & 63 : byte;
}

class Product {
 public:
  Product(Warp& w, const Op& op, uint32_t lane)
      : w_(w), op_(op), lane_(lane), kind_(op.tensor_kind), pair_((op.flags & kOnPair) != 0) {}

  /// False after a fault.
  bool run() {
    const auto read = read_instruction(word(kSlotDescriptor), kind_, pair_);
    if (!read.ok()) return refuse(read.status().message());
    p_ = *read;
    layout_ = layout_of(p_, pair_);
    blocks_ = tensor_blocks(w_, op_, lane_, pair_);
    if (blocks_.count == 0) return false;
    if (p_.scaled && !scales_sound()) return false;
    if (!read_b()) return false;
    for (uint32_t i = 0; i < blocks_.count; ++i) {
      if (!multiply_in(*blocks_.each[i])) return false;
    }
    return true;
  }

 private:
  uint32_t word(uint32_t slot) const { return w_.lanes<uint32_t>(slot_of(slot))[lane_]; }
  uint64_t wide(uint32_t slot) const { return w_.lanes<uint64_t>(slot_of(slot))[lane_]; }
  uint32_t slot_of(uint32_t slot) const { return w_.program->slots[op_.list + slot]; }
  bool enabled() const { return (w_.predicate(slot_of(kSlotEnable)) >> lane_ & 1) != 0; }
  bool refuse(std::string why) const {
    raise(w_, op_, Fault::Kind::kInvalid, lane_, 0, std::move(why));
    return false;
  }

  bool scales_sound() const {
    const uint32_t each = op_.vector;
    if (p_.a_scale_byte + each <= 4 && p_.b_scale_byte + each <= 4) return true;
    return refuse("scale factors beyond their word of tensor memory");
  }

  bool read_b() {
    scratch.b.resize(size_t{p_.n} * p_.k);
    const uint32_t columns = p_.n / blocks_.count;
    for (uint32_t i = 0; i < blocks_.count; ++i) {
      const TileTarget target{scratch.b.data() + size_t{i} * columns * p_.k, columns, p_.k, p_.k, 1};
      if (!read_shared_tile(w_, op_, lane_, *blocks_.each[i], wide(kSlotB), tile_packing(p_.b, is_packed(kind_)),
                            p_.b_transposed, target))
        return false;
    }
    return true;
  }

  bool read_a(Cta& cta) {
    scratch.a.resize(size_t{layout_.rows} * p_.k);
    if ((op_.flags & kATensor) != 0) return read_a_tensor(cta);
    const TileTarget target{scratch.a.data(), layout_.rows, p_.k, 1, layout_.rows};
    return read_shared_tile(w_, op_, lane_, cta, wide(kSlotA), tile_packing(p_.a, is_packed(kind_)), p_.a_transposed,
                            target);
  }

  bool read_a_tensor(Cta& cta) {
    constexpr uint32_t kWords = 8;  // a row
    if (layout_.in_halves) return refuse("A of 128 rows in the tensor memory of a pair of blocks is not emulated");
    const TensorAddress at(word(kSlotA));
    const uint32_t* from = columns(cta, at, kWords);
    if (from == nullptr) return false;
    const uint32_t each = p_.k / kWords;
    for (uint32_t i = 0; i < p_.k; ++i) {
      const uint32_t* words = from + i / each * TensorMemory::kRows;
      uint32_t* to = scratch.a.data() + i * layout_.rows;
      for (uint32_t row = 0; row < layout_.rows; ++row)
        to[row] = element_of(words[layout_.lane(row)], i % each, p_.a, is_packed(kind_));
    }
    return true;
  }

  /// The word of the address's lane in the first of `count` columns; rows of 64 may begin at lane 16.
  uint32_t* columns(Cta& cta, TensorAddress at, uint32_t count) {
    if (at.lane != 0 && !(at.lane == 16 && layout_.quarter == 16)) {
      refuse(fmt::format("a matrix of {} rows at lane {} of tensor memory", layout_.rows, at.lane));
      return nullptr;
    }
    uint32_t* first = tensor_columns(w_, op_, lane_, cta, at.column, count);
    return first == nullptr ? nullptr : first + at.lane;
  }

  /// Calls f(words of tensor memory, the same of D by columns, the first lane, how many) for each run of rows.
  template <typename F>
  void each_run(uint32_t* first, const F& f) const {
    const uint32_t columns = layout_.in_halves ? p_.n / 2 : p_.n;
    for (uint32_t column = 0; column < p_.n; ++column) {
      uint32_t* words = first + column % columns * TensorMemory::kRows + (column >= columns ? 64 : 0);
      uint32_t* d = scratch.d.data() + column * layout_.rows;
      for (uint32_t row = 0; row < layout_.rows; row += layout_.quarter)
        f(words + layout_.lane(row), d + row, layout_.lane(row) + (column >= columns ? 64 : 0), layout_.quarter);
    }
  }

  void read_d(uint32_t* first) {
    scratch.d.assign(size_t{layout_.rows} * p_.n, 0);
    if (!enabled()) return;
    each_run(first, [](const uint32_t* words, uint32_t* d, uint32_t, uint32_t count) { std::copy_n(words, count, d); });
    if (p_.d == Type::kF16) {
      for (uint32_t& x : scratch.d) x &= 0xffff;
    }
    if (op_.size != 0) {
      for (uint32_t& x : scratch.d) x = divided(x);
    }
  }
  uint32_t divided(uint32_t bits) const {
    if (p_.d == Type::kF32) return std::bit_cast<uint32_t>(std::ldexp(std::bit_cast<float>(bits), -op_.size));
    return half_bits(std::ldexp(half_value(bits), -op_.size));
  }

  /// `masks`: the first of the words that name lanes to be left alone.
  void write_d(uint32_t* first, uint32_t masks) {
    if ((op_.flags & kMasksLanes) == 0) {
      each_run(first,
               [](uint32_t* words, const uint32_t* d, uint32_t, uint32_t count) { std::copy_n(d, count, words); });
      return;
    }
    each_run(first, [&](uint32_t* words, const uint32_t* d, uint32_t lane, uint32_t count) {
      for (uint32_t i = 0; i < count; ++i) {
        if ((word(masks + (lane + i) / 32) >> ((lane + i) % 32) & 1) == 0) words[i] = d[i];
      }
    });
  }

  /// Scales of `count` rows of A or columns of B: 32 a column of tensor memory, those of a row in one word.
  bool read_scales(Cta& cta, uint32_t slot, uint32_t count, uint32_t byte, std::vector<uint8_t>& to) {
    const TensorAddress at(word(slot));
    const uint32_t* words = tensor_columns(w_, op_, lane_, cta, at.column, (count + 31) / 32);
    if (words == nullptr) return false;
    to.resize(size_t{count} * op_.vector);
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t j = 0; j < op_.vector; ++j)
        to[i * op_.vector + j] = static_cast<uint8_t>(words[i / 32 * TensorMemory::kRows + i % 32] >> (8 * (byte + j)));
    }
    return true;
  }

  bool multiply_in(Cta& cta) {
    uint32_t* d = columns(cta, TensorAddress(word(kSlotD)), layout_.in_halves ? p_.n / 2 : p_.n);
    if (d == nullptr || !read_a(cta)) return false;
    if (p_.scaled && (!read_scales(cta, kSlotScaleA, layout_.rows, p_.a_scale_byte, scratch.a_scales) ||
                      !read_scales(cta, kSlotScaleB, p_.n, p_.b_scale_byte, scratch.b_scales)))
      return false;
    read_d(d);
    multiply();
    write_d(d, kSlotMasks + (&cta == blocks_.each[0] ? 0 : TensorMemory::kRows / 32));
    return true;
  }

  void multiply() const {
    MatrixProduct product{static_cast<int>(layout_.rows),
                          static_cast<int>(p_.n),
                          static_cast<int>(p_.k),
                          p_.a,
                          p_.b,
                          p_.d,
                          scratch.a.data(),
                          scratch.b.data(),
                          scratch.d.data()};
    product.negate = p_.negate;
    product.saturate = p_.saturate;
    const DotModel model = dot_model(w_.program->architecture, p_.a, true);
    if (p_.d == Type::kS32) return multiply_integer(product);
    if (!p_.scaled) return multiply_float(product, model);
    multiply_scaled(product, {p_.scale, op_.vector, scratch.a_scales.data(), scratch.b_scales.data()}, model);
  }

  Warp& w_;
  const Op& op_;
  uint32_t lane_;
  TensorKind kind_;
  bool pair_;
  TensorProduct p_;
  RowLayout layout_;
  TensorBlocks blocks_;
};

}  // namespace

void run_tensor_product(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    if (!Product(w, op, lane).run()) return;
  }
}

}  // namespace warplens::simt::ptx_machine
