#include "warplens/simt/checks/order.h"

#include <algorithm>

#include "warplens/base/set_bits.h"

namespace warplens::simt {
namespace {

using Waited = std::array<LaneCounts, Knowledge::kWaits>;

Actor waiter(size_t kind, uint32_t number) { return actor(static_cast<Agent>(kind + 2), number); }

/// Whether lanes have waited for what nobody told `known`.
bool has_news(const Clock* known, const Waited& waited, uint32_t number) {
  for (size_t a = 0; a < waited.size(); ++a) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (waited[a][lane] != 0 && waited[a][lane] > (known ? known->at(waiter(a, number), lane) : 0)) return true;
    }
  }
  return false;
}

}  // namespace

bool Order::ordered(const WarpOrder& mine, uint32_t lane, const AccessRecord& before, bool fenced, bool strong) const {
  const bool own = before.warp == mine.number;
  if (precision_ == Precision::kWarp && own) return true;
  const uint32_t me = precision_ == Precision::kWarp ? 0 : lane;
  const Clock *known = mine.known[me].get(), *seen = strong ? mine.pending[kWideLevel][me].get() : nullptr;
  const Agent agent = fenced ? Agent::kFenced : before.agent;
  for (const uint32_t other : set_bits(apart(before.lanes))) {
    if (agent == Agent::kThread && own && (other == me || mine.met[me][other] >= before.clock)) continue;
    const bool waits = agent >= Agent::kCopy && agent <= Agent::kMatrix;
    if (waits && own && other == me && mine.waited[static_cast<size_t>(agent) - 2][me] >= before.clock) continue;
    const auto tells = [&](const Clock* of) {
      return of && of->at(actor(agent, before.number), other) >= before.clock;
    };
    if (!tells(known) && !tells(seen)) return false;
  }
  return true;
}

/// What these lanes know now, themselves included.
ClockPtr Order::published(const Knowledge& who, uint32_t lanes) const {
  if (precision_ == Precision::kWarp) {
    auto out = who.known[0] ? std::make_shared<Clock>(*who.known[0]) : std::make_shared<Clock>();
    out->raise(actor(Agent::kThread, who.number), who.clock);
    return out;
  }
  auto out = std::make_shared<Clock>();
  LaneCounts own{};
  Waited waited{};
  const Clock* last = nullptr;
  for (const uint32_t lane : set_bits(lanes)) {
    const Clock* known = who.known[lane].get();
    if (known && known != last) out->join(*known);
    last = known;
    for (uint32_t j = 0; j < kLanes; ++j) own[j] = std::max(own[j], who.met[lane][j]);
    own[lane] = who.clock;
    for (size_t a = 0; a < waited.size(); ++a) waited[a][lane] = who.waited[a][lane];
  }
  out->raise(actor(Agent::kThread, who.number), own);
  for (size_t a = 0; a < waited.size(); ++a) out->raise(waiter(a, who.number), waited[a]);
  return out;
}

/// What a strong store by one of these lanes passes on: what fences before it saw.
ClockPtr Order::passed_on(const WarpOrder& who, uint32_t level, uint32_t lanes) const {
  ClockPtr out;
  for (uint32_t left = lanes; left;) {
    const auto& fence = who.released[level][static_cast<size_t>(std::countr_zero(left))];
    uint32_t same = 0;  // lanes whose last fence was the same instruction
    for (const uint32_t lane : set_bits(left)) same |= who.released[level][lane] == fence ? 1u << lane : 0;
    left &= ~same;
    if (!fence) continue;
    if (fence->lanes != same) fence->passed_on = published(fence->then, same);
    fence->lanes = same;
    out = joined(out, fence->passed_on);
  }
  const Clock* last = nullptr;
  for (const uint32_t lane : set_bits(lanes)) {
    const ClockPtr& carried = who.carried[level][lane];
    if (carried.get() != last) out = joined(out, carried);
    last = carried.get();
  }
  return out;
}

Gathered Order::given(const WarpOrder& who, uint32_t lanes) const {
  Gathered out;
  out.clock = published(who, lanes);
  for (uint32_t level = 0; level < kLevels; ++level) {
    out.released[level] = passed_on(who, level, lanes);
    for (const uint32_t lane : set_bits(lanes)) {
      if (who.pending[level][lane]) out.pending[level] = joined(out.pending[level], who.pending[level][lane]);
    }
  }
  return out;
}

