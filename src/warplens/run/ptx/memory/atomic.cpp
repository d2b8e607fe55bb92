#include "warplens/run/ptx/memory/atomic.h"

#include <bit>
#include <cstring>

#include "warplens/run/ptx/convert.h"
#include "warplens/run/ptx/memory/access.h"
#include "warplens/run/ptx/memory/resolve.h"

namespace warplens::emulator {
namespace {

using ptx::Type;

uint64_t extreme_f32(AtomicOp operation, uint64_t a, uint64_t b) {
  const float x = std::bit_cast<float>(static_cast<uint32_t>(a)), y = std::bit_cast<float>(static_cast<uint32_t>(b));
  return x != x || (operation == AtomicOp::kMin ? y < x : y > x) ? b : a;
}

uint64_t half_result(AtomicOp operation, Type type, uint64_t a, uint64_t b) {
  const double x = decode_float(a & 0xffff, type), y = decode_float(b & 0xffff, type);
  if (operation == AtomicOp::kAdd) return x + y == x + y ? encode_float(x + y, type) : 0x7fff;
  if (x != x || y != y) return x != x ? (y != y ? 0x7fff : b & 0xffff) : a & 0xffff;
  return (operation == AtomicOp::kMin ? y < x : y > x) ? b & 0xffff : a & 0xffff;
}

template <typename T>
uint64_t integer_result(AtomicOp operation, uint64_t old, uint64_t operand) {
  const T a = static_cast<T>(old), b = static_cast<T>(operand);
  switch (operation) {
    case AtomicOp::kAdd: return static_cast<std::make_unsigned_t<T>>(old + operand);
    case AtomicOp::kMin: return static_cast<std::make_unsigned_t<T>>(a < b ? a : b);
    case AtomicOp::kMax: return static_cast<std::make_unsigned_t<T>>(a > b ? a : b);
    case AtomicOp::kInc: return a >= b ? 0 : static_cast<std::make_unsigned_t<T>>(a + 1);
    case AtomicOp::kDec: return static_cast<std::make_unsigned_t<T>>(a == 0 || a > b ? b : a - 1);
    case AtomicOp::kAnd: return old & operand;
    case AtomicOp::kOr: return old | operand;
    case AtomicOp::kXor: return old ^ operand;
    default: return operand;
  }
}

uint64_t real_result(AtomicOp operation, uint64_t old, uint64_t operand) {
  const double x = std::bit_cast<double>(old), y = std::bit_cast<double>(operand);
  switch (operation) {
    case AtomicOp::kAdd: return std::bit_cast<uint64_t>(x + y);
    case AtomicOp::kMin: return y < x || x != x ? operand : old;
    case AtomicOp::kMax: return y > x || x != x ? operand : old;
    default: return operand;
  }
}

template <typename U, typename F>
uint64_t exchange_loop(U* at, F next) {
  U old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, static_cast<U>(next(old)), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <typename U>
uint64_t apply(void* at, bool parallel, auto next) {
  U* place = static_cast<U*>(at);
  if (parallel) return exchange_loop(place, next);
  U old;
  std::memcpy(&old, at, sizeof old);
  const U value = static_cast<U>(next(old));
  std::memcpy(at, &value, sizeof value);
  return old;
}

/// Addresses that grow from lane to lane: the number of sectors, 0 when they do not.
uint32_t sectors_in_order(const Address* addresses, uint32_t mask) {
  const auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  Address last = addresses[first];
  uint32_t sectors = 1;
  for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
    const Address at = addresses[__builtin_ctz(left)];
    if (at <= last) return 0;
    sectors += at >> 5 != last >> 5;
    last = at;
  }
  return sectors;
}

uint64_t element(Warp& w, const Op& op, uint32_t slot_or_list, uint32_t k, uint32_t lane) {
  const uint32_t slot = op.vector == 1 ? slot_or_list : w.program->slots[slot_or_list + k];
  return op.size == 8 ? w.lanes<uint64_t>(slot)[lane] : w.lanes<uint32_t>(slot)[lane];
}

void store_old(Warp& w, const Op& op, uint32_t k, uint32_t lane, uint64_t old) {
  const uint32_t slot = op.vector == 1 ? op.d : w.program->slots[op.d + k];
  if (slot == kNoSlot) return;
  if (op.size == 8) w.lanes<uint64_t>(slot)[lane] = old;
  else w.lanes<uint32_t>(slot)[lane] = static_cast<uint32_t>(old);
}

}  // namespace

uint64_t atomic_result(AtomicOp operation, Type type, uint64_t old, uint64_t operand, uint64_t other, bool global) {
  if (operation == AtomicOp::kCompareSwap) return old == operand ? other : old;
  if (operation == AtomicOp::kExchange) return operand;
  switch (type) {
    case Type::kF32:
      return operation == AtomicOp::kAdd
                 ? added_f32(static_cast<uint32_t>(old), static_cast<uint32_t>(operand), global)
                 : extreme_f32(operation, old, operand);
    case Type::kF64: return real_result(operation, old, operand);
    case Type::kF16: case Type::kBf16: return half_result(operation, type, old, operand);
    case Type::kF16x2: case Type::kBf16x2: {
      const Type half = type == Type::kF16x2 ? Type::kF16 : Type::kBf16;
      return half_result(operation, half, old, operand) | half_result(operation, half, old >> 16, operand >> 16) << 16;
    }
    case Type::kS32: return integer_result<int32_t>(operation, old, operand);
    case Type::kS64: return integer_result<int64_t>(operation, old, operand);
    case Type::kU64: case Type::kB64: return integer_result<uint64_t>(operation, old, operand);
    default: return integer_result<uint32_t>(operation, old, operand);
  }
}

uint64_t atomic_apply(void* at, uint32_t bytes, AtomicOp operation, Type type, uint64_t operand, uint64_t other,
                      bool global, bool parallel) {
  const uint64_t used = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (bytes * 8)) - 1;
  operand &= used, other &= used;
  const auto next = [&](uint64_t old) { return atomic_result(operation, type, old, operand, other, global); };
  if (bytes == 2) return apply<uint16_t>(at, parallel, next);
  if (bytes == 4) return apply<uint32_t>(at, parallel, next);
  return apply<uint64_t>(at, parallel, next);
}

