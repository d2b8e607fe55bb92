// ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store.
#include <array>
#include <cstring>

#include "warplens/emulator/access.h"
#include "warplens/emulator/checks/checker.h"
#include "warplens/emulator/fragments.h"
#include "warplens/emulator/resolve.h"
#include "warplens/emulator/warp.h"

namespace warplens::emulator {
namespace {

constexpr int kRows = 8, kRowBytes = 16;

/// Rows of 16 bytes are a group of their own for each 8x8 matrix: measured on an H200.
void count_matrices(Warp& w, const Op& op, const uint32_t* addresses, int matrices) {
  if (w.rows == nullptr) return;
  std::array<Address, kLanes> wide;
  for (uint32_t i = 0; i < kLanes; ++i) wide[i] = addresses[i];
  kernel::InstructionCounts& row = w.rows[op.row];
  ++row.requests;
  ++row.shared_requests;
  row.bytes += static_cast<uint64_t>(matrices * kRows * kRowBytes);
  for (int i = 0; i < matrices; ++i) {
    const Wavefronts passes = count_wavefronts(wide.data(), 0xffu << (kRows * i), kRowBytes);
    row.wavefronts += passes.actual;
    row.ideal_wavefronts += passes.ideal;
  }
}

/// The 16 bytes of row `row` of matrix `matrix`, or nullptr after a fault.
uint8_t* row_of(Warp& w, const Op& op, int matrix, int row, bool write) {
  const auto lane = static_cast<uint32_t>(matrix * kRows + row);
  const uint32_t address = w.lanes<uint32_t>(op.a)[lane];
  if (address % kRowBytes != 0) {
    raise_misaligned(w, op, lane, address, kRowBytes);
    return nullptr;
  }
  uint8_t* bytes = resolve_shared(w, address, kRowBytes);
  if (bytes == nullptr) raise_address(w, op, lane, address, kRowBytes, "shared", write);
  return bytes;
}

/// Shows the rows to the checks, each as an access of the lane that gives its address. False when one may not be made.
bool check_rows(Warp& w, const Op& op, int matrices, bool write) {
  Touch t;
  t.space = ptx::Space::kShared, t.size_bytes = t.alignment = kRowBytes;
  t.reads = !write, t.writes = write;
  bool sound = true;
  for (uint32_t lane = 0; lane < static_cast<uint32_t>(matrices * kRows); ++lane) {
    t.lane = lane, t.at = w.lanes<uint32_t>(op.a)[lane];
    sound &= w.cta->cluster->grid->checker->touch(w, op, t);
  }
  return sound;
}

using Tile = std::array<std::array<uint16_t, kRows>, kRows>;

/// The two elements that `lane` holds of an 8x8 matrix, and where they lie in it.
struct HeldPair {
  int row, column;  // of the first; the second follows in the row
};
HeldPair held(int lane) { return {lane / 4, lane % 4 * 2}; }

uint16_t& at(Tile& tile, bool transposed, int row, int column) {
  return transposed ? tile[static_cast<size_t>(column)][static_cast<size_t>(row)]
                    : tile[static_cast<size_t>(row)][static_cast<size_t>(column)];
}

void to_lanes(Tile& tile, bool transposed, uint32_t* lanes) {
  for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
    const HeldPair pair = held(lane);
    lanes[lane] = at(tile, transposed, pair.row, pair.column) |
                  static_cast<uint32_t>(at(tile, transposed, pair.row, pair.column + 1)) << 16;
  }
}

void from_lanes(Tile& tile, bool transposed, const uint32_t* lanes) {
  for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
    const HeldPair pair = held(lane);
    at(tile, transposed, pair.row, pair.column) = static_cast<uint16_t>(lanes[lane]);
    at(tile, transposed, pair.row, pair.column + 1) = static_cast<uint16_t>(lanes[lane] >> 16);
  }
}

}  // namespace

void run_ldmatrix(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.flags];
  if (w.checks && !check_rows(w, op, info.count, false)) return;
  std::array<uint32_t, kLanes> addresses;
  std::memcpy(addresses.data(), w.lanes<uint32_t>(op.a), sizeof addresses);  // a destination may hold the address
  std::array<std::array<uint32_t, kLanes>, 4> loaded;
  for (int matrix = 0; matrix < info.count; ++matrix) {
    Tile tile;
    for (int row = 0; row < kRows; ++row) {
      const uint8_t* bytes = row_of(w, op, matrix, row, false);
      if (bytes == nullptr) return;
      std::memcpy(tile[static_cast<size_t>(row)].data(), bytes, kRowBytes);
    }
    to_lanes(tile, info.transposed, loaded[static_cast<size_t>(matrix)].data());
  }
  for (uint32_t i = 0; i < info.count; ++i) {
    std::memcpy(w.lanes<uint32_t>(w.program->slots[op.b + i]), loaded[i].data(), sizeof loaded[i]);
  }
  count_matrices(w, op, addresses.data(), info.count);
}

void run_stmatrix(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.flags];
  if (w.checks && !check_rows(w, op, info.count, true)) return;
  for (int matrix = 0; matrix < info.count; ++matrix) {
    Tile tile;
    from_lanes(tile, info.transposed, w.lanes<uint32_t>(w.program->slots[op.b + static_cast<uint32_t>(matrix)]));
    for (int row = 0; row < kRows; ++row) {
      uint8_t* bytes = row_of(w, op, matrix, row, true);
      if (bytes == nullptr) return;
      std::memcpy(bytes, tile[static_cast<size_t>(row)].data(), kRowBytes);
    }
  }
  count_matrices(w, op, w.lanes<uint32_t>(op.a), info.count);
}

