// ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "warplens/emulator/memory/access.h"
#include "warplens/emulator/checks/checker.h"
#include "warplens/emulator/matrix/fragments.h"
#include "warplens/emulator/memory/resolve.h"
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

/// What to add to an address to get to its byte, when all of them may be used alike.
std::optional<uintptr_t> common_shift(Warp& w, const Op& op, const std::array<Address, kLanes>& addresses,
                                      uint32_t bytes, bool write) {
  const auto [low, high] = std::minmax_element(addresses.begin(), addresses.end());
  if (w.checks || *high - *low > 1u << 20) return {};
  uint8_t* begin = nullptr;
  if (*low < kSharedWindow) {
    begin = in_range(w, op, *low, *high + bytes, write) ? reinterpret_cast<uint8_t*>(*low) : nullptr;
  } else if ((*low & ~(kSharedWindow - 1)) == kSharedWindow) {
    begin = resolve_shared(w, *low - kSharedWindow, static_cast<uint32_t>(*high - *low) + bytes);
  }
  if (begin == nullptr) return {};
  return reinterpret_cast<uintptr_t>(begin) - *low;
}

/// A place of all lanes' fragments in memory: the byte that each lane's element begins in (nullptr: it may not be
/// touched), and the bit in it.
struct PlaceInMemory {
  std::array<uint8_t*, kLanes> at;
  std::array<int, kLanes> bit;
};

/// Walks a fragment: f(place, where it is), counting one access a register as it goes.
template <typename F>
void walk_fragment(Warp& w, const Op& op, bool write, const F& f) {
  const MatrixInfo& info = w.program->matrices[op.flags];
  const std::vector<uint16_t>& places = w.program->matrix_places[op.flags].a;
  const ptx::Type type = info.fragment == 0 ? info.a : info.fragment == 1 ? info.b : info.c;
  const auto element_bits = static_cast<uint64_t>(ptx::bits(type));
  const auto element_bytes = static_cast<uint32_t>(element_bits / 8), bytes = element_bytes == 0 ? 1 : element_bytes;
  const int elements = fragment_elements(info);
  const bool pairs = elements % 2 == 0 && info.by_columns == (info.fragment == 1);  // neighbours in memory and register
  const uint32_t* strides = w.lanes<uint32_t>(op.c);
  const uint64_t* bases = w.lanes<uint64_t>(op.a);
  std::array<Address, kLanes> addresses;
  PlaceInMemory memory;
  for (int place = 0; place < elements; ++place) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint16_t at = places[static_cast<uint32_t>(place) * kLanes + lane];
      const uint64_t row = at >> 8, column = at & 255;
      const uint64_t index = info.by_columns ? column * strides[lane] + row : row * strides[lane] + column;
      addresses[lane] = bases[lane] + index * element_bits / 8;
      memory.bit[lane] = static_cast<int>(index * element_bits % 8);
    }
    const std::optional<uintptr_t> shift = common_shift(w, op, addresses, bytes, write);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      memory.at[lane] = nullptr;
      if (w.checks && !check_element(w, op, lane, addresses[lane], bytes, write)) continue;
      memory.at[lane] = shift ? reinterpret_cast<uint8_t*>(addresses[lane] + *shift)
                              : resolve_generic(w, op, lane, addresses[lane], bytes, write);
      if (memory.at[lane] == nullptr) return raise_address(w, op, lane, addresses[lane], bytes, "generic", write);
    }
    f(place, memory);
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

namespace {

template <typename T>
void read_place(Warp& w, const Slice& slice, int element_bits, const PlaceInMemory& memory) {
  uint32_t* words = w.lanes<uint32_t>(slice.slot);
  const uint32_t ones = element_bits == 32 ? ~0u : (1u << element_bits) - 1;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (memory.at[lane] == nullptr) continue;
    T value;
    std::memcpy(&value, memory.at[lane], sizeof value);
    const uint32_t bits = static_cast<uint32_t>(value) >> memory.bit[lane] & ones;
    words[lane] = (words[lane] & ~(ones << slice.shift)) | bits << slice.shift;
  }
}

}  // namespace

void run_wmma_load(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.flags];
  const int bits = ptx::bits(fragment_type(info));
  walk_fragment(w, op, false, [&](int place, const PlaceInMemory& memory) {
    const Slice slice = slice_of(w, op, bits, place);
    if (bits == 32) return read_place<uint32_t>(w, slice, bits, memory);
    if (bits == 16) return read_place<uint16_t>(w, slice, bits, memory);
    if (bits < 16) return read_place<uint8_t>(w, slice, bits, memory);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      if (memory.at[lane]) std::memcpy(&w.lanes<uint64_t>(slice.slot)[lane], memory.at[lane], 8);
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
  walk_fragment(w, op, true, [&](int place, const PlaceInMemory& memory) {
    const Slice slice = slice_of(w, op, bits, place);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (memory.at[lane] == nullptr) continue;
      if (bits == 64) {
        std::memcpy(memory.at[lane], &w.lanes<uint64_t>(slice.slot)[lane], 8);
        continue;
      }
      const uint32_t value = w.lanes<uint32_t>(slice.slot)[lane] >> slice.shift;
      std::memcpy(memory.at[lane], &value, static_cast<size_t>(bits / 8));
    }
  });
}

}  // namespace warplens::emulator
