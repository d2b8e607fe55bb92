#include "warplens/run/sass/memory/addresses.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/cluster.h"
#include "warplens/run/sass/counting/footprint.h"
#include "warplens/run/sass/known_words.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/sectors.h"
#include "warplens/run/sass/run_warp.h"
#include "warplens/simt/memory/fits.h"
#include "warplens/simt/numbering.h"

namespace warplens::simt::sass_machine {
// A descriptor (bit 76 clear on compute capability 9.0 stands for a base to add) says only how to cache. Before
// compute capability 8.0 there are none: a uniform register is a base. A load has it where a store has its data, and
// the others behind that.
void set_global_address(Decoder& d, Op& op) {
  const Word& w = op.word;
  op.a = d.source(w.bits(24, 8));
  op.offset = w.signed_bits(40, 24);
  const Category category = instruction(op.opcode).category;
  const bool plain = category == Category::kLoad || category == Category::kStore || category == Category::kAsyncCopy;
  const int architecture = d.program().architecture;
  const bool before_descriptors = architecture < 80 && w.bit(91);
  const bool based = before_descriptors || (plain && w.bit(91) && !w.bit(76) && architecture >= 90);
  const int uniform_at = category == Category::kLoad ? 32 : 64;
  op.c = based ? d.uniform(w.bits(uniform_at, 8)) : d.source(kRegisterZero);
  op.narrow = (based && !w.bit(90)) || !w.bit(72);
}

void set_shared_address(Decoder& d, Op& op, int uniform_at) {
  const Word& w = op.word;
  op.a = d.source(w.bits(24, 8));
  op.offset = w.signed_bits(40, 24);
  op.c = w.bit(91) ? d.uniform(w.bits(uniform_at, 8)) : d.source(kRegisterZero);
}

void set_scale(Op& op) {
  const uint32_t unit = op.word.bits(78, 2);
  op.scale = static_cast<uint8_t>(unit ? unit + 1 : 0);
}

uint8_t* Run::find(uint64_t address, uint32_t size, size_t* hint) const {
  auto holds = [&](const simt::Allocation& a) { return address >= a.begin && simt::fits(address, size, a.end); };
  if (*hint < allocations.size() && holds(allocations[*hint])) return reinterpret_cast<uint8_t*>(address);
  const auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                      [](uint64_t at, const simt::Allocation& a) { return at < a.begin; });
  if (after == allocations.begin() || !holds(*(after - 1))) return nullptr;
  *hint = static_cast<size_t>(after - 1 - allocations.begin());
  return reinterpret_cast<uint8_t*>(address);
}

bool stop_misaligned(Warp& w, uint64_t address, uint32_t size) {
  w.block->fail(Stop::Kind::kMisaligned, fmt::format("a misaligned access of {} bytes near {:#x}", size, address));
  return false;
}

namespace {

/// ", 4 bytes behind an allocation of 400 bytes"; nothing where none is near.
std::string beside(const simt::Memory& memory, uint64_t address) {
  constexpr uint64_t kNear = 1 << 20;
  const std::optional<simt::Allocation> a = memory.nearest(address);
  if (!a || address + kNear < a->begin || address > a->end + kNear) return "";
  const std::string of = fmt::format("an allocation of {} bytes", a->end - a->begin);
  if (a->freed && address >= a->begin && address < a->end) return ", in " + of + " that was freed";
  if (address < a->begin) return fmt::format(", {} bytes before {}", a->begin - address, of);
  if (address < a->end) return ", at the end of " + of;
  return address == a->end ? ", right behind " + of : fmt::format(", {} bytes behind {}", address - a->end, of);
}

constexpr uint32_t kMostOfLane = 16;  // bytes of one lane's access

uint8_t* find_in_padding(Warp& w, uint64_t address) {
  w.block->allocation = static_cast<size_t>(-1);  // no counters watch it
  Stop& first = w.block->let_pass;
  if (first.kind == Stop::Kind::kNone) {
    first = {.kind = Stop::Kind::kIllegalAddress,
             .reason = fmt::format("an access to {:#x}{}", address, beside(*w.block->run->launch->memory, address))};
    place_stop(w, first);
  }
  return reinterpret_cast<uint8_t*>(address);
}

}  // namespace

uint8_t* find_elsewhere(Warp& w, uint64_t address, uint32_t size) {
  const Run& run = *w.block->run;
  uint8_t* found = run.find(address, size, &w.block->allocation);
  if (found) return found;
  simt::Range range;  // what a kernel's malloc gave since the launch began
  if (!run.program->system_calls.empty() && run.launch->memory->range(address, range) &&
      simt::fits(address, size, range.end)) {
    w.block->allocation = static_cast<size_t>(-1);  // no counters watch it
    return reinterpret_cast<uint8_t*>(address);
  }
  if (run.launch->lets_padding && size <= kMostOfLane && run.launch->memory->in_padding(address, size))
    return find_in_padding(w, address);
  return nullptr;
}

