// One memory access under checks: bounds, alignment, initialisation; races are in race.cpp.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/checks/only_user.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/run/ptx/place.h"
#include "warplens/simt/checks/defects.h"

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

bool Checker::in_one_range(Warp& w, const Op& op, Address first, Address last, uint32_t size, bool writes) {
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

bool Checker::sound_together(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  const bool writes = info.kind != AccessInfo::Kind::kLoad, reads = info.kind != AccessInfo::Kind::kStore;
  const uint32_t size = info.size_bytes;
  if (info.space == ptx::Space::kLocal || (size & (size - 1)) != 0) return false;
  Address low = ~Address{0}, high = 0, bits = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    const Address at = addresses[__builtin_ctz(left)];
    low = std::min(low, at), high = std::max(high, at), bits |= at;
  }
  const bool shared = is_shared(info.space) || low >= kSharedWindow;
  if (bits & (size - 1) || (low ^ high) & ~(kSharedWindow - 1) || low >= 2 * kSharedWindow) return false;
  uint8_t* written = nullptr;  // of the byte at `low`
  if (shared) {
    const Address first = low & (kSharedWindow - 1);
    if (!fits(high & (kSharedWindow - 1), size, std::min<uint64_t>(w.shared_bytes, Address{1} << kClusterShift)))
      return false;
    written = w.cta->checks->written.data() + first;
  } else {
    if (!in_one_range(w, op, low, high, size, writes)) return false;
    if (checks(kCheckInit)) written = grid_.memory->shadow(low);
  }
  if (!checks(kCheckInit) || written == nullptr || info.space == ptx::Space::kConst) return true;
  for (uint32_t left = reads ? mask : 0; left; left &= left - 1) {
    const uint8_t* bytes = written + (addresses[__builtin_ctz(left)] - low);
    if (std::find(bytes, bytes + size, uint8_t{0}) != bytes + size) return false;
  }
  for (uint32_t left = writes ? mask : 0; left; left &= left - 1)
    std::fill_n(written + (addresses[__builtin_ctz(left)] - low), size, uint8_t{1});
  return true;
}

uint32_t Checker::access(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  if (!checks(kCheckRace) && sound_together(w, op, info, addresses, mask)) return mask;
  Touch t;
  t.space = info.space;
  t.size_bytes = info.size_bytes;
  t.alignment = (info.size_bytes & (info.size_bytes - 1)) == 0 ? info.size_bytes : 1;
  t.reads = info.kind != AccessInfo::Kind::kStore;
  t.writes = info.kind != AccessInfo::Kind::kLoad;
  t.strong = info.strong;
  t.wide = info.scope >= 1;
  t.unread = info.unread;
  t.element_bytes = std::max<uint8_t>(op.size, 1);
  const bool races = (grid_.config->checks & kCheckRace) && info.space != ptx::Space::kConst;
  const bool together = !t.writes && !t.strong;  // lanes that read the same
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
    Location place{nullptr, t.at};
    if (!locate(w, t, place)) {
      if (t.at >= kParamWindow || local_access(w, op, info, lane, t.at & (kSharedWindow - 1))) sound |= 1u << lane;
      continue;
    }
    const bool fits = in_bounds(w, op, t, place);
    if (fits && together) taken = t.alike = lanes_at(addresses, t.at, left);
    if (fits || !(grid_.config->checks & kCheckMemory)) sound |= taken;
    if (!fits) continue;
    if (races) {
      if (info.strong) synchronise(w, info, lane, place);
      t.same_value = info.kind == AccessInfo::Kind::kStore &&
                     stores_same(w, op, lane, addresses, mask & ((1u << lane) - 1), place);
    }
    if (info.space != ptx::Space::kConst) note(w, op, t, place);
  }
  return sound;
}

/// Where an access goes; false for local memory and parameters. A block of shared memory that is not there stays out of
/// bounds.
bool Checker::locate(const Warp& w, const Touch& t, Location& place) const {
  place = {nullptr, t.at};
  if (t.space == ptx::Space::kLocal) return false;
  const bool generic = t.space == ptx::Space::kGeneric;
  const Address window = t.at & ~(kSharedWindow - 1);
  if (generic && (window == kLocalWindow || window == kParamWindow)) return false;
  if (!is_shared(t.space) && (!generic || window != kSharedWindow)) return true;
  const Address offset = t.at & (kSharedWindow - 1), rank = offset >> kClusterShift;
  const auto& ctas = w.cta->cluster->ctas;
  place.cta = rank == 0 ? w.cta : rank <= ctas.size() ? ctas[rank - 1].get() : nullptr;
  place.at = offset & ((Address{1} << kClusterShift) - 1);
  if (!place.cta) place = {w.cta, offset};
  return true;
}

