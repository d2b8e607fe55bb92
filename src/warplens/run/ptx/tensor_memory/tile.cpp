#include "warplens/run/ptx/tensor_memory/tile.h"

#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;
using Kind = TilePacking::Kind;

template <typename T>
void spread(const uint8_t* unit, uint32_t* to, uint32_t pitch) {
  T values[SharedMatrix::kUnit / sizeof(T)];
  std::memcpy(values, unit, sizeof values);
  for (const T value : values) {
    *to = value;
    to += pitch;
  }
}

/// `count` elements of `bits` bits, close together.
void spread_bits(const uint8_t* unit, uint32_t count, uint32_t bits, uint32_t* to, uint32_t pitch) {
  uint64_t words[2];
  std::memcpy(words, unit, sizeof words);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = i * bits, within = at % 64;
    uint64_t value = words[at / 64] >> within;
    if (within + bits > 64) value |= words[1] << (64 - within);
    to[i * pitch] = static_cast<uint32_t>(value) & ((1u << bits) - 1);
  }
}

}  // namespace

TilePacking tile_packing(Type type, bool packed) {
  switch (ptx::bits(type)) {
    case 32: return {Kind::kWords, 4};
    case 16: return {Kind::kHalves, 8};
    case 6: return {Kind::kPaddedSixes, 16, 12};
    case 4: return packed ? TilePacking{Kind::kFours, 32} : TilePacking{Kind::kPaddedFours, 16, 8};
    default: return {Kind::kBytes, 16};
  }
}

void unpack_unit(const uint8_t* unit, TilePacking packing, uint32_t* to, uint32_t pitch) {
  switch (packing.kind) {
    case Kind::kWords: return spread<uint32_t>(unit, to, pitch);
    case Kind::kHalves: return spread<uint16_t>(unit, to, pitch);
    case Kind::kBytes: return spread<uint8_t>(unit, to, pitch);
    case Kind::kFours:
    case Kind::kPaddedFours: return spread_bits(unit, packing.elements, 4, to, pitch);
    case Kind::kPaddedSixes: return spread_bits(unit, packing.elements, 6, to, pitch);
  }
}

const uint8_t* shared_unit(Warp& w, const Op& op, uint32_t lane, const Cta& cta, uint32_t offset, uint32_t bytes) {
  constexpr uint32_t kBytes = SharedMatrix::kUnit;
  const Address window = &cta == w.cta ? 0 : block_window(cta.rank);
  const uint8_t* unit = resolve_shared(w, window + offset, kBytes);
  if (unit == nullptr) {
    raise_address(w, op, lane, offset, kBytes, "shared", false);
    return nullptr;
  }
  if (!w.checks) return unit;
  ThreadChecker& checker = *w.cta->cluster->grid->checker;
  Touch t;
  t.lane = lane;
  t.at = kSharedWindow + window + offset;
  t.size_bytes = bytes;
  t.reads = true;
  t.agent = Agent::kMatrix;
  t.asynchronous_proxy = true;
  t.number = w.checks->number;
  t.clock = checker.open_count(w, Agent::kMatrix, lane);
  return checker.touch(w, op, t) ? unit : nullptr;
}

bool read_shared_tile(Warp& w, const Op& op, uint32_t lane, const Cta& cta, uint64_t descriptor, TilePacking packing,
                      bool transposed, const TileTarget& target) {
  if (!SharedMatrix::is_tcgen05(descriptor)) {
    raise(w, op, Fault::Kind::kInvalid, lane, descriptor,
          fmt::format(
              "matrix descriptor {:#x}: a swizzle that does not exist, or an absolute leading dimension, which is "
              "not emulated",
              descriptor));
    return false;
  }
  const auto matrix = SharedMatrix::of_tcgen05(descriptor);
  const uint32_t count = packing.elements;
  const uint32_t outer_step = transposed ? count : 1, inner_step = transposed ? 1 : count;
  const uint32_t pitch = transposed ? target.outer_pitch : target.inner_pitch;
  for (uint32_t outer = 0; outer < target.outers; outer += outer_step) {
    for (uint32_t inner = 0; inner < target.inners; inner += inner_step) {
      const uint32_t along = (transposed ? outer : inner) / count * SharedMatrix::kUnit;
      const uint32_t at = transposed ? matrix.along_outer(along, inner) : matrix.along_inner(outer, along);
      const uint8_t* unit = shared_unit(w, op, lane, cta, at, packing.bytes);
      if (unit == nullptr) return false;
      unpack_unit(unit, packing, target.to + outer * target.outer_pitch + inner * target.inner_pitch, pitch);
    }
  }
  return true;
}

}  // namespace warplens::simt::ptx_machine
