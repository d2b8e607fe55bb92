// tcgen05.cp, shift and commit: shared memory to tensor memory, rows moved by one, and the end of what came before.
#include <algorithm>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/asynchronous/mbarrier.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/run/ptx/tensor_memory/handlers.h"
#include "warplens/run/ptx/tensor_memory/tile.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr uint32_t kWordsAUnit = SharedMatrix::kUnit / 4, kWarpRows = 32;

TilePacking packing_of(TensorUnpack unpack) {
  if (unpack == TensorUnpack::kNone) return {};
  return tile_packing(unpack == TensorUnpack::k4 ? ptx::Type::kE2m1 : ptx::Type::kE3m2, false);
}

/// 16 bytes of shared memory as they stand in tensor memory: fp4 and fp6 widened to a byte each.
void widen(const uint8_t* unit, TensorUnpack unpack, uint32_t* words) {
  if (unpack == TensorUnpack::kNone) {
    std::memcpy(words, unit, SharedMatrix::kUnit);
    return;
  }
  const bool fours = unpack == TensorUnpack::k4;
  uint32_t elements[16];
  unpack_unit(unit, packing_of(unpack), elements, 1);
  std::fill_n(words, kWordsAUnit, 0);
  for (uint32_t i = 0; i < 16; ++i) words[i / 4] |= (fours ? elements[i] << 2 : elements[i]) << (8 * (i % 4));
}

class Copy {
 public:
  Copy(Warp& w, const Op& op, uint32_t lane) : w_(w), op_(op), lane_(lane) {}

  bool run(Cta& cta) {
    const TensorAddress at(w_.lanes<uint32_t>(op_.a)[lane_]);
    const uint64_t descriptor = w_.lanes<uint64_t>(op_.b)[lane_];
    if (at.lane != 0 || !SharedMatrix::is_tcgen05(descriptor)) {
      raise(w_, op_, Fault::Kind::kInvalid, lane_, at.lane,
            fmt::format("tcgen05.cp to lane {} of tensor memory, or from an invalid matrix descriptor ({:#x})", at.lane,
                        descriptor));
      return false;
    }
    const uint32_t units = op_.vector;
    const auto unpack = op_.unpack;
    uint32_t* to = tensor_columns(w_, op_, lane_, cta, at.column, units * kWordsAUnit);
    if (to == nullptr) return false;
    const auto matrix = SharedMatrix::of_tcgen05(descriptor);
    for (uint32_t row = 0; row < op_.size; ++row) {
      for (uint32_t i = 0; i < units; ++i) {
        const uint8_t* unit = shared_unit(w_, op_, lane_, cta, matrix.along_inner(row, i * SharedMatrix::kUnit),
                                          packing_of(unpack).bytes);
        if (unit == nullptr) return false;
        uint32_t words[kWordsAUnit];
        widen(unit, unpack, words);
        write(words, row, to + i * kWordsAUnit * TensorMemory::kRows);
      }
    }
    return true;
  }

 private:
  /// To the warp's lanes that have the row, and to those of the warps that get copies.
  void write(const uint32_t* words, uint32_t row, uint32_t* columns) const {
    const uint32_t copies = op_.mode;
    for (uint32_t warp = 0; warp < 4; ++warp) {
      if (rank_of(warp & ~copies) != row / kWarpRows) continue;
      for (uint32_t i = 0; i < kWordsAUnit; ++i)
        columns[i * TensorMemory::kRows + warp * kWarpRows + row % kWarpRows] = words[i];
    }
  }
  /// Warps below `warp` that get no copies.
  uint32_t rank_of(uint32_t warp) const {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < warp; ++i) rank += (i & op_.mode) == 0 ? 1 : 0;
    return rank;
  }

  Warp& w_;
  const Op& op_;
  uint32_t lane_;
};

bool shift(Warp& w, const Op& op, uint32_t lane, Cta& cta) {
  constexpr uint32_t kColumns = 8;
  const TensorAddress at(w.lanes<uint32_t>(op.a)[lane]);
  if (at.lane % kWarpRows != 0 || at.lane >= TensorMemory::kRows) {
    raise(w, op, Fault::Kind::kInvalid, lane, at.lane,
          fmt::format("tcgen05.shift at lane {} of tensor memory: it must be a multiple of 32", at.lane));
    return false;
  }
  uint32_t* column = tensor_columns(w, op, lane, cta, at.column, kColumns);
  if (column == nullptr) return false;
  for (uint32_t i = 0; i < kColumns; ++i, column += TensorMemory::kRows)
    std::copy(column + at.lane + 1, column + TensorMemory::kRows, column + at.lane);
  return true;
}

/// Calls f(block) for the blocks of each thread's instruction, until one gives false.
template <typename F>
void each_block(Warp& w, const Op& op, const F& f) {
  for (const uint32_t lane : set_bits(w.mask)) {
    const TensorBlocks blocks = tensor_blocks(w, op, lane, op.e == kPair);
    for (uint32_t i = 0; i < blocks.count; ++i) {
      if (!f(lane, *blocks.each[i])) return;
    }
    if (blocks.count == 0) return;
  }
}

}  // namespace

void run_tensor_memory_copy(Warp& w, const Op& op) {
  each_block(w, op, [&](uint32_t lane, Cta& cta) { return Copy(w, op, lane).run(cta); });
}

void run_tensor_shift(Warp& w, const Op& op) {
  each_block(w, op, [&](uint32_t lane, Cta& cta) { return shift(w, op, lane, cta); });
}

void run_tensor_commit(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    // The instruction takes an offset in shared memory: compilers give it with and without the window above it.
    const Address object = kSharedWindow | (w.lanes<uint64_t>(op.a)[lane] & 0xffffffff);
    if (op.e == kNoSlot) {
      if (!arrive_after_matrices(w, op, lane, object)) return;
      continue;
    }
    const uint32_t mask = w.lanes<uint32_t>(op.e)[lane] & 0xffff;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      const Address there = kSharedWindow + block_window(rank) + (object & kInBlock);
      if ((mask >> rank & 1) != 0 && !arrive_after_matrices(w, op, lane, there)) return;
    }
  }
}

}  // namespace warplens::simt::ptx_machine
