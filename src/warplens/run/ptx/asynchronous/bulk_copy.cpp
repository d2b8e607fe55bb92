#include "warplens/run/ptx/asynchronous/bulk_copy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/asynchronous/mbarrier.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/simt/asynchronous/tensor_box.h"
#include "warplens/simt/asynchronous/tensor_map.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::Type;

/// The bytes of a generic address, or a fault.
uint8_t* bytes_at(Warp& w, const Op& op, uint32_t lane, Address address, uint64_t size, bool write) {
  uint8_t* bytes = resolve_generic(w, op, lane, address, static_cast<uint32_t>(size), write);
  if (bytes == nullptr) {
    raise_address(w, op, lane, address, static_cast<uint32_t>(size), address < kSharedWindow ? "global" : "shared",
                  write);
  }
  return bytes;
}

void transfer(uint8_t* to, const uint8_t* from, size_t size, const Op& op) {
  combine_bytes(to, from, size, op.atomic, op.type);
}

/// Blocks that a copy goes to: offsets of their shared memory from this block's view, as generic addresses.
struct Receivers {
  std::array<Address, 17> windows;  // added to an offset in shared memory
  size_t count = 0;
};

Receivers receivers(Warp& w, const Op& op, uint32_t lane) {
  Receivers out;
  if (op.e == kNoSlot) {
    out.windows[out.count++] = 0;
    return out;
  }
  const uint32_t mask = w.lanes<uint32_t>(op.e)[lane] & 0xffff;
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if ((mask >> rank & 1) != 0) out.windows[out.count++] = block_window(rank);
  }
  return out;
}

/// `address` as block `window` sees it: its own offset for a multicast, unchanged otherwise.
Address in_window(Address address, Address window) {
  return window == 0 ? address : kSharedWindow + (address & kInBlock) + window;
}

bool signal(Warp& w, const Op& op, uint32_t lane, Address window, uint64_t bytes) {
  if (op.d == kNoSlot) return true;
  const Address address = in_window(w.lanes<uint64_t>(op.d)[lane], window);
  uint8_t* object = bytes_at(w, op, lane, address, 8, true);
  if (object == nullptr) return false;
  auto& state = *reinterpret_cast<MbarrierState*>(object);
  ++w.cta->cluster->changes;
  if (w.checks && !w.cta->cluster->grid->checker->mbarrier_usable(w, op, lane, object)) return true;
  const uint64_t phase = state.phase;
  complete_bytes(state, static_cast<int64_t>(bytes));
  if (w.checks && state.phase != phase) w.cta->cluster->grid->checker->mbarrier_complete(w, object);
  return true;
}

/// One side of a copy as the checks see it: done when its mbarrier completes the phase, or with its bulk group.
bool check_side(Warp& w, const Op& op, uint32_t lane, Address at, uint64_t size, bool write, Address window) {
  if (!w.checks || size == 0) return true;
  ThreadChecker& checker = *w.cta->cluster->grid->checker;
  Touch t;
  t.lane = lane;
  t.at = at;
  t.size_bytes = size;
  t.writes = write;
  t.reads = !write || op.atomic != AtomicOp::kExchange;
  t.strong = t.wide = write && op.atomic != AtomicOp::kExchange;
  t.asynchronous_proxy = !write;
  if (op.d != kNoSlot) {
    const Address object = in_window(w.lanes<uint64_t>(op.d)[lane], window) & (kSharedWindow - 1);
    const uint8_t* state = resolve_shared(w, object, 8);
    checker.by_mbarrier(w, state, t);
    if (write) checker.note_load(w, op, lane, state);
  } else {
    t.agent = write ? Agent::kBulkWrite : Agent::kBulkRead;
    t.number = w.checks->number;
    t.clock = checker.open_count(w, t.agent, lane);
    if (!write && at >= kSharedWindow) checker.note_bulk_read(w, op, lane, t.clock, at & (kSharedWindow - 1));
  }
  return checker.touch(w, op, t);
}

/// Bytes that a tensor map is kept in, written by the thread itself.
void check_map_write(Warp& w, const Op& op, uint32_t lane, Address at) {
  if (!w.checks) return;
  Touch t;
  t.lane = lane;
  t.at = at;
  t.size_bytes = kTensorMapBytes;
  t.writes = true;
  (void)w.cta->cluster->grid->checker->touch(w, op, t);
}

