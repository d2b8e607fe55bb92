// What orders threads, as PTX says it: see simt::Order. Groups of asynchronous operations are PTX's own.
#include <algorithm>
#include <utility>

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/checks/checker.h"

namespace warplens::simt::ptx_machine {
namespace {

AsyncGroups& groups(WarpChecks& c, Agent agent, uint32_t lane) {
  return agent == Agent::kMatrix ? c.matrices : agent == Agent::kCopy ? c.copies[lane] : c.bulk[lane];
}

}  // namespace

void AsyncGroups::commit() {
  constexpr size_t kKept = 64;  // more than a wait_group may leave pending
  if (ends.size() > kKept) ends.erase(ends.begin(), ends.begin() + kKept / 2);
  ends.push_back(open++);
}

void ThreadChecker::meet(Warp& w, uint32_t lanes) {
  if (checks(kCheckRace)) order.meet(w.checks.get(), lanes);
}

void ThreadChecker::fence_proxy(Warp& w) {
  if (checks(kCheckRace)) order.fence_proxy(w.checks.get(), w.mask);
}

void ThreadChecker::arrive(Warp& w, const Op& op, uint32_t barrier) {
  CtaChecks& c = *w.cta->checks;
  if (w.cta->barriers[barrier].arrived == 0) c.first_at[barrier] = op.row;
  if (w.checks->at_barrier[barrier] == 0) w.checks->at_barrier[barrier] = w.live;
  simt::Checker::arrive(w.checks.get(), w.mask, &c.barriers[barrier]);
}

void ThreadChecker::pass(Warp& w, uint32_t barrier, uint32_t lanes) {
  take(w.checks.get(), lanes, w.cta->checks->barriers[barrier]);
  meet(w, lanes);
}

void ThreadChecker::complete(Cta& cta, uint32_t barrier) { cta.checks->barriers[barrier] = {}; }

void ThreadChecker::cluster_arrive(Warp& w) {
  simt::Checker::arrive(w.checks.get(), w.mask, &clusters_[w.cta->cluster->linear].gathered);
  w.checks->at_cluster |= w.mask;
}

void ThreadChecker::cluster_complete(Cluster& cluster) { clusters_[cluster.linear].complete(); }

void ThreadChecker::cluster_pass(Warp& w, const Op& op, uint32_t lanes) {
  check_cluster_wait(w, op, lanes & ~std::exchange(w.checks->at_cluster, w.checks->at_cluster & ~lanes));
  take(w.checks.get(), lanes, clusters_[w.cta->cluster->linear].done);
  meet(w, lanes);
}

uint32_t ThreadChecker::open_count(const Warp& w, Agent agent, uint32_t lane) const {
  return groups(*w.checks, agent, lane).open;
}

void ThreadChecker::commit(Warp& w, Agent agent) {
  if (agent == Agent::kMatrix) return w.checks->matrices.commit();
  for (const uint32_t lane : set_bits(w.mask)) groups(*w.checks, agent, lane).commit();
}

void ThreadChecker::wait(Warp& w, Agent agent, uint32_t pending) {
  WarpChecks& c = *w.checks;
  for (const uint32_t lane : set_bits(w.mask)) {
    AsyncGroups& g = groups(c, agent, lane);
    if (pending == ~0u) g.commit();
    const uint32_t done = g.done(pending == ~0u ? 0 : pending);
    uint32_t& waited = c.waits(agent, lane);
    waited = std::max(waited, done);
    if (agent == Agent::kBulkWrite) c.waits(Agent::kBulkRead, lane) = std::max(c.waits(Agent::kBulkRead, lane), done);
  }
}

}  // namespace warplens::simt::ptx_machine
