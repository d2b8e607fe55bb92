// Races: two accesses to one byte by different threads, one of them a write, neither happening before the other, and
// not both strong operations of scopes that include each other.
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/emulator/checks/checker.h"

namespace warplens::emulator {
ShadowWord& Checker::word_at(Warp& w, Address at, Place place) {
  if (place == Place::kShared) return w.cta->checks->words[at / 4];
  auto& page = pages_[at >> 12];
  if (!page) page = std::make_unique<std::array<ShadowWord, 1024>>();
  return (*page)[at / 4 % 1024];
}

bool Checker::ordered(const Warp& w, uint32_t lane, const AccessRecord& before) const {
  const WarpChecks& mine = *w.checks;
  uint32_t clock = before.clock;
  const uint64_t warps = grid_.warps_per_block;
  if (before.flags & kAsync) {  // a copy is done when its thread has waited for it
    if (before.warp / warps != w.cta->linear) return false;
    const auto& waited = w.cta->warps[before.warp % warps]->checks->waited;
    clock = before.clock < waited.size() ? waited[before.clock] : 0;
    if (clock == 0) return false;
  }
  if (before.warp == mine.number) return before.lane == lane || mine.lanes[lane][before.lane] >= clock;
  if (before.warp / warps == w.cta->linear) return mine.known.block[before.warp % warps] >= clock;
  const auto found = mine.known.foreign.find(before.warp);
  return found != mine.known.foreign.end() && found->second >= clock;
}

/// Whether a store leaves the bytes as they are: many threads writing one value is no race that could be seen.
bool Checker::silent(Warp& w, const Op& op, uint32_t lane, Address at, Place place) const {
  const uint8_t* memory = place == Place::kShared ? w.shared + at : reinterpret_cast<const uint8_t*>(at);
  for (uint32_t k = 0; k < op.vector; ++k) {
    const uint32_t slot = op.vector == 1 ? op.d : w.program->slots[op.e + k];
    const uint64_t value = op.size == 8 ? w.lanes<uint64_t>(slot)[lane] : w.lanes<uint32_t>(slot)[lane];
    if (std::memcmp(memory + k * op.size, &value, op.size) != 0) return false;
  }
  return true;
}

void Checker::check_race(Warp& w, const Op& op, const AccessInfo& info, uint32_t lane, Address at, Place place,
                         const Address* all, uint32_t done) {
  if (place == Place::kShared && at + info.size_bytes > w.shared_bytes) return;
  if (place == Place::kGlobal && info.strong) synchronise(w, info, at);
  if (place == Place::kShared && info.strong) synchronise(w, info, at | kSharedWindow | w.cta->linear << 32);
  const bool writes = info.kind != AccessInfo::Kind::kLoad;
  bool same = info.kind == AccessInfo::Kind::kStore && silent(w, op, lane, at, place);
  // Lanes of this very instruction that store the same value to the same place.
  if (info.kind == AccessInfo::Kind::kStore && op.vector == 1) {
    for (uint32_t left = done; left && !same; left &= left - 1) {
      const auto other = static_cast<uint32_t>(__builtin_ctz(left));
      if (all[other] != all[lane]) continue;
      same = op.size == 8 ? w.lanes<uint64_t>(op.d)[other] == w.lanes<uint64_t>(op.d)[lane]
                          : w.lanes<uint32_t>(op.d)[other] == w.lanes<uint32_t>(op.d)[lane];
    }
  }
  AccessRecord mine;
  mine.warp = w.checks->number;
  mine.clock = w.checks->clock;
  mine.row = op.row;
  mine.lane = static_cast<uint8_t>(lane);
  mine.flags = static_cast<uint8_t>((info.strong ? kStrong : 0) | (info.scope >= 2 ? kWideScope : 0));
  for (Address word = at & ~Address{3}; word < at + info.size_bytes; word += 4) {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < 4; ++i)
      if (word + i >= at && word + i < at + info.size_bytes) bytes |= 1u << i;
    mine.bytes = static_cast<uint8_t>(bytes);
    race_in_word(w, op, mine, writes, same, word_at(w, word, place), at, info.size_bytes);
  }
}

void Checker::race_in_word(Warp& w, const Op& op, AccessRecord mine, bool writes, bool same_value, ShadowWord& word,
                           Address at, uint32_t size) {
  const uint32_t warps = grid_.warps_per_block;
  const auto conflicts = [&](const AccessRecord& r) {
    if (r.empty() || !(r.bytes & mine.bytes) || (r.warp == mine.warp && r.lane == mine.lane && !(r.flags & kAsync)))
      return false;
    const bool both_strong = (r.flags & mine.flags & kStrong) &&
                             (r.warp / warps == mine.warp / warps || (r.flags & mine.flags & kWideScope));
    return !both_strong && !ordered(w, mine.lane, r);
  };
  const auto race = [&](const AccessRecord& r, const char* earlier) {
    report("race", w, op, mine.lane,
           fmt::format("{} of {} bytes at {:#x} and an earlier {} of the same bytes by another thread are not ordered",
                       writes ? "write" : "read", size, at, earlier),
           at, size, &r);
  };
  for (const AccessRecord& r : word.writes)
    if (conflicts(r) && !(writes && same_value)) race(r, "write");
  if (writes) {
    for (AccessRecord& r : word.reads) {
      if (conflicts(r) && !same_value) race(r, "read");
      if (r.bytes & mine.bytes) r = {};
    }
    AccessRecord* slot = &word.writes[0];
    for (AccessRecord& r : word.writes)
      if (r.empty() || (r.bytes & mine.bytes)) slot = &r;
    *slot = mine;
  } else {
    AccessRecord* slot = &word.reads[1];
    for (AccessRecord& r : word.reads)
      if (r.empty() || (r.warp == mine.warp && r.lane == mine.lane)) slot = &r;
    *slot = mine;
  }
}

