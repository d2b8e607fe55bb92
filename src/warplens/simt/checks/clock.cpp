#include "warplens/simt/checks/clock.h"

#include <algorithm>

namespace warplens::simt {

bool Clock::Entry::covers(const Entry& other) const {
  if (lanes == other.lanes)
    return all >= other.all || (lanes && std::ranges::all_of(*lanes, [&](uint32_t n) { return n >= other.all; }));
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (of(i) < other.of(i)) return false;
  }
  return true;
}

void Clock::Entry::join(const Entry& other) {
  if (covers(other)) return;
  if (other.covers(*this)) {
    all = other.all;
    lanes = other.lanes;
    return;
  }
  LaneCounts both;
  for (uint32_t i = 0; i < kLanes; ++i) both[i] = std::max(of(i), other.of(i));
  all = *std::ranges::min_element(both);
  lanes = std::make_shared<const LaneCounts>(both);
}

Clock::Entry& Clock::entry(Actor actor) {
  const auto at = std::ranges::lower_bound(entries_, actor, {}, &Entry::actor);
  if (at != entries_.end() && at->actor == actor) return *at;
  return *entries_.insert(at, {actor, 0, nullptr});
}

uint32_t Clock::at(Actor actor, uint32_t lane) const {
  const auto at = std::ranges::lower_bound(entries_, actor, {}, &Entry::actor);
  return at != entries_.end() && at->actor == actor ? at->of(lane) : 0;
}

void Clock::raise(Actor actor, uint32_t count) { entry(actor).join({actor, count, nullptr}); }

void Clock::raise(Actor actor, const LaneCounts& counts) {
  const auto [least, most] = std::ranges::minmax(counts);
  if (most == 0) return;
  entry(actor).join({actor, least, least == most ? nullptr : std::make_shared<const LaneCounts>(counts)});
}

void Clock::join(const Clock& other) {
  std::vector<Entry> both;
  both.reserve(entries_.size() + other.entries_.size());
  auto a = entries_.begin();
  auto b = other.entries_.begin();
  while (a != entries_.end() || b != other.entries_.end()) {
    if (b == other.entries_.end() || (a != entries_.end() && a->actor < b->actor)) {
      both.push_back(std::move(*a++));
    } else if (a == entries_.end() || b->actor < a->actor) {
      both.push_back(*b++);
    } else {
      both.push_back(std::move(*a++));
      both.back().join(*b++);
    }
  }
  entries_ = std::move(both);
}

bool Clock::covers(const Clock& other) const {
  auto a = entries_.begin();
  for (const Entry& b : other.entries_) {
    while (a != entries_.end() && a->actor < b.actor) ++a;
    if (a == entries_.end() || a->actor != b.actor || !a->covers(b)) return false;
  }
  return true;
}

void Clock::fence_proxy() {
  Clock fenced;
  for (const Entry& e : entries_) {
    if (e.actor >= actor(Agent::kFenced, 0)) break;
    fenced.entries_.push_back({actor(Agent::kFenced, static_cast<uint32_t>(e.actor)), e.all, e.lanes});
  }
  join(fenced);
}

ClockPtr joined(const ClockPtr& a, const ClockPtr& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (b->covers(*a)) return b;
  if (a->covers(*b)) return a;
  auto both = std::make_shared<Clock>(*a);
  both->join(*b);
  return both;
}

}  // namespace warplens::simt