Gathered Order::arrive(WarpOrder* who, uint32_t lanes) const {
  Gathered out = given(*who, apart(lanes));
  ++who->clock;
  return out;
}

void Order::take(WarpOrder* who, const Gathered& from, uint32_t lanes) const {
  lanes = apart(lanes);
  learn(who, from.clock, lanes);
  const auto join_all = [lanes](std::array<ClockPtr, kLanes>& all, const ClockPtr& more) {
    for (const uint32_t lane : set_bits(more ? lanes : 0)) all[lane] = joined(all[lane], more);
  };
  for (uint32_t level = 0; level < kLevels; ++level) {
    join_all(who->carried[level], from.released[level]);
    join_all(who->pending[level], from.pending[level]);
  }
}

void Order::learn(Knowledge* who, const ClockPtr& clock, uint32_t lanes) {
  if (!clock) return;
  ClockPtr before, after;
  for (const uint32_t lane : set_bits(lanes)) {
    ClockPtr& known = who->known[lane];
    if (!after || known != before) {
      before = known;
      after = joined(known, clock);
    }
    known = after;
  }
}

void Order::meet(WarpOrder* who, uint32_t lanes) const {
  if (precision_ == Precision::kWarp) return;
  Gathered fences = given(*who, lanes);
  fences.clock = nullptr;
  take(who, fences, lanes);
  LaneCounts row{};
  for (const uint32_t lane : set_bits(lanes)) {
    for (uint32_t j = 0; j < kLanes; ++j) row[j] = std::max(row[j], who->met[lane][j]);
  }
  ClockPtr all;
  Waited waited{};
  const Clock* last = nullptr;
  for (const uint32_t lane : set_bits(lanes)) {
    if (who->known[lane].get() != last) all = joined(all, who->known[lane]);
    last = who->known[lane].get();
    row[lane] = who->clock;
    for (size_t a = 0; a < waited.size(); ++a) waited[a][lane] = who->waited[a][lane];
  }
  if (has_news(all.get(), waited, who->number)) {
    auto more = all ? std::make_shared<Clock>(*all) : std::make_shared<Clock>();
    for (size_t a = 0; a < waited.size(); ++a) more->raise(waiter(a, who->number), waited[a]);
    all = more;
  }
  for (const uint32_t lane : set_bits(lanes)) who->met[lane] = row, who->known[lane] = all;
  ++who->clock;
}

void Order::fence(WarpOrder* who, uint32_t lanes, uint32_t level) const {
  lanes = apart(lanes);
  for (const uint32_t lane : set_bits(lanes)) learn(who, who->pending[level][lane], 1u << lane);
  const auto now = std::make_shared<Fence>(Fence{.then = *who, .lanes = 0, .passed_on = nullptr});
  for (uint32_t i = 0; i <= level; ++i) {
    for (const uint32_t lane : set_bits(lanes)) who->released[i][lane] = now;
  }
  ++who->clock;
}

void Order::fence_proxy(WarpOrder* who, uint32_t lanes) const {
  for (const uint32_t lane : set_bits(apart(lanes))) {
    auto fenced = std::make_shared<Clock>(*published(*who, 1u << lane));
    fenced->fence_proxy();
    who->known[lane] = fenced;
  }
  ++who->clock;
}

void Order::synchronise(WarpOrder* who, uint32_t lane, BlockNumbers block, const Strong& access,
                        std::unordered_map<Address, SyncObject>* objects, Address at) const {
  if (precision_ == Precision::kWarp) lane = 0;
  const auto found = access.loads ? objects->find(at) : objects->end();
  if (found != objects->end()) {
    const LevelClocks seen = found->second.seen(block);
    if (access.acquires) learn(who, seen[access.scope], 1u << lane);
    for (uint32_t level = 0; level < kLevels && !access.acquires; ++level) {
      ClockPtr& pending = who->pending[level][lane];
      pending = joined(pending, seen[std::min<uint32_t>(level, access.scope)]);
    }
  }
  if (!access.stores) return;
  if (access.releases) {
    (*objects)[at].release(block, access.scope, published(*who, 1u << lane));
    ++who->clock;
    return;
  }
  for (uint32_t level = 0; level <= access.scope; ++level) {
    if (const ClockPtr clock = passed_on(*who, level, 1u << lane)) (*objects)[at].release(block, level, clock);
  }
}

}  // namespace warplens::simt