void count_multiplicity(kernel::InstructionCounts& row, const Address* addresses, uint32_t mask) {
  if (const uint32_t sectors = sectors_in_order(addresses, mask)) {
    row.atomic_distinct_addresses += static_cast<uint32_t>(__builtin_popcount(mask));
    row.atomic_max_multiplicity += 1;
    row.atomic_sector_serial += sectors;
    return;
  }
  uint32_t distinct = 0, most = 0, serial = 0;
  struct Sector {
    Address sector;
    uint32_t most;
  } sectors[kLanes];
  uint32_t sector_count = 0;
  for (uint32_t left = mask; left;) {
    const Address at = addresses[__builtin_ctz(left)];
    uint32_t same = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1)
      if (addresses[__builtin_ctz(rest)] == at) same |= rest & (0u - rest);
    left &= ~same;
    const auto lanes = static_cast<uint32_t>(__builtin_popcount(same));
    ++distinct;
    most = lanes > most ? lanes : most;
    uint32_t i = 0;
    while (i < sector_count && sectors[i].sector != at >> 5) ++i;
    if (i == sector_count) sectors[sector_count++] = {at >> 5, 0};
    if (lanes > sectors[i].most) serial += lanes - sectors[i].most, sectors[i].most = lanes;
  }
  row.atomic_distinct_addresses += distinct;
  row.atomic_max_multiplicity += most;
  row.atomic_sector_serial += serial;
}

void run_atomic(Warp& w, const Op& op) {
  const AccessInfo& info = w.program->accesses[op.aux];
  const uint32_t mask = w.mask, step = op.size * op.vector;
  const auto operation = static_cast<AtomicOp>(op.mode);
  const auto type = static_cast<Type>(op.flags & 0xff);
  const bool shared_space = is_shared(info.space);
  alignas(64) Address addresses[kLanes] = {};
  bool changed = false, any_shared = false;
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    Address at = info.address_bits == 64
                     ? w.lanes<uint64_t>(op.a)[lane] + static_cast<uint64_t>(op.value)
                     : static_cast<uint32_t>(w.lanes<uint32_t>(op.a)[lane] + static_cast<uint32_t>(op.value));
    addresses[lane] = at;
    if (at & (op.size - 1)) return raise_misaligned(w, op, lane, at, step);
    const bool in_shared = shared_space || (at >> 56) == (kSharedWindow >> 56);
    any_shared |= in_shared;
    uint8_t* place = shared_space ? resolve_shared(w, at, step) : resolve_generic(w, op, lane, at, step, true);
    if (!place)
      return shared_space ? raise_address(w, op, lane, at, step, "shared", true)
                          : raise_address(w, op, lane, at, step, "global", true);
    for (uint32_t k = 0; k < op.vector; ++k) {
      const uint64_t operand = element(w, op, op.b, k, lane);
      const uint64_t other = op.c == kNoSlot ? 0 : element(w, op, op.c, k, lane);
      uint8_t* target = place + k * op.size;
      if (op.e == 1 && !in_shared) {
        w.cta->cluster->reductions.push_back(
            {reinterpret_cast<Address>(target), operand, static_cast<uint8_t>(type), op.mode});
        continue;
      }
      const uint64_t old =
          atomic_apply(target, op.size, operation, type, operand, other, !in_shared, w.worker->parallel && !in_shared);
      changed |=
          operation != AtomicOp::kCompareSwap || old == (op.size == 4 ? static_cast<uint32_t>(operand) : operand);
      if (op.d != kNoSlot) store_old(w, op, k, lane, old);
    }
  }
  if (!changed && operation == AtomicOp::kCompareSwap) w.spin += 64;  // a lock that somebody else holds
  if (!w.rows) return;
  auto& row = w.rows[op.row];
  if (any_shared) {
    for (uint32_t i = 0; i < kLanes; ++i) addresses[i] &= (Address{1} << kClusterShift) - 1;
    count_shared(row, addresses, mask, step);
  } else {
    count_global(row, addresses, mask, step);
    count_multiplicity(row, addresses, mask);
  }
}

}  // namespace warplens::emulator
