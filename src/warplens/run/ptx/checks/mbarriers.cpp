// mbarriers under checks: what their phases order, and what is wrong with their use.
#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"

namespace warplens::simt::ptx_machine {

/// The block of the cluster that has the object in its shared memory.
Cta* ThreadChecker::owner(const Warp& w, const void* object) const {
  const auto* at = static_cast<const uint8_t*>(object);
  for (const auto& cta : w.cta->cluster->ctas) {
    if (at >= cta->shared && at < cta->shared + w.shared_bytes) return cta.get();
  }
  return nullptr;
}

CheckedMbarrier* ThreadChecker::find_mbarrier(const Warp& w, const void* object) {
  const Cta* cta = owner(w, object);
  if (!cta) return nullptr;
  const auto found = cta->checks->mbarriers.find(object);
  return found == cta->checks->mbarriers.end() ? nullptr : &found->second;
}

std::string ThreadChecker::place_of_mbarrier(const Warp& w, const void* object) const {
  Cta* cta = owner(w, object);
  if (!cta) return "outside shared memory";
  return "at " + describe(*w.checks,
                          {cta->checks.get(), static_cast<Address>(static_cast<const uint8_t*>(object) - cta->shared)});
}

void ThreadChecker::mbarrier_misused(Warp& w, const Op& op, uint32_t lane, const void* object, std::string what) {
  if (!checks(kCheckSync)) return;
  report("mbarrier-misuse", w, op, lane, fmt::format("the mbarrier {} {}", place_of_mbarrier(w, object), what), 0, 8);
}

bool ThreadChecker::mbarrier_init(Warp& w, const Op& op, uint32_t lane, const void* object, uint32_t count) {
  constexpr uint32_t kMost = (1u << 20) - 1;
  if (count == 0 || count > kMost) {
    mbarrier_misused(w, op, lane, object,
                     fmt::format("is initialised for {} arrivals: 1 to {} are possible", count, kMost));
    return false;
  }
  Cta* cta = owner(w, object);
  if (!cta) return true;
  CheckedMbarrier fresh;
  fresh.number = ++mbarriers_;
  cta->checks->mbarriers[object] = fresh;
  const auto offset = static_cast<const uint8_t*>(object) - cta->shared;
  std::fill_n(cta->checks->written.data() + offset, 8, uint8_t{1});
  return true;
}

bool ThreadChecker::mbarrier_usable(Warp& w, const Op& op, uint32_t lane, const void* object) {
  if (find_mbarrier(w, object)) return true;
  mbarrier_misused(w, op, lane, object, "is used before mbarrier.init, or after mbarrier.inval");
  return false;
}

void ThreadChecker::mbarrier_drop(Warp& w, const void* object) {
  Cta* cta = owner(w, object);
  if (!cta) return;
  if (const CheckedMbarrier* m = find_mbarrier(w, object)) report_loads(w, object, *m);
  cta->checks->mbarriers.erase(object);
}

void ThreadChecker::mbarrier_arrive(Warp& w, uint32_t lanes, const void* object, Agent agent) {
  CheckedMbarrier* m = find_mbarrier(w, object);
  if (!m) return;
  WarpChecks& c = *w.checks;
  simt::Checker::arrive(&c, lanes, &m->gathered);
  if (agent == Agent::kThread) return;
  LaneCounts counts{};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (lanes >> lane & 1) counts[lane] = (agent == Agent::kCopy ? c.copies[lane] : c.matrices).open++;
  }
  if (!checks(kCheckRace)) return;
  auto more = std::make_shared<Clock>(*m->gathered.clock);
  more->raise(actor(agent, c.number), counts);
  m->gathered.clock = more;
}

void ThreadChecker::mbarrier_complete(Warp& w, const void* object) {
  CheckedMbarrier* m = find_mbarrier(w, object);
  if (!m) return;
  m->done.join(m->gathered);
  auto done = m->done.clock ? std::make_shared<Clock>(*m->done.clock) : std::make_shared<Clock>();
  done->raise(actor(Agent::kMbarrier, m->number), m->phase++);
  m->done.clock = done;
  m->gathered = {};
}

void ThreadChecker::mbarrier_pass(Warp& w, uint32_t lanes, const void* object) {
  CheckedMbarrier* m = find_mbarrier(w, object);
  if (!m) return;
  take(w.checks.get(), lanes, m->done);
  m->passed = m->phase - 1;
}

void ThreadChecker::by_mbarrier(Warp& w, const void* object, Touch& touch) {
  const CheckedMbarrier* m = find_mbarrier(w, object);
  touch.agent = Agent::kMbarrier;
  touch.number = m ? m->number : 0;
  touch.clock = m ? m->phase : 1;
}

}  // namespace warplens::simt::ptx_machine
