// What orders threads: barriers, fences with strong accesses, waits for asynchronous operations.
#include <algorithm>
#include <bit>
#include <utility>

#include "warplens/run/ptx/checks/checker.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Calls f(lane) for each lane of a mask.
template <typename F>
void for_lanes(uint32_t mask, const F& f) {
  for (; mask; mask &= mask - 1) f(static_cast<uint32_t>(std::countr_zero(mask)));
}

AsyncGroups& groups(WarpChecks& c, Agent agent, uint32_t lane) {
  return agent == Agent::kMatrix ? c.matrices : agent == Agent::kCopy ? c.copies[lane] : c.bulk[lane];
}

}  // namespace

void AsyncGroups::commit() {
  constexpr size_t kKept = 64;  // more than a wait_group may leave pending
  if (ends.size() > kKept) ends.erase(ends.begin(), ends.begin() + kKept / 2);
  ends.push_back(open++);
}

/// What these lanes know now, themselves included.
ClockPtr Checker::published(const Knowledge& who, uint32_t lanes) {
  auto out = std::make_shared<Clock>();
  LaneCounts own{};
  std::array<LaneCounts, Knowledge::kWaits> waited{};
  const Clock* last = nullptr;
  for_lanes(lanes, [&](uint32_t lane) {
    const Clock* known = who.known[lane].get();
    if (known && known != last) out->join(*known);
    last = known;
    for (uint32_t j = 0; j < kLanes; ++j) own[j] = std::max(own[j], who.met[lane][j]);
    own[lane] = who.clock;
    for (size_t a = 0; a < waited.size(); ++a) waited[a][lane] = who.waited[a][lane];
  });
  out->raise(actor(Agent::kThread, who.number), own);
  for (size_t a = 0; a < waited.size(); ++a) out->raise(actor(static_cast<Agent>(a + 2), who.number), waited[a]);
  return out;
}

/// What a strong store by one of these lanes passes on: what fences before it saw.
ClockPtr Checker::passed_on(const WarpChecks& who, uint32_t level, uint32_t lanes) {
  ClockPtr out;
  const Clock* last = nullptr;
  for (uint32_t left = lanes; left;) {
    const auto& released = who.released[level][static_cast<size_t>(std::countr_zero(left))];
    uint32_t same = 0;  // lanes whose last fence was the same instruction
    for_lanes(left, [&](uint32_t lane) { same |= who.released[level][lane] == released ? 1u << lane : 0; });
    if (released) out = joined(out, published(*released, same));
    left &= ~same;
  }
  for_lanes(lanes, [&](uint32_t lane) {
    const ClockPtr& carried = who.carried[level][lane];
    if (carried.get() != last) out = joined(out, carried);
    last = carried.get();
  });
  return out;
}

Gathered Checker::given(const WarpChecks& who, uint32_t lanes) const {
  Gathered out;
  if (!checks(kCheckRace)) return out;
  out.clock = published(who, lanes);
  for (uint32_t level = 0; level < kLevels; ++level) {
    out.released[level] = passed_on(who, level, lanes);
    for_lanes(lanes, [&](uint32_t lane) {
      if (who.pending[level][lane]) out.pending[level] = joined(out.pending[level], who.pending[level][lane]);
    });
  }
  return out;
}

void Checker::take(Warp& w, const Gathered& from, uint32_t lanes) {
  WarpChecks& c = *w.checks;
  learn(w, from.clock, lanes);
  const auto join_all = [lanes](std::array<ClockPtr, kLanes>& all, const ClockPtr& more) {
    if (more) for_lanes(lanes, [&](uint32_t lane) { all[lane] = joined(all[lane], more); });
  };
  for (uint32_t level = 0; level < kLevels; ++level) {
    join_all(c.carried[level], from.released[level]);
    join_all(c.pending[level], from.pending[level]);
  }
}

void Checker::learn(Warp& w, const ClockPtr& clock, uint32_t lanes) {
  if (!clock) return;
  ClockPtr before, after;
  for_lanes(lanes, [&](uint32_t lane) {
    ClockPtr& known = w.checks->known[lane];
    if (!after || known != before) {
      before = known;
      after = joined(known, clock);
    }
    known = after;
  });
}

void Checker::meet(Warp& w, uint32_t lanes) {
  if (!checks(kCheckRace)) return;
  WarpChecks& c = *w.checks;
  Gathered fences = given(c, lanes);
  fences.clock = nullptr;
  take(w, fences, lanes);
  LaneCounts row{};
  for_lanes(lanes, [&](uint32_t lane) {
    for (uint32_t j = 0; j < kLanes; ++j) row[j] = std::max(row[j], c.met[lane][j]);
  });
  ClockPtr all;
  std::array<LaneCounts, Knowledge::kWaits> waited{};
  bool news = false;
  const Clock* last = nullptr;
  for_lanes(lanes, [&](uint32_t lane) {
    if (c.known[lane].get() != last) all = joined(all, c.known[lane]);
    last = c.known[lane].get();
    row[lane] = c.clock;
    for (size_t a = 0; a < waited.size(); ++a) waited[a][lane] = c.waited[a][lane];
  });
  for (size_t a = 0; a < waited.size(); ++a) {
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      news |= waited[a][lane] != 0 &&
              waited[a][lane] > (all ? all->at(actor(static_cast<Agent>(a + 2), c.number), lane) : 0);
  }
  if (news) {
    auto more = all ? std::make_shared<Clock>(*all) : std::make_shared<Clock>();
    for (size_t a = 0; a < waited.size(); ++a) more->raise(actor(static_cast<Agent>(a + 2), c.number), waited[a]);
    all = more;
  }
  for_lanes(lanes, [&](uint32_t lane) { c.met[lane] = row, c.known[lane] = all; });
  ++c.clock;
}

