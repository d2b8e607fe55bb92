#include "warplens/report/measured.h"

#include <algorithm>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/facts.h"

namespace warplens::report {
namespace {

constexpr size_t kShown = 5;
constexpr double kWorthSaying = 0.005;

std::string units_text(const Measured& m) {
  std::string out;
  for (size_t k = 0; k < std::min(kShown, m.units.size()); ++k) {
    if (m.units[k].share >= kWorthSaying)
      out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", m.units[k].name, 100 * m.units[k].share);
  }
  return out;
}

std::string stalls_text(const Measured& m) {
  const double all =
      std::accumulate(m.stalls.begin(), m.stalls.end(), 0.0, [](double s, const Stall& w) { return s + w.cycles; });
  std::string out;
  for (size_t k = 0; k < std::min(kShown, m.stalls.size()); ++k) {
    if (m.stalls[k].cycles > 0.02 * all)
      out += fmt::format("{}{} {:.1f}", out.empty() ? "" : ", ", m.stalls[k].reason, m.stalls[k].cycles);
  }
  return out;
}

std::string hits_text(const Measured& m) {
  std::string out;
  if (m.l1_hit_rate >= 0) out += fmt::format("L1 answers {:.0f} % of sectors", 100 * m.l1_hit_rate);
  if (m.l2_hit_rate >= 0) out += fmt::format("{}L2 {:.0f} %", out.empty() ? "" : ", ", 100 * m.l2_hit_rate);
  return out;
}

}  // namespace

const std::vector<StallAdvice>& stall_advice() {
  static const std::vector<StallAdvice> all = {
      {"long_scoreboard", "long scoreboard", "waits for data from global, local or texture memory",
       "load data earlier (more independent loads a thread, cp.async or TMA into shared memory), keep it closer, or "
       "use more warps"},
      {"short_scoreboard", "short scoreboard",
       "waits for shared memory, special functions, conversions or double precision on slow units",
       "take fewer and wider shared-memory accesses without bank conflicts, and fewer special functions; put "
       "independent instructions between"},
      {"wait", "wait", "waits the fixed time between dependent instructions",
       "give threads more independent work (unroll, several accumulators), or have more warps"},
      {"barrier", "barrier", "waits for other warps of its block at a barrier",
       "divide the work of warps evenly before __syncthreads, use smaller blocks or barriers of fewer warps"},
      {"math_pipe_throttle", "math pipe throttle", "waits for a busy arithmetic pipe",
       "the pipe is the limit: use another (tensor cores, float instead of double, fewer integers), or compute less"},
      {"lg_throttle", "LG throttle", "waits until the queue of global and local memory instructions has room",
       "use fewer and wider accesses (float4), and avoid local memory"},
      {"mio_throttle", "MIO throttle",
       "waits until the queue of shared memory, special functions and shuffles has room",
       "use fewer and wider shared-memory accesses, fewer shuffles and special functions"},
      {"not_selected", "not selected", "was ready, but another warp was chosen",
       "there are enough warps; fewer warps with more registers each may be enough"},
      {"no_instruction", "no instruction", "waits for its next instruction to be fetched",
       "shrink the code in the hot loop (less unrolling and inlining), avoid jumps over long distances"},
      {"branch_resolving", "branch resolving", "waits for a branch to find its target",
       "unroll short loops, and replace branches by predicates or arithmetic"},
      {"dispatch_stall", "dispatch stall", "is held back by the dispatcher",
       "spread register accesses and pipes more evenly"},
      {"drain", "drain", "has ended and waits for its stores to leave",
       "store less at the end, in whole sectors; stores of a warp should be contiguous"},
      {"gmma", "GMMA", "waits for warp-group matrix instructions",
       "keep more of them in flight before waiting (wgmma.wait_group N above 0)"},
      {"imc_miss", "constant cache miss", "waits for constants that are not in the cache",
       "let all lanes read one constant at a time, and fewer different ones"},
      {"membar", "memory barrier", "waits for a fence",
       "use fences rarely and of the narrowest scope (__threadfence_block)"},
      {"misc", "miscellaneous", "waits for an internal event of the hardware", "look at the other reasons first"},
      {"selected", "selected", "issues", "this is work"},
      {"sleeping", "sleeping", "executes a sleep instruction", "sleep shorter (__nanosleep) or wait on an mbarrier"},
      {"tex_throttle", "TEX throttle", "waits until the queue of texture instructions has room",
       "use fewer and wider texture accesses, or plain loads"},
  };
  return all;
}

std::string lines_of(const std::vector<Fact>& facts) {
  std::string out;
  for (const Fact& fact : facts) out += fmt::format("  {}{} {}\n", fact.name, fact.colon ? ":" : "", fact.text);
  return out;
}

std::vector<Fact> measured_facts(const Measured& m) {
  std::string time = m.ns > 0 ? format_ns(m.ns) : "not counted";
  if (m.cycles > 0) time += fmt::format(" ({} cycles)", format_count(m.cycles));
  if (m.issue_active > 0) time += fmt::format("; issue slots busy {:.0f} %", 100 * m.issue_active);
  if (m.achieved_occupancy > 0) time += fmt::format("; achieved occupancy {:.0f} %", 100 * m.achieved_occupancy);
  std::vector<Fact> out = {{"time", time, false},
                           {"speed of light", units_text(m)},
                           {"cycles that a warp waits for each instruction", stalls_text(m)},
                           {"caches", hits_text(m)}};
  std::erase_if(out, [](const Fact& fact) { return fact.text.empty(); });
  return out;
}

std::string measured_text(const Measured& m) { return lines_of(measured_facts(m)); }

}  // namespace warplens::report
