#include "warplens/run/ptx/special_registers.h"

#include "warplens/simt/reserved_shared.h"

namespace warplens::simt::ptx_machine {
namespace {

using ptx::SpecialRegister;

/// What a nanosecond is to %clock: an H100's boost clock, in MHz.
constexpr uint64_t kClockMhz = 1980;

uint64_t clock_of(const Warp& w) { return w.steps * 4; }

/// Registers that are the same for the whole warp. Op: special, component, value = N of %envregN.
uint64_t uniform_value(const Warp& w, SpecialRegister which, uint32_t k, int64_t number) {
  const Cta& cta = *w.cta;
  const Cluster& cluster = *cta.cluster;
  const Grid& grid = *cluster.grid;
  const Launch& config = *grid.config;
  const auto component = [k](const Dim3& d) -> uint64_t { return k < 3 ? d[k] : 0; };
  const uint64_t ranks = uint64_t{grid.cluster[0]} * grid.cluster[1] * grid.cluster[2];
  switch (which) {
    case SpecialRegister::kNtid: return component(config.block);
    case SpecialRegister::kCtaid: return component(cta.index);
    case SpecialRegister::kNctaid: return component(config.grid);
    case SpecialRegister::kWarpid: return w.index;
    case SpecialRegister::kNwarpid: return static_cast<uint64_t>(grid.device->architecture().warps_per_sm);
    case SpecialRegister::kSmid: return cta.linear % static_cast<uint64_t>(grid.device->sms);
    case SpecialRegister::kNsmid: return static_cast<uint64_t>(grid.device->sms);
    case SpecialRegister::kGridid: return 1;
    case SpecialRegister::kIsExplicitCluster: return ranks > 1;
    case SpecialRegister::kClusterid: return component(cluster.index);
    case SpecialRegister::kNclusterid: return k < 3 ? config.grid[k] / grid.cluster[k] : 0;
    case SpecialRegister::kClusterCtaid: return k < 3 ? cta.index[k] % grid.cluster[k] : 0;
    case SpecialRegister::kClusterNctaid: return component(grid.cluster);
    case SpecialRegister::kClusterCtarank: return cta.rank;
    case SpecialRegister::kClusterNctarank: return ranks;
    case SpecialRegister::kClock: return static_cast<uint32_t>(clock_of(w));
    case SpecialRegister::kClockHi: return clock_of(w) >> 32;
    case SpecialRegister::kClock64: return clock_of(w);
    case SpecialRegister::kGlobaltimer: return clock_of(w) * 1000 / kClockMhz;
    case SpecialRegister::kGlobaltimerLo: return static_cast<uint32_t>(clock_of(w) * 1000 / kClockMhz);
    case SpecialRegister::kGlobaltimerHi: return (clock_of(w) * 1000 / kClockMhz) >> 32;
    case SpecialRegister::kTotalSmemSize: return grid.reserved_shared_begin();
    case SpecialRegister::kAggrSmemSize:
      return grid.own_shared_bytes + static_cast<uint64_t>(grid.device->architecture().shared_reserved_bytes);
    case SpecialRegister::kReservedSmemCap:
      return grid.reserved_shared_begin() + static_cast<uint64_t>(grid.device->architecture().shared_reserved_bytes);
    case SpecialRegister::kReservedSmemBegin:
    case SpecialRegister::kReservedSmem0:
    case SpecialRegister::kReservedSmem1: return grid.reserved_shared_begin();
    case SpecialRegister::kReservedSmemEnd: return grid.reserved_shared_begin() + kReservedSharedUsed;
    case SpecialRegister::kDynamicSmemSize: return config.dynamic_shared_bytes;
    case SpecialRegister::kEnvreg:  // 1 and 2 hold the workspace of cooperative grids
      return number == 1 ? grid.workspace >> 32 : number == 2 ? static_cast<uint32_t>(grid.workspace) : 0;
    default: return 0;
  }
}

/// d[i] = value(i) for the lanes of the mask.
template <typename T, typename F>
void fill(Warp& w, const Op& op, F value) {
  T* d = w.lanes<T>(op.d);
  if (w.mask == kFull) {
    for (uint32_t i = 0; i < kLanes; ++i) d[i] = value(i);
  } else {
    for (uint32_t i = 0; i < kLanes; ++i) d[i] = (w.mask >> i) & 1 ? value(i) : d[i];
  }
}

void read_uniform(Warp& w, const Op& op) {
  const uint64_t value = uniform_value(w, op.special, op.component, op.value);
  if (op.size == 1) {
    w.predicate(op.d) = value ? kFull : 0;
  } else if (op.size == 4) {
    fill<uint32_t>(w, op, [low = static_cast<uint32_t>(value)](uint32_t) { return low; });
  } else {
    fill<uint64_t>(w, op, [value](uint32_t) { return value; });
  }
}

/// %ctaid, which every kernel reads.
void read_block(Warp& w, const Op& op) {
  fill<uint32_t>(w, op, [value = w.cta->index[op.component]](uint32_t) { return value; });
}

void read_tid(Warp& w, const Op& op) {
  fill<uint32_t>(w, op, [tid = w.tid.data() + op.component * kLanes](uint32_t i) { return tid[i]; });
}

void read_lane(Warp& w, const Op& op) {
  uint32_t* d = w.lanes<uint32_t>(op.d);
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t equal = 1u << i, less = equal - 1;
    uint32_t value = i;
    switch (op.special) {
      case SpecialRegister::kLanemaskEq: value = equal; break;
      case SpecialRegister::kLanemaskLe: value = less | equal; break;
      case SpecialRegister::kLanemaskLt: value = less; break;
      case SpecialRegister::kLanemaskGe: value = ~less; break;
      case SpecialRegister::kLanemaskGt: value = ~(less | equal); break;
      default: break;
    }
    if ((w.mask >> i) & 1) d[i] = value;
  }
}

}  // namespace