void run_movmatrix(Warp& w, const Op& op) {
  Tile tile;
  from_lanes(tile, false, w.lanes<uint32_t>(op.a));
  to_lanes(tile, true, w.lanes<uint32_t>(op.d));
}

namespace {

bool check_element(Warp& w, const Op& op, uint32_t lane, Address at, uint32_t bytes, bool write) {
  Touch t;
  t.lane = lane, t.at = at, t.size_bytes = t.alignment = bytes, t.reads = !write, t.writes = write;
  return w.cta->cluster->grid->checker->touch(w, op, t);
}

/// Walks a fragment: f(lane, place, bytes in memory of that element), counting one access a register as it goes.
template <typename F>
void walk_fragment(Warp& w, const Op& op, bool write, const F& f) {
  const MatrixInfo& info = w.program->matrices[op.flags];
  const ptx::Type type = info.fragment == 0 ? info.a : info.fragment == 1 ? info.b : info.c;
  const int element_bits = ptx::bits(type);
  const auto element_bytes = static_cast<uint32_t>(element_bits / 8);
  const int elements = fragment_elements(info);
  const bool pairs = elements % 2 == 0 && info.by_columns == (info.fragment == 1);  // neighbours in memory and register
  std::array<Address, kLanes> addresses;
  for (int place = 0; place < elements; ++place) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const Element e = element_of_fragment(info, static_cast<int>(lane), place);
      const uint64_t stride = w.lanes<uint32_t>(op.c)[lane];
      const uint64_t index = info.by_columns ? static_cast<uint64_t>(e.column) * stride + static_cast<uint64_t>(e.row)
                                             : static_cast<uint64_t>(e.row) * stride + static_cast<uint64_t>(e.column);
      addresses[lane] = w.lanes<uint64_t>(op.a)[lane] + index * static_cast<uint64_t>(element_bits) / 8;
      const uint32_t bytes = element_bytes == 0 ? 1 : element_bytes;
      if (w.checks && !check_element(w, op, lane, addresses[lane], bytes, write)) continue;
      uint8_t* memory = resolve_generic(w, op, lane, addresses[lane], bytes, write);
      if (memory == nullptr) return raise_address(w, op, lane, addresses[lane], bytes, "generic", write);
      f(lane, place, memory, static_cast<int>(index * static_cast<uint64_t>(element_bits) % 8));
    }
    if (w.rows == nullptr || (pairs && place % 2 == 1)) continue;
    const uint32_t size = element_bytes * (pairs ? 2 : 1);
    if (addresses[0] >= kSharedWindow) {
      for (Address& address : addresses) address -= kSharedWindow;
      count_shared(w.rows[op.row], addresses.data(), kFull, size);
    } else {
      count_global(w.rows[op.row], addresses.data(), kFull, size);
    }
  }
}

/// Where element `place` of a fragment lies: its register, and the bits in it.
struct Slice {
  uint32_t slot;
  int shift;
};
Slice slice_of(Warp& w, const Op& op, int element_bits, int place) {
  const int each = element_bits >= 32 ? 1 : 32 / element_bits;
  return {w.program->slots[op.b + static_cast<uint32_t>(place / each)], place % each * element_bits};
}

ptx::Type fragment_type(const MatrixInfo& info) {
  return info.fragment == 0 ? info.a : info.fragment == 1 ? info.b : info.c;
}

}  // namespace

void run_wmma_load(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.flags];
  const int bits = ptx::bits(fragment_type(info));
  walk_fragment(w, op, false, [&](uint32_t lane, int place, const uint8_t* memory, int bit) {
    const Slice slice = slice_of(w, op, bits, place);
    if (bits == 64) return void(std::memcpy(&w.lanes<uint64_t>(slice.slot)[lane], memory, 8));
    uint32_t value = 0;
    std::memcpy(&value, memory, static_cast<size_t>(bits < 8 ? 1 : bits / 8));
    value = bits < 8 ? (value >> bit) & ((1u << bits) - 1) : value;
    uint32_t& word = w.lanes<uint32_t>(slice.slot)[lane];
    const uint32_t mask = bits == 32 ? ~0u : ((1u << bits) - 1) << slice.shift;
    word = (word & ~mask) | value << slice.shift;
  });
  const uint32_t once = static_cast<uint32_t>(fragment_elements(info) * bits) / 32;  // registers that are not copies
  for (uint32_t i = once; once > 0 && bits < 64 && i < info.count; ++i) {
    std::memcpy(w.lanes<uint32_t>(w.program->slots[op.b + i]), w.lanes<uint32_t>(w.program->slots[op.b + i % once]),
                4 * kLanes);
  }
}

void run_wmma_store(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.flags];
  const int bits = ptx::bits(fragment_type(info));
  walk_fragment(w, op, true, [&](uint32_t lane, int place, uint8_t* memory, int) {
    const Slice slice = slice_of(w, op, bits, place);
    if (bits == 64) return void(std::memcpy(memory, &w.lanes<uint64_t>(slice.slot)[lane], 8));
    const uint32_t value = w.lanes<uint32_t>(slice.slot)[lane] >> slice.shift;
    std::memcpy(memory, &value, static_cast<size_t>(bits / 8));
  });
}

}  // namespace warplens::emulator