/// What this warp knows now, itself included.
void Checker::publish(Warp& w, Clock& into) const {
  const WarpChecks& c = *w.checks;
  Clock own = c.known;
  own.block[w.index] = c.clock;
  // In the grid's numbering too, for warps of other blocks.
  for (uint32_t i = 0; i < own.block.size(); ++i)
    if (own.block[i]) own.foreign[w.cta->linear * grid_.warps_per_block + i] = own.block[i];
  into.join(own);
}

void Checker::learn(Warp& w, const Clock& clock, bool wide) {
  Clock& known = w.checks->known;
  const uint64_t first = w.cta->linear * grid_.warps_per_block;
  for (const auto& [warp, count] : clock.foreign) {
    if (warp >= first && warp < first + grid_.warps_per_block)
      known.block[warp - first] = std::max(known.block[warp - first], count);
    else if (wide) known.foreign[warp] = std::max(known.foreign[warp], count);
  }
}

void Checker::synchronise(Warp& w, const AccessInfo& info, Address at) {
  WarpChecks& c = *w.checks;
  const bool wide = info.scope >= 1;
  Clock& object = objects_[{at, wide ? 0 : w.cta->linear + 1}];
  if (info.kind != AccessInfo::Kind::kStore) {
    if (info.acquires) learn(w, object, wide);
    else c.pending.join_foreign(object);
  }
  if (info.kind != AccessInfo::Kind::kLoad) {
    if (info.releases) {
      publish(w, object);
      ++c.clock;
    } else if (wide ? c.has_released_widely : c.has_released) {
      object.join_foreign(wide ? c.released_widely : c.released);
    }
  }
}

void Checker::fence(Warp& w, bool wide) {
  WarpChecks& c = *w.checks;
  learn(w, c.pending, wide);
  c.released.clear();
  publish(w, c.released);
  c.has_released = true;
  if (wide) c.released_widely = c.released, c.has_released_widely = true;
  ++c.clock;
}

void Checker::arrive(Warp& w, uint32_t barrier) {
  publish(w, w.cta->checks->barriers[barrier]);
  ++w.checks->clock;
}

void Checker::pass(Warp& w, uint32_t barrier, uint32_t lanes) {
  const Clock& gathered = w.cta->checks->barriers[barrier];
  w.checks->known.join_foreign(gathered);
  for (size_t i = 0; i < gathered.block.size(); ++i)
    w.checks->known.block[i] = std::max(w.checks->known.block[i], gathered.block[i]);
  meet(w, lanes);
}

void Checker::meet(Warp& w, uint32_t lanes) {
  WarpChecks& c = *w.checks;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!(lanes >> i & 1)) continue;
    for (uint32_t j = 0; j < kLanes; ++j) c.lanes[i][j] = (lanes >> j & 1) ? c.clock : c.lanes[i][j];
  }
  ++c.clock;
}

void Checker::cluster_arrive(Warp& w) {
  publish(w, clusters_[w.cta->cluster->linear]);
  ++w.checks->clock;
}

void Checker::cluster_pass(Warp& w, uint32_t lanes) {
  learn(w, clusters_[w.cta->cluster->linear], true);
  meet(w, lanes);
}

void Checker::mbarrier_arrive(Warp& w, const void* mbarrier) {
  publish(w, mbarriers_[mbarrier]);
  ++w.checks->clock;
}

void Checker::mbarrier_pass(Warp& w, const void* mbarrier, uint32_t lanes) {
  learn(w, mbarriers_[mbarrier], true);
  meet(w, lanes);
}

void Checker::commit_group(Warp& w) {
  ++w.checks->open_group;
  w.checks->waited.resize(w.checks->open_group + 1);
}

void Checker::wait_groups(Warp& w, uint32_t pending) {
  WarpChecks& c = *w.checks;
  const uint32_t closed = c.open_group - (pending == ~0u ? 0 : 1);
  c.waited.resize(std::max<size_t>(c.waited.size(), c.open_group + 1));
  for (uint32_t group = 1; group + (pending == ~0u ? 0 : pending) <= closed; ++group)
    if (c.waited[group] == 0) c.waited[group] = c.clock;
}

void Checker::async_copy(Warp& w, const Op& op, const uint32_t* to) {
  const uint8_t checks = grid_.config->checks;
  for (uint32_t left = w.mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left));
    if (to[lane] + op.size > w.shared_bytes) continue;
    if (checks & kCheckInit) std::fill_n(w.cta->checks->written.data() + to[lane], op.size, uint8_t{1});
    if (!(checks & kCheckRace)) continue;
    AccessRecord mine;
    mine.warp = w.checks->number, mine.clock = w.checks->clock, mine.row = op.row,
    mine.lane = static_cast<uint8_t>(lane), mine.bytes = 0xf;
    for (Address word = to[lane]; word < to[lane] + op.size; word += 4) {
      ShadowWord& shadow = word_at(w, word, Place::kShared);
      race_in_word(w, op, mine, true, false, shadow, to[lane], op.size);
      for (AccessRecord& r : shadow.writes)
        if (r.warp == mine.warp && r.lane == mine.lane && r.row == mine.row)
          r.flags |= kAsync, r.clock = w.checks->open_group;
    }
  }
}

}  // namespace warplens::emulator