class TensorCopy {
 public:
  TensorCopy(Warp& w, const Op& op, uint32_t lane, const TensorMap& map) : w_(w), op_(op), lane_(lane), map_(map) {
    for (size_t i = 0; i <= map.rank; ++i) {
      start_[i] = static_cast<int32_t>(w.lanes<uint32_t>(w.program->slots[op.c + static_cast<uint32_t>(i)])[lane]);
    }
  }

  Status check_start() const { return simt::check_start(map_, start_); }

  /// Moves the box between global memory and shared memory at generic address `shared`.
  bool run(Address shared, bool load, Address window = 0) {
    window_ = window;
    return each_piece(map_, start_, shared % kBoxUnitBytes == 0, [&](const BoxPiece& piece) {
      return move_elements(shared + piece.offset, piece.global, piece.bytes, piece.inside, load);
    });
  }

 private:
  bool move_elements(Address shared, Address global, uint32_t size, bool there, bool load) {
    if (!there && !load) return true;
    if (w_.checks && !check_sides(shared, global, size, there, load)) return true;
    uint8_t* in_shared = shared_bytes(shared, size, load);
    if (in_shared == nullptr) return false;
    if (!there) {
      fill_outside(map_, in_shared, size);
      return true;
    }
    uint8_t* in_global = bytes_at(w_, op_, lane_, global, size, !load);
    if (in_global == nullptr) return false;
    if (load) load_piece(map_, in_shared, in_global, size);
    else combine_bytes(in_global, in_shared, size, op_.atomic, reduction_type(map_));
    return true;
  }

  bool check_sides(Address shared, Address global, uint32_t size, bool there, bool load) {
    const bool in_global = !there || check_side(w_, op_, lane_, global, size, !load, window_);
    return check_side(w_, op_, lane_, shared_place(shared), size, load, window_) && in_global;
  }

  Address shared_place(Address address) const {
    const Address offset = address - kSharedWindow;
    return kSharedWindow + (offset & ~kInBlock) + swizzled(static_cast<uint32_t>(offset & kInBlock), map_.swizzle);
  }
  uint8_t* shared_bytes(Address address, uint32_t size, bool write) {
    return bytes_at(w_, op_, lane_, shared_place(address), size, write);
  }

  Warp& w_;
  const Op& op_;
  uint32_t lane_;
  const TensorMap& map_;
  Address window_ = 0;  // of the block whose mbarrier learns of the copy
  std::array<int64_t, 5> start_{};
};

}  // namespace

void run_bulk_copy(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    const uint32_t size = w.lanes<uint32_t>(op.c)[lane];
    const Address from = w.lanes<uint64_t>(op.a)[lane], to = w.lanes<uint64_t>(op.b)[lane];
    if (size % 16 != 0 || from % 16 != 0 || to % 16 != 0)
      return raise_misaligned(w, op, lane, from % 16 != 0 ? from : to, 16);
    const Receivers all = receivers(w, op, lane);
    const bool readable = check_side(w, op, lane, from, size, false, all.windows[0]);
    const uint8_t* source = readable ? bytes_at(w, op, lane, from, size, false) : nullptr;
    if (readable && source == nullptr) return;
    for (size_t i = 0; i < all.count; ++i) {
      const Address place = in_window(to, all.windows[i]);
      if (check_side(w, op, lane, place, size, true, all.windows[i]) && readable) {
        uint8_t* target = bytes_at(w, op, lane, place, size, true);
        if (target == nullptr) return;
        transfer(target, source, size, op);
      }
      if (!signal(w, op, lane, all.windows[i], size)) return;
    }
  }
}

