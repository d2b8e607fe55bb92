// tcgen05.ld and tcgen05.st: a warp's quarter of the lanes to its registers and back.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/tensor_memory/handlers.h"

namespace warplens::simt::ptx_machine {
namespace {

struct Cell {
  uint32_t lane, column;  // from the address
};

/// Where register `r` of lane `l` lies; from the PTX ISA's figures of tcgen05.ld. A half warp of k16x32Twice has an
/// address of its own.
Cell cell_of(TensorShape shape, uint32_t l, uint32_t r) {
  switch (shape) {
    case TensorShape::k32x32: return {l, r};
    case TensorShape::k16x64: return {l / 4 + 8 * (l % 2), l / 2 % 2 + 2 * r};
    case TensorShape::k16x128: return {l / 4 + 8 * (r % 2), l % 4 + 4 * (r / 2)};
    case TensorShape::k16x256: return {l / 4 + 8 * (r / 2 % 2), r % 2 + 2 * (l % 4) + 8 * (r / 4)};
    case TensorShape::k16x32Twice: return {l % 16, r};
  }
  return {0, 0};
}

uint32_t columns_of(TensorShape shape, uint32_t registers) {
  const uint32_t narrow =
      shape == TensorShape::k16x64 || shape == TensorShape::k16x128 || shape == TensorShape::k16x256;
  return narrow ? registers * 2 : registers;
}

class Move {
 public:
  Move(Warp& w, const Op& op)
      : w_(w),
        op_(op),
        lane_(static_cast<uint32_t>(std::countr_zero(w.mask))),
        shape_(op.tensor_shape),
        halves_((op.flags & kHalves) != 0) {}

  /// False after a fault.
  bool find() {
    const uint32_t at = w_.lanes<uint32_t>(op_.a)[lane_];
    first_ = find_half(at);
    if (first_ == nullptr) return false;
    second_ = shape_ == TensorShape::k16x32Twice ? find_half(at + w_.lanes<uint32_t>(op_.c)[lane_]) : first_;
    return second_ != nullptr;
  }

  void load() {
    for (uint32_t r = 0; r < op_.vector; ++r) {
      uint32_t* values = register_of(r);
      if (is_plain()) std::memcpy(values, first_ + r * TensorMemory::kRows, kLanes * 4);
      else
        each_lane(r, [&](uint32_t lane, const uint32_t* word) {
          values[lane] = halves_ ? (word[0] & 0xffff) | word[TensorMemory::kRows] << 16 : *word;
        });
    }
    if (op_.e != kNoSlot) reduce();
  }

  void store() {
    for (uint32_t r = 0; r < op_.vector; ++r) {
      const uint32_t* values = register_of(r);
      if (is_plain()) std::memcpy(first_ + r * TensorMemory::kRows, values, kLanes * 4);
      else
        each_lane(r, [&](uint32_t lane, uint32_t* word) {
          *word = halves_ ? values[lane] & 0xffff : values[lane];
          if (halves_) word[TensorMemory::kRows] = values[lane] >> 16;
        });
    }
  }

 private:
  bool is_plain() const { return shape_ == TensorShape::k32x32 && !halves_ && w_.mask == kFull; }
  uint32_t* register_of(uint32_t r) { return w_.lanes<uint32_t>(w_.program->slots[op_.b + r]); }

  template <typename F>
  void each_lane(uint32_t r, const F& f) {
    for (const uint32_t lane : set_bits(w_.mask)) {
      const Cell cell = cell_of(shape_, lane, r);
      uint32_t* from = lane >= kLanes / 2 ? second_ : first_;
      f(lane, from + (halves_ ? 2 * cell.column : cell.column) * TensorMemory::kRows + cell.lane);
    }
  }

  uint32_t* find_half(uint32_t address) {
    const TensorAddress at(address);
    const uint32_t quarter = w_.index % 4 * kLanes, rows = shape_ == TensorShape::k32x32 ? kLanes : kLanes / 2;
    if (at.lane < quarter || at.lane + rows > quarter + kLanes || at.lane % rows != 0) {
      raise(w_, op_, Fault::Kind::kIllegalAddress, lane_, address,
            fmt::format(
                "lanes {} to {} of tensor memory: warp {} of the block reaches {} to {}, from {}", at.lane,
                at.lane + rows - 1, w_.index, quarter, quarter + kLanes - 1,
                rows == kLanes ? fmt::format("{} on", quarter) : fmt::format("{} or {} on", quarter, quarter + rows)));
      return nullptr;
    }
    const uint32_t columns = columns_of(shape_, op_.vector) * (halves_ ? 2 : 1);
    uint32_t* column = tensor_columns(w_, op_, lane_, *w_.cta, at.column, columns);
    return column == nullptr ? nullptr : column + at.lane;
  }

  /// The smallest or largest of each lane's values. NaN counts only with .NaN, unless there is nothing else.
  void reduce() {
    const auto type = static_cast<ptx::Type>(op_.size);
    for (const uint32_t lane : set_bits(w_.mask)) {
      uint32_t best = value_at(0, lane);
      for (uint32_t r = 1; r < op_.vector; ++r) best = better(best, value_at(r, lane), type);
      if (type == ptx::Type::kF32 && std::isnan(std::bit_cast<float>(best))) best = 0x7fffffff;
      w_.lanes<uint32_t>(op_.e)[lane] = best;
    }
  }
  uint32_t value_at(uint32_t r, uint32_t lane) {
    const uint32_t value = register_of(r)[lane];
    return (op_.flags & kAbsolute) != 0 ? value & 0x7fffffff : value;
  }
  uint32_t better(uint32_t a, uint32_t b, ptx::Type type) const {
    const bool least = (op_.flags & kReduceMin) != 0;
    if (type == ptx::Type::kU32) return least ? std::min(a, b) : std::max(a, b);
    const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
    if (type == ptx::Type::kS32) return static_cast<uint32_t>(least ? std::min(x, y) : std::max(x, y));
    const bool a_nan = std::isnan(std::bit_cast<float>(a)), b_nan = std::isnan(std::bit_cast<float>(b));
    if (a_nan || b_nan) return (op_.flags & kKeepNan) != 0 ? (a_nan ? a : b) : a_nan ? b : a;
    // As integers that grow with the value, so that -0 is below +0.
    const auto key = [](int32_t bits) { return bits < 0 ? INT32_MIN - bits - 1 : bits; };
    return (key(x) < key(y)) == least ? a : b;
  }

  Warp& w_;
  const Op& op_;
  uint32_t lane_;
  TensorShape shape_;
  bool halves_;
  uint32_t *first_ = nullptr, *second_ = nullptr;  // the address's word, of the lower and upper half of the warp
};

}  // namespace

void run_tensor_load(Warp& w, const Op& op) {
  Move move(w, op);
  if (move.find()) move.load();
}

void run_tensor_store(Warp& w, const Op& op) {
  Move move(w, op);
  if (move.find()) move.store();
}

}  // namespace warplens::simt::ptx_machine
