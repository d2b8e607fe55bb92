// One memory access under checks: bounds, alignment, initialisation; races are in race.cpp.
#include <algorithm>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/checks/only_user.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/run/ptx/place.h"
#include "warplens/run/ptx/syscalls.h"

namespace warplens::simt::ptx_machine {
namespace {

void gather(Warp& w, const Op& op, const AccessInfo& info, Address* out) {
  for (uint32_t i = 0; i < kLanes; ++i)
    out[i] = info.address_bits == 64
                 ? w.lanes<uint64_t>(op.a)[i] + static_cast<uint64_t>(op.value)
                 : static_cast<uint32_t>(w.lanes<uint32_t>(op.a)[i] + static_cast<uint32_t>(op.value));
}

void observe(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  AccessEvent event{};
  event.index = op.row;
  event.block = static_cast<uint32_t>(w.cta->linear);
  event.warp = w.index;
  event.mask = mask;
  event.size_bytes = info.size_bytes;
  event.kind = info.kind == AccessInfo::Kind::kLoad    ? AccessEvent::Kind::kLoad
               : info.kind == AccessInfo::Kind::kStore ? AccessEvent::Kind::kStore
                                                       : AccessEvent::Kind::kAtomic;
  Address own[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) own[i] = addresses[i];
  event.space = is_shared(info.space)              ? AccessEvent::Space::kShared
                : info.space == ptx::Space::kLocal ? AccessEvent::Space::kLocal
                                                   : AccessEvent::Space::kGlobal;
  if (info.space == ptx::Space::kGeneric && own[__builtin_ctz(mask)] >= kSharedWindow) {
    const Address window = own[__builtin_ctz(mask)] & ~(kSharedWindow - 1);
    event.space = window == kSharedWindow ? AccessEvent::Space::kShared : AccessEvent::Space::kLocal;
    for (uint32_t i = 0; i < kLanes; ++i) own[i] -= window;
  }
  event.addresses = own;
  w.cta->cluster->grid->config->observer->access(event);
}

/// Lanes of `mask` at this address.
uint32_t lanes_at(const Address* addresses, Address at, uint32_t mask) {
  uint32_t out = 0;
  for (uint32_t i = 0; i < kLanes; ++i) out |= static_cast<uint32_t>(addresses[i] == at) << i;
  return out & mask;
}

}  // namespace

Result<Address> allocate_in_kernel(const Grid& grid, uint64_t size_bytes) {
  return simt::allocate_in_kernel(grid.memory, grid.checker, size_bytes);
}

uint32_t examine(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  const Grid& grid = *w.cta->cluster->grid;
  if (!mask || info.space == ptx::Space::kParam) return mask;
  if (grid.config->observer && info.space != ptx::Space::kConst) observe(w, op, info, addresses, mask);
  return grid.checker ? grid.checker->access(w, op, info, addresses, mask) : mask;
}

void run_checked(Warp& w, const Op& op) {
  const uint32_t all = w.mask;
  uint32_t mask = all;
  if (op.guard != kNoSlot) {
    mask &= w.predicate(op.guard) ^ (op.guard_flip ? kFull : 0);
    if (w.rows && op.row != kNoRow)
      w.rows[op.row].predicated_on_threads += static_cast<uint32_t>(__builtin_popcount(mask));
    if (!mask) return;
  }
  const AccessInfo& info = w.program->accesses[op.range];
  Address addresses[kLanes];
  gather(w, op, info, addresses);
  mask = examine(w, op, info, addresses, mask);
  if (!mask) return;
  w.mask = mask;
  op.body(w, op);
  w.mask = all;
}

bool ThreadChecker::in_one_range(Warp& w, const Op& op, Address first, Address last, uint32_t size, bool writes) {
  const Memory& memory = *grid_.memory;
  const auto holds = [&](const Range& r) {
    return first >= r.begin && fits(last, size, r.end) && (!writes || r.writable);
  };
  if (memory.version() == grid_.memory_version && holds(w.ranges[op.range])) return true;
  Range range;
  if (!memory.range(first, range) || !holds(range)) return false;
  w.ranges[op.range] = range;
  grid_.memory_version = memory.version();
  return true;
}

bool ThreadChecker::sound_together(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses,
                                   uint32_t mask) {
  const bool writes = info.kind != AccessInfo::Kind::kLoad, reads = info.kind != AccessInfo::Kind::kStore;
  const uint32_t size = info.size_bytes;
  if (info.space == ptx::Space::kLocal || (size & (size - 1)) != 0) return false;
  Address low = ~Address{0}, high = 0, bits = 0;
  for (const uint32_t lane : set_bits(mask)) {
    const Address at = addresses[lane];
    low = std::min(low, at), high = std::max(high, at), bits |= at;
  }
  const bool shared = is_shared(info.space) || low >= kSharedWindow;
  if (bits & (size - 1) || (low ^ high) & ~(kSharedWindow - 1) || low >= 2 * kSharedWindow) return false;
  uint8_t* written = nullptr;  // of the byte at `low`
  if (shared) {
    const Address first = low & (kSharedWindow - 1);
    if (!fits(high & (kSharedWindow - 1), size, std::min<uint64_t>(w.shared_bytes, kInBlock + 1))) return false;
    written = w.cta->checks->written.data() + first;
  } else {
    if (!in_one_range(w, op, low, high, size, writes)) return false;
    if (checks(kCheckInit)) written = grid_.memory->shadow(low);
  }
  if (!checks(kCheckInit) || written == nullptr || info.space == ptx::Space::kConst) return true;
  for (const uint32_t lane : set_bits(reads ? mask : 0)) {
    const uint8_t* bytes = written + (addresses[lane] - low);
    if (std::find(bytes, bytes + size, uint8_t{0}) != bytes + size) return false;
  }
  for (const uint32_t lane : set_bits(writes ? mask : 0))
    std::fill_n(written + (addresses[lane] - low), size, uint8_t{1});
  return true;
}

uint32_t ThreadChecker::access(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  if (!checks(kCheckRace) && sound_together(w, op, info, addresses, mask)) return mask;
  Touch t;
  t.row = op.row;
  t.space = info.space;
  t.size_bytes = info.size_bytes;
  t.alignment = (info.size_bytes & (info.size_bytes - 1)) == 0 ? info.size_bytes : 1;
  t.reads = info.kind != AccessInfo::Kind::kStore;
  t.writes = info.kind != AccessInfo::Kind::kLoad;
  t.strong = info.strong;
  t.wide = info.scope >= 1;
  t.unread = info.unread;
  t.element_bytes = std::max<uint8_t>(op.size, 1);
  const bool races = checks(kCheckRace) && info.space != ptx::Space::kConst;
  const bool together = !t.writes && !t.strong;  // lanes that read the same
  const Strong strong{t.reads, t.writes, info.acquires, info.releases, info.scope};
  uint32_t sound = 0;
  for (uint32_t left = mask, taken = 0; left; left &= ~taken) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    taken = 1u << lane;
    if (races && t.writes && op.row != kNoRow) {
      uint32_t& who = storing_[op.row];
      who = who == kNobody || who == w.index * kLanes + lane ? w.index * kLanes + lane : kSeveral;
    }
    t.lane = lane;
    t.at = addresses[lane];
    if (!locate(w, &t)) {
      if (t.at >= kParamWindow || local_access(w, op, info, lane, t.at & (kSharedWindow - 1))) sound |= 1u << lane;
      continue;
    }
    const bool fits = in_bounds(w, op, t);
    if (fits && together) taken = t.alike = lanes_at(addresses, t.at, left);
    if (fits || !checks(kCheckMemory)) sound |= taken;
    if (!fits) continue;
    if (races) {
      if (info.strong) synchronise(w.checks.get(), t, strong);
      t.same_value =
          info.kind == AccessInfo::Kind::kStore && stores_same(w, op, addresses, mask & ((1u << lane) - 1), t);
    }
    if (info.space != ptx::Space::kConst) note(w, t);
  }
  return sound;
}