int special_register_bits(const ptx::Operand& operand) {
  switch (static_cast<SpecialRegister>(operand.id)) {
    case SpecialRegister::kIsExplicitCluster: return 1;
    case SpecialRegister::kGridid:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobaltimer:
    case SpecialRegister::kCurrentGraphExec:
    case SpecialRegister::kPm64: return 64;
    default: return 32;
  }
}

Op special_register_op(const ptx::Operand& operand) {
  Op op;
  op.special = static_cast<SpecialRegister>(operand.id);
  op.value = static_cast<int64_t>(operand.value);
  op.component = operand.component == ptx::kNoComponent ? 0 : operand.component;
  const int bits = special_register_bits(operand);
  op.size = bits == 1 ? 1 : bits == 32 ? 4 : 8;
  switch (static_cast<SpecialRegister>(operand.id)) {
    case SpecialRegister::kTid: op.run = op.component < 3 ? &read_tid : &read_uniform; break;
    case SpecialRegister::kCtaid: op.run = op.component < 3 ? &read_block : &read_uniform; break;
    case SpecialRegister::kLaneid:
    case SpecialRegister::kLanemaskEq:
    case SpecialRegister::kLanemaskLe:
    case SpecialRegister::kLanemaskLt:
    case SpecialRegister::kLanemaskGe:
    case SpecialRegister::kLanemaskGt: op.run = &read_lane; break;
    default: op.run = &read_uniform; break;
  }
  return op;
}

void read_constant_predicate(Warp& w, const Op& op) { w.predicate(op.d) = static_cast<uint32_t>(op.value); }

void read_local_base(Warp& w, const Op& op) {
  uint64_t* d = w.lanes<uint64_t>(op.d);
  for (uint32_t i = 0; i < kLanes; ++i) d[i] = (w.mask >> i) & 1 ? w.node->local_base : d[i];
}

}  // namespace warplens::simt::ptx_machine