uint8_t* locate(Warp& w, uint64_t address, uint32_t size) {
  uint8_t* bytes = find(w, address, size);
  if (!bytes) {
    w.block->fail(Stop::Kind::kIllegalAddress,
                  fmt::format("no memory at {:#x}{}", address, beside(*w.block->run->launch->memory, address)));
  }
  return bytes;
}

namespace {

void trace(Warp& w, const uint64_t* sectors, uint64_t count) {
  L1Trace* trace = w.block->trace;
  if (!trace || count == 0 || trace->words > L1Trace::kMostWords) return;
  auto& requests = trace->warps[w.index];
  const int64_t now = w.clock->now_within(w.block->run->schedules[w.pc].before), wait = now - trace->last[w.index];
  trace->last[w.index] = now;
  requests.push_back(wait > L1Trace::kWait ? count | L1Trace::kWaited : count);
  requests.insert(requests.end(), sectors, sectors + count);
  trace->words += count + 1;
}

MemoryAccess access_of(bool store) { return store ? MemoryAccess::kStore : MemoryAccess::kLoad; }

/// Its block's, by now.
Touches* touches_of(const Warp& w) {
  w.block->touches.now = w.clock->now_within(w.block->run->schedules[w.pc].before);
  return &w.block->touches;
}

}  // namespace

void note_request(Warp& w, const Addresses& at, uint32_t on, uint32_t size, bool store) {
  w.close_by = w.block->run->footprint->touch(w.block->allocation, touches_of(w), at.value, on, size, access_of(store));
  if (store || !w.block->trace) return;
  uint64_t sectors[kLanes];
  uint32_t count = 0;
  for (const uint32_t lane : set_bits(on)) {
    const uint64_t sector = at.value[lane] / 32;
    if (std::find(sectors, sectors + count, sector) == sectors + count) sectors[count++] = sector;
  }
  trace(w, sectors, count);
}

void note_sectors(Warp& w, const Sectors& s, bool store) {
  w.close_by = w.block->run->footprint->touch_sectors(w.block->allocation, touches_of(w), s.first, s.at, s.count,
                                                      access_of(store));
  if (store || !w.block->trace) return;
  uint64_t sectors[kLanes];
  for (uint32_t k = 0; k < s.count; ++k) sectors[k] = s.first + s.at[k];
  trace(w, sectors, s.count);
}

void note_atomic(Warp& w, const Addresses& at, uint32_t on, uint32_t size) {
  w.block->run->footprint->touch(w.block->allocation, touches_of(w), at.value, on, size, MemoryAccess::kAtomic);
}

void note_atomic(Warp& w, const Sectors& s) {
  w.block->run->footprint->touch_sectors(w.block->allocation, touches_of(w), s.first, s.at, s.count,
                                         MemoryAccess::kAtomic);
}

void note_copy(Warp& w, uint64_t begin, uint64_t bytes, bool store) {
  w.close_by = w.block->run->footprint->touch_run(w.block->allocation, touches_of(w), begin, bytes, access_of(store));
}

void note_run(Warp& w, uint64_t begin, uint64_t bytes, bool store) {
  note_copy(w, begin, bytes, store);
  if (store || !w.block->trace) return;
  uint64_t sectors[17];
  uint64_t count = 0;
  for (uint64_t sector = begin / 32; sector <= (begin + bytes - 1) / 32 && count < 17; ++sector)
    sectors[count++] = sector;
  trace(w, sectors, count);
}

void note_local(Warp& w, const uint64_t* sectors, uint32_t count) {
  if (!w.block->trace) return;
  const uint64_t block = number_in(w.block->run->launch->grid, w.block->index);
  const uint64_t base = (uint64_t{1} << 60) + (block % (uint64_t{1} << 30) << 26) + (uint64_t{w.index} << 20);
  uint64_t moved[4 * kLanes];
  for (uint32_t k = 0; k < count; ++k) moved[k] = base + sectors[k];
  trace(w, moved, count);
}

uint8_t* shared_bytes(Warp& w, uint64_t offset, uint32_t size) {
  if (simt::fits(offset, size, w.block->shared.size())) return w.block->shared.data() + offset;
  // An H200 calls an address that names a block outside the cluster an illegal instruction.
  w.block->fail(offset > kInBlock ? Stop::Kind::kInvalid : Stop::Kind::kIllegalAddress,
                fmt::format("shared memory at {:#x} of {} bytes", offset, w.block->shared.size()));
  return nullptr;
}

void constant_bytes(const Warp& w, uint32_t bank, uint32_t offset, uint8_t* to, uint32_t size) {
  const ConstantBanks& constants = *w.block->run->constants;
  const auto& banks = constants.banks;
  if (!is_known_word(constants, bank, offset))
    return w.block->fail(Stop::Kind::kUnsupported, "a kernel reads " + unknown_word(offset));
  const auto found = banks.find(bank);
  if (found == banks.end() || offset + uint64_t{size} > found->second.size()) return;
  std::memcpy(to, found->second.data() + offset, size);
}

}  // namespace warplens::simt::sass_machine