/// Where an access goes; false for local memory and parameters. A block of shared memory that is not there stays out of
/// bounds.
bool ThreadChecker::locate(const Warp& w, Touch* t) const {
  t->place = {nullptr, t->at};
  if (t->space == ptx::Space::kLocal) return false;
  const bool generic = t->space == ptx::Space::kGeneric;
  const Address window = t->at & ~(kSharedWindow - 1);
  if (generic && (window == kLocalWindow || window == kParamWindow)) return false;
  if (!is_shared(t->space) && (!generic || window != kSharedWindow)) return true;
  const Address offset = t->at & (kSharedWindow - 1);
  const uint64_t rank = rank_of(offset, w.cta->rank);
  const auto& ctas = w.cta->cluster->ctas;
  if (rank < ctas.size()) t->place = {ctas[rank]->checks.get(), offset & kInBlock};
  else t->place = {w.cta->checks.get(), offset};
  return true;
}

bool ThreadChecker::touch(Warp& w, const Op& op, Touch t) {
  t.row = op.row;
  if (!locate(w, &t)) return true;
  if (!in_bounds(w, op, t)) return !checks(kCheckMemory);
  note(w, t);
  return true;
}

bool ThreadChecker::in_bounds(Warp& w, const Op& op, const Touch& t) {
  const auto held = [&] {
    return in_one_range(w, op, t.place.at, t.place.at, static_cast<uint32_t>(t.size_bytes), t.writes);
  };
  return simt::Checker::in_bounds(*w.checks, t, held, [&] { return describe_shared(w); });
}

