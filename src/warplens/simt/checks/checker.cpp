#include "warplens/simt/checks/checker.h"

#include <algorithm>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/simt/checks/remedies.h"
#include "warplens/simt/checks/words.h"

namespace warplens::simt {
namespace {

const char* worker(Agent agent) {
  switch (agent) {
    case Agent::kCopy: return "cp.async's ";
    case Agent::kBulkRead:
    case Agent::kBulkWrite:
    case Agent::kMbarrier: return "asynchronous copy's ";
    case Agent::kMatrix: return "wgmma's ";
    default: return "";
  }
}

/// What would have ordered an access after one by `before`. `at_once`: both are stores of one instruction.
std::string remedy(const AccessRecord& before, uint32_t warp, bool same_block, bool fence_missing, bool at_once) {
  if (fence_missing)
    return "add fence.proxy.async between the two, because the second access bypasses ordinary memory order";
  switch (before.agent) {
    case Agent::kCopy: return "wait for the copy with cp.async.wait_group; other threads also need a barrier";
    case Agent::kBulkRead: return "wait until the copy has read: cp.async.bulk.wait_group.read";
    case Agent::kBulkWrite: return "wait for the copy with cp.async.bulk.wait_group";
    case Agent::kMbarrier: return "wait until the mbarrier of the copy has completed its phase";
    case Agent::kMatrix: return "wait until wgmma has read: wgmma.wait_group";
    default: break;
  }
  if (before.warp == warp && at_once)
    return "one instruction stores different values for several threads, and the value that stays is undefined: let "
           "one thread store, or use an atomic";
  if (before.warp == warp) return std::string(kOrdersWarp);
  return std::string(what_orders(same_block));
}

std::string where(const Place& place) {
  if (place.line) return fmt::format("{}:{}", place.file, place.line);
  if (place.is_machine_code) return fmt::format("machine code {:#x}", uint64_t{place.index} * 16);
  return fmt::format("PTX line {}", place.ptx_line);
}

}  // namespace

void Checker::start(CheckedBlock* block, bool written) const {
  constexpr uint64_t kBehind = 16;  // a wide access may end behind the last byte
  block->words.resize(checks(kCheckRace) ? block->shared_bytes / 4 + 1 : 0);
  block->written.assign(block->shared_bytes + kBehind, written ? 1 : 0);
}

bool Checker::refuse(const CheckedWarp& w, const Touch& t, Defect defect) {
  if (checks(kCheckMemory)) report(defect.id, w, t.row, t.lane, std::move(defect.message), t.place.at, t.size_bytes);
  return false;
}

bool Checker::check_written(const CheckedWarp& w, const Touch& t, uint8_t* written) {
  if (!written) return true;
  const auto tell = [&](const std::string& what, uint64_t byte) {
    report("uninitialised-read", w, t.row, t.lane,
           fmt::format("read of {} bytes{}: {}", t.size_bytes, what, describe(w, {t.place.block, t.place.at + byte})),
           t.place.at, t.size_bytes);
    return false;
  };
  bool all = true;
  if (t.reads && t.may_be_partly_written) {
    if (std::all_of(written, written + t.size_bytes, [](uint8_t byte) { return byte == 0; }))
      all = tell(" that were never written", 0);
  } else if (t.reads) {
    const auto is_missing = [&](uint64_t i) { return !written[i] && !(t.unread >> (i / t.element_bytes) & 1); };
    uint64_t i = 0;
    while (i < t.size_bytes && !is_missing(i)) ++i;
    if (i < t.size_bytes) all = tell(fmt::format(", of which byte {} was never written", i), i);
  }
  if (t.writes) std::fill_n(written, t.size_bytes, uint8_t{1});
  return all;
}

/// Of an access that lanes make together, one that knows is enough.
bool Checker::ordered(const CheckedWarp& w, const Touch& t, const AccessRecord& before, bool fenced) const {
  for (const uint32_t lane : set_bits(t.lanes ? t.lanes : 1u << t.lane)) {
    if (order.ordered(w, lane, before, fenced, t.strong && t.wide && !t.writes)) return true;
  }
  return false;
}

void Checker::check_race(const CheckedWarp& w, const Touch& t) {
  AccessRecord mine;
  mine.agent = t.agent;
  mine.warp = w.number;
  mine.number = t.agent == Agent::kThread ? w.number : t.number;
  mine.clock = t.agent == Agent::kThread ? w.clock : t.clock;
  mine.row = t.row;
  mine.lanes = t.lanes ? t.lanes : t.alike ? t.alike : 1u << t.lane;
  mine.flags = static_cast<uint8_t>((t.strong ? kStrong : 0) | (t.wide ? kWideScope : 0));
  for_words(t.place.at, t.size_bytes, [&](Address word, uint8_t bytes) {
    mine.bytes = bytes;
    ShadowWord& known = t.place.block ? t.place.block->words[word / 4] : log.global_word(word);
    if (!t.alike || known.writes.empty()) return race_in_word(w, t, word, mine, &known);
    Touch one = t;
    AccessRecord its = mine;
    for (const uint32_t lane : set_bits(t.alike)) {
      one.lane = lane;
      its.lanes = 1u << lane;
      race_in_word(w, one, word, its, &known);
    }
  });
}

void Checker::race_in_word(const CheckedWarp& w, const Touch& t, Address word, const AccessRecord& mine,
                           ShadowWord* known) {
  constexpr uint64_t kWidest = 16;  // of an ordinary access; of longer ones the word is told
  Touch told = t;
  if (t.size_bytes > kWidest) told.place.at = word;
  log.access(
      known, mine, t.writes, t.same_value,
      [&](const AccessRecord& r, bool wrote) {
        const bool is_known = ordered(w, t, r, false);
        return HappensBefore{is_known, is_known && wrote && t.asynchronous_proxy && r.agent == Agent::kThread &&
                                           !ordered(w, t, r, true)};
      },
      [&](const AccessRecord& r, bool wrote, const HappensBefore& stands) {
        report_race(w, told, r, wrote, stands.fence_missing);
      });
}

void Checker::report_race(const CheckedWarp& w, const Touch& t, const AccessRecord& before, bool wrote,
                          bool fence_missing) {
  const size_t told =
      report("race", w, t.row, t.lane,
             not_ordered(worker(t.agent), t.writes, t.size_bytes, describe(w, t.place), worker(before.agent), wrote),
             t.place.at, t.size_bytes, &before);
  if (told == log.found.reports.size()) return;
  const bool at_once = t.writes && wrote && t.row == before.row;
  log.advise(told, t.row, before.row,
             remedy(before, w.number, log.same_block(before, w.number), fence_missing, at_once));
  raced(told, w, t, before, wrote);
}

void Checker::synchronise(CheckedWarp* w, const Touch& t, const Strong& access) {
  order.synchronise(w, t.lane, w->block->numbers, access, t.place.block ? &t.place.block->objects : &objects_,
                    t.place.at);
}

void Checker::starts_anew(Address begin, uint64_t size_bytes) {
  if (!checks(kCheckRace)) return;
  log.forget(begin, begin + size_bytes);
  std::erase_if(objects_, [&](const auto& object) { return object.first - begin < size_bytes; });
}

Result<Address> allocate_in_kernel(Memory* memory, Checker* checker, uint64_t size_bytes) {
  WL_ASSIGN(const Address begin, memory->allocate_in_kernel(size_bytes));
  if (checker == nullptr) return begin;
  if (checker->checks(kCheckInit)) memory->mark_uninitialised(begin);
  checker->starts_anew(begin, size_bytes);
  return begin;
}

void Checker::arrive(CheckedWarp* w, uint32_t lanes, Gathered* at) const {
  if (checks(kCheckRace)) at->join(order.arrive(w, lanes));
}

void Checker::take(CheckedWarp* w, uint32_t lanes, const Gathered& from) const {
  if (checks(kCheckRace)) order.take(w, from, lanes);
}

void Checker::fence(CheckedWarp* w, uint32_t lanes, uint32_t level) const {
  if (checks(kCheckRace)) order.fence(w, lanes, level);
}

std::string Checker::unlike_arrival(const CheckedWarp& w, uint32_t barrier, uint32_t row, uint32_t expected,
                                    uint32_t before, bool anywhere) const {
  const auto threads = [&](uint32_t count) { return count ? count : w.block->threads; };
  const auto text = [](uint32_t count) { return count ? fmt::format("{} threads", count) : "all threads"; };
  if (threads(before) != threads(expected))
    return fmt::format("barrier {} expects {} here, but {} where other threads wait at it", barrier, text(expected),
                       text(before));
  const uint32_t first = w.block->first_at[barrier];
  if (expected || anywhere || first == row || log.found.one_line(row, first)) return {};
  return fmt::format("threads of the block wait at two different barriers: other threads wait at {}",
                     where(log.place_of(w.number, 0, first)));
}

std::string Checker::describe(const CheckedWarp& w, const Location& place) const {
  if (!place.block) return describe_place(memory_, place.at);
  const auto offset = static_cast<int64_t>(place.at - shared_origin);
  if (place.block == w.block) return fmt::format("offset {} of shared memory", offset);
  const Dim3& b = place.block->index;
  return fmt::format("offset {} of the shared memory of block ({},{},{})", offset, b[0], b[1], b[2]);
}

}  // namespace warplens::simt
