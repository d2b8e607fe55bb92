// One memory instruction under checks: bounds, alignment, initialisation; races are in race.cpp.
#include "warplens/base/text.h"
#include "warplens/emulator/checks/checker.h"
#include "warplens/emulator/place.h"
#include "warplens/emulator/resolve.h"

namespace warplens::emulator {
namespace {

bool names_shared(const AccessInfo& info) {
  return info.space == ptx::Space::kShared || info.space == ptx::Space::kSharedCta ||
         info.space == ptx::Space::kSharedCluster;
}

void gather(Warp& w, const Op& op, const AccessInfo& info, Address* out) {
  for (uint32_t i = 0; i < kLanes; ++i)
    out[i] = info.address_bits == 64
                 ? w.lanes<uint64_t>(op.a)[i] + static_cast<uint64_t>(op.value)
                 : static_cast<uint32_t>(w.lanes<uint32_t>(op.a)[i] + static_cast<uint32_t>(op.value));
}

void observe(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  AccessEvent event{};
  const kernel::InstructionPlace& place = w.program->places[op.row];
  event.instruction = &w.program->module->functions[place.function].instructions[place.instruction];
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
  event.space = names_shared(info)                 ? AccessEvent::Space::kShared
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

}  // namespace

uint32_t examine(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  const Grid& grid = *w.cta->cluster->grid;
  if (!mask || info.space == ptx::Space::kParam || info.space == ptx::Space::kConst) return mask;
  if (grid.config->observer) observe(w, op, info, addresses, mask);
  return grid.checker && info.space != ptx::Space::kLocal ? grid.checker->access(w, op, info, addresses, mask) : mask;
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
  const AccessInfo& info = w.program->accesses[op.aux];
  Address addresses[kLanes];
  gather(w, op, info, addresses);
  mask = examine(w, op, info, addresses, mask);
  if (!mask) return;
  w.mask = mask;
  op.body(w, op);
  w.mask = all;
}

uint32_t Checker::access(Warp& w, const Op& op, const AccessInfo& info, const Address* addresses, uint32_t mask) {
  const uint8_t checks = grid_.config->checks;
  uint32_t sound = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    Address at = addresses[lane];
    Place place = names_shared(info) ? Place::kShared : Place::kGlobal;
    if (place == Place::kGlobal && at >= kSharedWindow) {
      if ((at & ~(kSharedWindow - 1)) != kSharedWindow) {  // local memory, or nothing: the handler knows
        sound |= 1u << lane;
        continue;
      }
      place = Place::kShared;
      at -= kSharedWindow;
    }
    if ((checks & kCheckMemory) ? !in_bounds(w, op, info, lane, at, place) : false) continue;
    sound |= 1u << lane;
    if (place == Place::kShared && at >> kClusterShift) {  // of a block of the cluster: no races are looked for
      const Address rank = (at >> kClusterShift) - 1, offset = at & ((Address{1} << kClusterShift) - 1);
      if (info.kind != AccessInfo::Kind::kLoad && rank < w.cta->cluster->ctas.size() &&
          offset + info.size_bytes <= w.shared_bytes)
        std::fill_n(w.cta->cluster->ctas[rank]->checks->written.data() + offset, info.size_bytes, uint8_t{1});
      continue;
    }
    if (checks & kCheckInit) check_written(w, op, info, lane, at, place);
    if (checks & kCheckRace) check_race(w, op, info, lane, at, place, addresses, mask & ((1u << lane) - 1));
  }
  return sound;
}

bool Checker::in_bounds(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at, Place place) {
  const uint32_t size = info.size_bytes;
  const bool write = info.kind != AccessInfo::Kind::kLoad;
  const char* verb = write ? "write" : "read";
  const char* space = place == Place::kShared ? "shared" : "global";
  if (at % size && (size & (size - 1)) == 0) {
    report(
        "misaligned", w, op, lane,
        fmt::format("{} of {} bytes at {} address {:#x}, which is not a multiple of {}", verb, size, space, at, size),
        at, size);
    return false;
  }
  if (place == Place::kShared) {
    if (resolve_shared(w, at, size)) return true;
    report(
        "out-of-bounds", w, op, lane,
        fmt::format("{} of {} bytes at offset {} of shared memory: the block has {}", verb, size, at, w.shared_bytes),
        at, size);
    return false;
  }
  Range range;
  Memory& memory = *grid_.memory;
  const Range& cached = w.ranges[op.aux];
  if (at >= cached.begin && at + size <= cached.end && (!write || cached.writable) &&
      memory.version() == grid_.memory_version)
    return true;
  if (memory.range(at, range) && at + size <= range.end && (!write || range.writable)) {
    w.ranges[op.aux] = range;
    grid_.memory_version = memory.version();
    return true;
  }
  const Allocation* near = memory.nearest(at);
  const bool freed = near && near->freed && at >= near->begin && at < near->end;
  report(freed ? "use-after-free" : "out-of-bounds", w, op, lane,
         fmt::format("{} of {} bytes at {:#x}: {}", verb, size, at, describe_address(memory, at)), at, size);
  return false;
}

uint8_t* Checker::written_at(Warp& w, Address at, Place place) {
  if (place == Place::kShared) return w.cta->checks->written.data() + at;
  return grid_.memory->shadow(at);
}

void Checker::check_written(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at, Place place) {
  if (place == Place::kShared && at + info.size_bytes > w.shared_bytes) return;
  uint8_t* written = written_at(w, at, place);
  if (!written) return;
  if (info.kind != AccessInfo::Kind::kStore) {
    for (uint32_t i = 0; i < info.size_bytes; ++i) {
      if (written[i]) continue;
      const std::string where = place == Place::kShared ? fmt::format("offset {} of shared memory", at + i)
                                                        : describe_address(*grid_.memory, at + i);
      report("uninitialised-read", w, op, lane,
             fmt::format("read of {} bytes, of which byte {} was never written: {}", info.size_bytes, i, where), at,
             info.size_bytes);
      break;
    }
  }
  if (info.kind != AccessInfo::Kind::kLoad) std::fill_n(written, info.size_bytes, uint8_t{1});
}

void Checker::note_write(Warp& w, const uint8_t* bytes, uint64_t size_bytes) {
  if (!(grid_.config->checks & kCheckInit)) return;
  for (const auto& cta : w.cta->cluster->ctas) {
    if (bytes < cta->shared || bytes >= cta->shared + grid_.shared_bytes) continue;
    const auto offset = static_cast<size_t>(bytes - cta->shared);
    std::fill_n(cta->checks->written.data() + offset, std::min<uint64_t>(size_bytes, grid_.shared_bytes - offset),
                uint8_t{1});
    return;
  }
  if (uint8_t* written = grid_.memory->shadow(reinterpret_cast<Address>(bytes)))
    std::fill_n(written, size_bytes, uint8_t{1});
}

void Checker::start_block(Cta& cta) {
  if (!cta.checks) cta.checks = std::make_unique<CtaChecks>();
  cta.checks->words.assign((grid_.config->checks & kCheckRace) ? grid_.shared_bytes / 4 + 1 : 0, {});
  cta.checks->written.assign(grid_.shared_bytes + 16, 0);
  for (Clock& clock : cta.checks->barriers) clock = {};
  for (const auto& w : cta.warps) {
    w->checks = std::make_unique<WarpChecks>();
    w->checks->number = static_cast<uint32_t>(cta.linear * grid_.warps_per_block + w->index);
    w->checks->known.block.resize(grid_.warps_per_block);
  }
}

void Checker::report(std::string_view id, Warp& w, const Op& op, uint32_t lane, std::string message, Address address,
                     uint32_t size_bytes, const AccessRecord* other) {
  const auto [found, added] = seen_.try_emplace({id, op.row, other ? other->row : kNoRow, 0}, reports.size());
  if (!added) {
    if (found->second < reports.size()) ++reports[found->second].count;
    return;
  }
  if (reports.size() >= grid_.config->max_reports) return void(++dropped);
  Report r;
  r.id = id;
  r.message = std::move(message);
  r.place = place_of(grid_, w.cta->linear, w.index, lane, op.row);
  if (other)
    r.other = place_of(grid_, other->warp / grid_.warps_per_block, other->warp % grid_.warps_per_block, other->lane,
                       other->row);
  r.address = address;
  r.size_bytes = size_bytes;
  reports.push_back(std::move(r));
}

}  // namespace warplens::emulator