void ThreadChecker::note(Warp& w, const Touch& t) {
  if (checks(kCheckInit)) {
    uint8_t* written = t.place.block ? t.place.block->written.data() + t.place.at : grid_.memory->shadow(t.place.at);
    if (!check_written(*w.checks, t, written)) {
      Touch other = t;
      for (const uint32_t lane : set_bits(t.alike & (t.alike - 1))) {
        other.lane = lane;
        check_written(*w.checks, other, written);
      }
    }
  }
  // There the warps of a tile meet by volatile accesses of CUDA's own code.
  const bool of_system =
      t.place.block && grid_.program->reads_reserved_shared && t.place.at >= grid_.reserved_shared_begin();
  if (checks(kCheckRace) && !of_system) check_race(*w.checks, t);
}

ThreadChecker::ThreadChecker(Grid& grid)
    : simt::Checker(Precision::kThread, grid.config->checks, *grid.memory,
                    {grid.config->max_reports, grid.warps_per_block,
                     [program = grid.program](uint32_t row, uint32_t other) { return same_line(*program, row, other); },
                     [&grid](uint64_t warp, uint32_t lane, uint32_t row) {
                       return place_of(grid, warp / grid.warps_per_block,
                                       static_cast<uint32_t>(warp % grid.warps_per_block), lane, row);
                     }}),
      grid_(grid),
      storing_(grid.program->places.size(), kNobody) {}

void ThreadChecker::start_block(Cta& cta) {
  cta.checks = std::make_shared<CtaChecks>();
  CtaChecks& block = *cta.checks;
  block.numbers = {cta.linear, cta.cluster->linear};
  block.index = cta.index;
  block.threads = cta.threads;
  block.shared = cta.shared;
  block.shared_bytes = grid_.shared_bytes;
  start(&block, false);
  if (grid_.program->reads_reserved_shared)  // the system has cleared its part
    std::fill(block.written.begin() + static_cast<ptrdiff_t>(grid_.reserved_shared_begin()), block.written.end(),
              uint8_t{1});
  for (const auto& w : cta.warps) {
    w->checks = std::make_shared<WarpChecks>();
    w->checks->block = &block;
    w->checks->number = static_cast<uint32_t>(cta.linear * grid_.warps_per_block + w->index);
    if (checks(kCheckInit))
      w->checks->local_written.assign(uint64_t{w->program->functions[0].local_bytes} / 4 * kLanes + kLanes, 0);
  }
}

}  // namespace warplens::simt::ptx_machine