void run_tensor_copy(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    const Address at = w.lanes<uint64_t>(op.a)[lane], shared = w.lanes<uint64_t>(op.b)[lane];
    if (at % kMapAlignment != 0) return raise_misaligned(w, op, lane, at, kMapAlignment);
    if (shared % kBoxAlignment != 0) return raise_misaligned(w, op, lane, shared, kBoxAlignment);
    const uint8_t* bytes = bytes_at(w, op, lane, at, kTensorMapBytes, false);
    if (bytes == nullptr) return;
    const TensorMap map = read_map(bytes);
    const Status fits = check(map);
    if (!fits.ok()) return raise(w, op, Fault::Kind::kInvalid, lane, at, fits.message());
    if (map.rank + 1 != op.vector) {
      return raise(w, op, Fault::Kind::kInvalid, lane, at, "a tensor map of another rank than the instruction's");
    }
    const bool load = op.d != kNoSlot;
    TensorCopy copy(w, op, lane, map);
    if (const Status begins = copy.check_start(); !begins.ok())
      return raise(w, op, Fault::Kind::kInvalid, lane, at, begins.message());
    if (!load) {
      if (!copy.run(shared, false)) return;
      continue;
    }
    const Receivers all = receivers(w, op, lane);
    for (size_t i = 0; i < all.count; ++i) {
      if (!copy.run(in_window(shared, all.windows[i]), true, all.windows[i])) return;
      if (!signal(w, op, lane, all.windows[i], box_bytes(map))) return;
    }
  }
}

void run_store_async(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    std::array<uint8_t, 64> values;
    const uint32_t bytes = uint32_t{op.size} * op.vector;
    for (uint32_t i = 0; i < op.vector; ++i) {
      const uint32_t slot = w.program->slots[op.c + i];
      const uint64_t value = op.size == 8 ? w.lanes<uint64_t>(slot)[lane] : w.lanes<uint32_t>(slot)[lane];
      std::memcpy(values.data() + i * op.size, &value, op.size);
    }
    const Address to = w.lanes<uint64_t>(op.b)[lane];
    if (to % bytes != 0) return raise_misaligned(w, op, lane, to, bytes);
    if (check_side(w, op, lane, to, bytes, true, 0)) {
      uint8_t* target = bytes_at(w, op, lane, to, bytes, true);
      if (target == nullptr) return;
      transfer(target, values.data(), bytes, op);
    }
    if (!signal(w, op, lane, 0, bytes)) return;
  }
}

void run_tensormap_replace(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask)) {
    uint8_t* bytes = bytes_at(w, op, lane, w.lanes<uint64_t>(op.a)[lane], kTensorMapBytes, true);
    if (bytes == nullptr) return;
    check_map_write(w, op, lane, w.lanes<uint64_t>(op.a)[lane]);
    TensorMap map = read_map(bytes);
    const uint64_t value = w.lanes<uint64_t>(op.b)[lane];
    const auto dimension = static_cast<size_t>(op.value);
    switch (op.field) {
      case TensorField::kAddress: map.address = value; break;
      case TensorField::kRank: map.rank = static_cast<uint8_t>(value); break;
      case TensorField::kBox: map.box[dimension] = static_cast<uint32_t>(value); break;
      case TensorField::kDimension: map.dimensions[dimension] = static_cast<uint32_t>(value); break;
      case TensorField::kStride: map.strides[dimension] = value; break;
      case TensorField::kElementStride: map.element_strides[dimension] = static_cast<uint8_t>(value); break;
      case TensorField::kElementType: map.element_type = static_cast<uint8_t>(value); break;
      case TensorField::kInterleave: map.interleave = static_cast<uint8_t>(value); break;
      case TensorField::kSwizzle: map.swizzle = static_cast<uint8_t>(value); break;
      case TensorField::kFill: map.fill_nan = static_cast<uint8_t>(value); break;
      case TensorField::kAtomicity: map.atomicity = static_cast<uint8_t>(value); break;
    }
    if (!write_map(map, bytes)) {
      return raise(w, op, Fault::Kind::kInvalid, lane, w.lanes<uint64_t>(op.a)[lane],
                   fmt::format("a tensor map cannot hold {} in this field", value));
    }
  }
}

void run_tensormap_copy(Warp& w, const Op& op) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(w.mask));
  const uint8_t* from = bytes_at(w, op, lane, w.lanes<uint64_t>(op.a)[lane], kTensorMapBytes, false);
  if (from == nullptr) return;
  uint8_t* to = bytes_at(w, op, lane, w.lanes<uint64_t>(op.b)[lane], kTensorMapBytes, true);
  if (to == nullptr) return;
  check_map_write(w, op, lane, w.lanes<uint64_t>(op.b)[lane]);
  std::memcpy(to, from, kTensorMapBytes);
}

}  // namespace warplens::simt::ptx_machine