bool Checker::touch(Warp& w, const Op& op, const Touch& t) {
  Location place;
  if (!locate(w, t, place)) return true;
  if (!in_bounds(w, op, t, place)) return !(grid_.config->checks & kCheckMemory);
  note(w, op, t, place);
  return true;
}

void Checker::note(Warp& w, const Op& op, const Touch& t, const Location& place) {
  if ((grid_.config->checks & kCheckInit) && !check_written(w, op, t, place)) {
    Touch other = t;
    for (uint32_t left = t.alike & (t.alike - 1); left; left &= left - 1) {
      other.lane = static_cast<uint32_t>(__builtin_ctz(left));
      check_written(w, op, other, place);
    }
  }
  // There the warps of a tile meet by volatile accesses of CUDA's own code.
  const bool of_system = place.cta && grid_.program->reads_reserved_shared && place.at >= grid_.reserved_shared_begin();
  if (grid_.config->checks & kCheckRace && !of_system) check_race(w, op, t, place);
}

/// Whether the access may be made; one that may not is reported when memory is checked.
bool Checker::in_bounds(Warp& w, const Op& op, const Touch& t, const Location& place) {
  const auto size = static_cast<uint32_t>(t.size_bytes);
  const auto refuse = [&](Defect defect) {
    if (grid_.config->checks & kCheckMemory)
      report(defect.id, w, op, t.lane, std::move(defect.message), place.at, size);
    return false;
  };
  if (place.at % t.alignment) return refuse(misaligned(t.writes, size, place.cta != nullptr, place.at, t.alignment));
  if (place.cta) {
    if (fits(place.at, size, w.shared_bytes)) return true;
    return refuse(outside_shared(t.writes, size, describe(w, place), describe_shared(w)));
  }
  if (in_one_range(w, op, place.at, place.at, size, t.writes)) return true;
  return refuse(outside_memory(*grid_.memory, t.writes, size, place.at));
}

bool Checker::check_written(Warp& w, const Op& op, const Touch& t, const Location& place) {
  uint8_t* written = place.cta ? place.cta->checks->written.data() + place.at : grid_.memory->shadow(place.at);
  if (!written) return true;
  bool all = true;
  for (uint64_t i = 0; t.reads && all && i < t.size_bytes; ++i) {
    if (written[i] || t.unread >> (i / t.element_bytes) & 1) continue;
    const Location byte{place.cta, place.at + i};
    report("uninitialised-read", w, op, t.lane,
           fmt::format("read of {} bytes, of which byte {} was never written: {}", t.size_bytes, i, describe(w, byte)),
           place.at, static_cast<uint32_t>(t.size_bytes));
    all = false;
  }
  if (t.writes) std::fill_n(written, t.size_bytes, uint8_t{1});
  return all;
}

Checker::Checker(Grid& grid)
    : log(
          grid.config->max_reports, grid.warps_per_block,
          [program = grid.program](uint32_t row, uint32_t other) { return same_line(*program, row, other); },
          [&grid](uint64_t warp, uint32_t lane, uint32_t row) {
            return place_of(grid, warp / grid.warps_per_block, static_cast<uint32_t>(warp % grid.warps_per_block), lane,
                            row);
          }),
      grid_(grid),
      storing_(grid.program->places.size(), kNobody) {}

void Checker::start_block(Cta& cta) {
  cta.checks = std::make_shared<CtaChecks>();
  cta.checks->words.resize((grid_.config->checks & kCheckRace) ? grid_.shared_bytes / 4 + 1 : 0);
  cta.checks->written.assign(grid_.shared_bytes + 16, 0);
  if (grid_.program->reads_reserved_shared)  // the system has cleared its part
    std::fill(cta.checks->written.begin() + static_cast<ptrdiff_t>(grid_.reserved_shared_begin()),
              cta.checks->written.end(), uint8_t{1});
  for (const auto& w : cta.warps) {
    w->checks = std::make_shared<WarpChecks>();
    w->checks->number = static_cast<uint32_t>(cta.linear * grid_.warps_per_block + w->index);
    if (grid_.config->checks & kCheckInit)
      w->checks->local_written.assign(uint64_t{w->program->functions[0].local_bytes} / 4 * kLanes + kLanes, 0);
  }
}

size_t Checker::report(std::string_view id, Warp& w, const Op& op, uint32_t lane, std::string message, Address address,
                       uint32_t size_bytes, const AccessRecord* other) {
  return log.report(id, w.checks->number, lane, op.row, std::move(message), address, size_bytes, other);
}

}  // namespace warplens::simt::ptx_machine