void Checker::fence(Warp& w, uint32_t level) {
  if (!checks(kCheckRace)) return;
  WarpChecks& c = *w.checks;
  for_lanes(w.mask, [&](uint32_t lane) { learn(w, c.pending[level][lane], 1u << lane); });
  const auto now = std::make_shared<const Knowledge>(c);
  for (uint32_t i = 0; i <= level; ++i) for_lanes(w.mask, [&](uint32_t lane) { c.released[i][lane] = now; });
  ++c.clock;
}

void Checker::fence_proxy(Warp& w) {
  if (!checks(kCheckRace)) return;
  for_lanes(w.mask, [&](uint32_t lane) {
    auto fenced = std::make_shared<Clock>(*published(*w.checks, 1u << lane));
    fenced->fence_proxy();
    w.checks->known[lane] = fenced;
  });
  ++w.checks->clock;
}

void Checker::arrive(Warp& w, const Op& op, uint32_t barrier) {
  CtaChecks& c = *w.cta->checks;
  if (w.cta->barriers[barrier].arrived == 0) c.rows[barrier] = op.row;
  if (w.checks->at_barrier[barrier] == 0) w.checks->at_barrier[barrier] = w.live;
  c.barriers[barrier].join(given(*w.checks, w.mask));
  ++w.checks->clock;
}

void Checker::pass(Warp& w, uint32_t barrier, uint32_t lanes) {
  take(w, w.cta->checks->barriers[barrier], lanes);
  meet(w, lanes);
}

void Checker::complete(Cta& cta, uint32_t barrier) { cta.checks->barriers[barrier] = {}; }

void Checker::cluster_arrive(Warp& w) {
  clusters_[w.cta->cluster->linear].gathered.join(given(*w.checks, w.mask));
  w.checks->at_cluster |= w.mask;
  ++w.checks->clock;
}

void Checker::cluster_complete(Cluster& cluster) {
  ClusterClocks& c = clusters_[cluster.linear];
  c.done.join(c.gathered);
  c.gathered = {};
}

void Checker::cluster_pass(Warp& w, const Op& op, uint32_t lanes) {
  check_cluster_wait(w, op, lanes & ~std::exchange(w.checks->at_cluster, w.checks->at_cluster & ~lanes));
  take(w, clusters_[w.cta->cluster->linear].done, lanes);
  meet(w, lanes);
}

/// A lane's strong access passes on what its last fence saw, and lets its next one see what others passed on.
void Checker::synchronise(Warp& w, const AccessInfo& info, uint32_t lane, const Location& place) {
  WarpChecks& c = *w.checks;
  auto& objects = place.cta ? place.cta->checks->objects : objects_;
  const BlockNumbers who{w.cta->linear, w.cta->cluster->linear};
  const bool loads = info.kind != AccessInfo::Kind::kStore, stores = info.kind != AccessInfo::Kind::kLoad;
  if (loads) {
    const auto found = objects.find(place.at);
    if (found != objects.end()) acquire(w, info, lane, found->second.seen(who));
  }
  if (!stores) return;
  if (info.releases) {
    objects[place.at].release(who, info.scope, published(c, 1u << lane));
    ++c.clock;
    return;
  }
  for (uint32_t level = 0; level <= info.scope; ++level) {
    if (const ClockPtr clock = passed_on(c, level, 1u << lane)) objects[place.at].release(who, level, clock);
  }
}

void Checker::acquire(Warp& w, const AccessInfo& info, uint32_t lane, const LevelClocks& seen) {
  if (info.acquires) return learn(w, seen[info.scope], 1u << lane);
  for (uint32_t level = 0; level < kLevels; ++level) {
    ClockPtr& pending = w.checks->pending[level][lane];
    pending = joined(pending, seen[std::min<uint32_t>(level, info.scope)]);
  }
}

uint32_t Checker::open_count(const Warp& w, Agent agent, uint32_t lane) const {
  return groups(*w.checks, agent, lane).open;
}

void Checker::commit(Warp& w, Agent agent) {
  if (agent == Agent::kMatrix) return w.checks->matrices.commit();
  for_lanes(w.mask, [&](uint32_t lane) { groups(*w.checks, agent, lane).commit(); });
}

void Checker::wait(Warp& w, Agent agent, uint32_t pending) {
  WarpChecks& c = *w.checks;
  for_lanes(w.mask, [&](uint32_t lane) {
    AsyncGroups& g = groups(c, agent, lane);
    if (pending == ~0u) g.commit();
    const uint32_t done = g.done(pending == ~0u ? 0 : pending);
    uint32_t& waited = c.waits(agent, lane);
    waited = std::max(waited, done);
    if (agent == Agent::kBulkWrite) c.waits(Agent::kBulkRead, lane) = std::max(c.waits(Agent::kBulkRead, lane), done);
  });
}

}  // namespace warplens::simt::ptx_machine
