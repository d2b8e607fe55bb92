// wmma.load and wmma.store.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/matrix/fragments.h"
#include "warplens/simt/requests/count.h"

namespace warplens::simt::ptx_machine {
namespace {

ptx::Type fragment_type(const MatrixInfo& info) {
  return info.fragment == 0 ? info.a : info.fragment == 1 ? info.b : info.c;
}

constexpr uint32_t kLongestStride = 1 << 20;  // elements: what a fragment spans stays below 2^31 bytes

bool check_element(Warp& w, const Op& op, uint32_t lane, Address at, uint32_t bytes, bool write) {
  Touch t;
  t.lane = lane;
  t.at = at;
  t.size_bytes = t.alignment = bytes;
  t.reads = !write;
  t.writes = write;
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

/// Neighbours in a register are neighbours in memory: they are loaded as one.
bool in_pairs(const MatrixInfo& info) {
  return fragment_elements(info) % 2 == 0 && info.by_columns == (info.fragment == 1);
}

/// Adds the request that loads (stores) one register.
void count_register(InstructionCounts& row, const std::array<Address, kLanes>& addresses, uint32_t bytes) {
  if (addresses[0] < kSharedWindow) return count_global(row, addresses.data(), kFull, bytes);
  std::array<Address, kLanes> offsets;
  for (uint32_t lane = 0; lane < kLanes; ++lane) offsets[lane] = addresses[lane] - kSharedWindow;
  count_shared(row, offsets.data(), kFull, bytes);
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
  const MatrixInfo& info = w.program->matrices[op.matrix];
  const std::vector<uint16_t>& places = w.program->matrix_places[op.matrix].a;
  const auto element_bits = static_cast<uint64_t>(ptx::bits(fragment_type(info)));
  const auto element_bytes = static_cast<uint32_t>(element_bits / 8), bytes = element_bytes == 0 ? 1 : element_bytes;
  const int elements = fragment_elements(info);
  const bool pairs = in_pairs(info);
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
    const int together = element_bytes == 0 ? static_cast<int>(32 / element_bits) : pairs ? 2 : 1;
    if (w.rows == nullptr || place % together != 0) continue;
    count_register(w.rows[op.row], addresses,
                   static_cast<uint32_t>(element_bits * static_cast<uint64_t>(together) / 8));
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

/// How the fragment lies for this stride; nullptr when lanes differ in what they name, or it does not fit in.
FragmentWalk* walk_of(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.matrix];
  const uint32_t* strides = w.lanes<uint32_t>(op.c);
  const uint64_t* bases = w.lanes<uint64_t>(op.a);
  const auto bytes = static_cast<uint32_t>(ptx::bits(fragment_type(info))) / 8;
  if (w.checks || bytes == 0 || bytes > 4 || strides[0] > kLongestStride) return nullptr;
  for (uint32_t lane = 1; lane < kLanes; ++lane) {
    if (strides[lane] != strides[0] || bases[lane] != bases[0]) return nullptr;
  }
  auto& walks = w.worker->fragment_walks;
  if (walks.empty()) walks.resize(w.program->matrices.size());
  FragmentWalk& walk = walks[op.matrix];
  // What its requests cost depends on where they begin in a sector.
  const uint64_t key = strides[0] | (bases[0] & 31) << 32 | uint64_t{bases[0] >= kSharedWindow} << 40;
  if (walk.key == key) return &walk;
  const std::vector<uint16_t>& places = w.program->matrix_places[op.matrix].a;
  walk = {key, std::vector<uint32_t>(places.size()), 0, {}};
  std::array<Address, kLanes> addresses;
  for (size_t i = 0; i < places.size(); ++i) {
    const uint32_t row = places[i] >> 8, column = places[i] & 255;
    walk.offsets[i] = bytes * (info.by_columns ? column * strides[0] + row : row * strides[0] + column);
    walk.end = std::max(walk.end, walk.offsets[i] + bytes);
    addresses[i % kLanes] = bases[0] + walk.offsets[i];
    if (i % kLanes != kLanes - 1 || (in_pairs(info) && i / kLanes % 2 == 1)) continue;
    count_register(walk.cost, addresses, bytes * (in_pairs(info) ? 2 : 1));
  }
  return &walk;
}

/// The whole fragment's bytes, when all of them may be used alike; nullptr otherwise.
uint8_t* bytes_of(Warp& w, const Op& op, const FragmentWalk& walk, bool write) {
  const Address base = w.lanes<uint64_t>(op.a)[0];
  if (base < kSharedWindow)
    return in_range(w, op, base, base + walk.end, write) ? reinterpret_cast<uint8_t*>(base) : nullptr;
  return (base & ~(kSharedWindow - 1)) == kSharedWindow ? resolve_shared(w, base - kSharedWindow, walk.end) : nullptr;
}

template <typename T>
uint32_t read_as(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Registers of elements of type T; `pairs`: two neighbours at once.
template <typename T>
void read_registers(Warp& w, const Op& op, const uint8_t* from, const FragmentWalk& walk, bool pairs) {
  constexpr uint32_t kEach = 4 / sizeof(T), kBits = 8 * sizeof(T);
  const size_t registers = walk.offsets.size() / kLanes / kEach;
  for (size_t r = 0; r < registers; ++r) {
    uint32_t* words = w.lanes<uint32_t>(w.program->slots[op.b + r]);
    const uint32_t* offsets = walk.offsets.data() + r * kEach * kLanes;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint32_t word = 0;
      if (kEach == 2 && pairs) word = read_as<uint32_t>(from + offsets[lane]);
      else {
        for (uint32_t e = 0; e < kEach; ++e) word |= read_as<T>(from + offsets[e * kLanes + lane]) << (e * kBits % 32);
      }
      words[lane] = word;
    }
  }
}

template <typename T>
void write_registers(Warp& w, const Op& op, uint8_t* to, const FragmentWalk& walk) {
  constexpr uint32_t kEach = 4 / sizeof(T), kBits = 8 * sizeof(T);
  for (size_t i = 0; i < walk.offsets.size(); ++i) {
    const auto place = static_cast<uint32_t>(i / kLanes);
    const uint32_t word = w.lanes<uint32_t>(w.program->slots[op.b + place / kEach])[i % kLanes];
    const auto value = static_cast<T>(word >> (place % kEach * kBits));
    std::memcpy(to + walk.offsets[i], &value, sizeof value);
  }
}

template <typename T>
void move_registers(Warp& w, const Op& op, uint8_t* bytes, const FragmentWalk& walk, bool write) {
  if (write) return write_registers<T>(w, op, bytes, walk);
  read_registers<T>(w, op, bytes, walk, in_pairs(w.program->matrices[op.matrix]));
}

/// Loads (stores) a fragment that lies as fragments do. False when it does not: nothing is done then.
bool move_at_once(Warp& w, const Op& op, bool write) {
  const FragmentWalk* walk = walk_of(w, op);
  uint8_t* bytes = walk ? bytes_of(w, op, *walk, write) : nullptr;
  if (bytes == nullptr) return false;
  const MatrixInfo& info = w.program->matrices[op.matrix];
  const int bits = ptx::bits(fragment_type(info));
  if (bits == 8) move_registers<uint8_t>(w, op, bytes, *walk, write);
  if (bits == 16) move_registers<uint16_t>(w, op, bytes, *walk, write);
  if (bits == 32) move_registers<uint32_t>(w, op, bytes, *walk, write);
  if (w.rows) w.rows[op.row].add(walk->cost);
  return true;
}

void read_walking(Warp& w, const Op& op, int bits) {
  walk_fragment(w, op, false, [&](int place, const PlaceInMemory& memory) {
    const Slice slice = slice_of(w, op, bits, place);
    if (bits == 32) return read_place<uint32_t>(w, slice, bits, memory);
    if (bits == 16) return read_place<uint16_t>(w, slice, bits, memory);
    if (bits < 16) return read_place<uint8_t>(w, slice, bits, memory);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (memory.at[lane]) std::memcpy(&w.lanes<uint64_t>(slice.slot)[lane], memory.at[lane], 8);
    }
  });
}

}  // namespace

void run_wmma_load(Warp& w, const Op& op) {
  const MatrixInfo& info = w.program->matrices[op.matrix];
  const int bits = ptx::bits(fragment_type(info));
  if (!move_at_once(w, op, false)) read_walking(w, op, bits);
  const uint32_t once = static_cast<uint32_t>(fragment_elements(info) * bits) / 32;  // registers that are not copies
  for (uint32_t i = once; once > 0 && bits < 64 && i < info.count; ++i) {
    std::memcpy(w.lanes<uint32_t>(w.program->slots[op.b + i]), w.lanes<uint32_t>(w.program->slots[op.b + i % once]),
                4 * kLanes);
  }
}

void run_wmma_store(Warp& w, const Op& op) {
  if (move_at_once(w, op, true)) return;
  const MatrixInfo& info = w.program->matrices[op.matrix];
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

}  // namespace warplens::simt::ptx_machine
