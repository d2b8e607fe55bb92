// slow-collective: large collectives far below the bandwidth that the GPU's links reach.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/timeline/collective_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

using analysis::CollectiveWork;

constexpr int64_t kLargeBytes = 1 << 20;  // smaller ones cost their start, whatever the link
constexpr double kFarBelow = 0.25;        // of the usual bandwidth: kernels beside a collective slow it by half or more
constexpr double kFastOnce = 0.5;  // of it, reached by one of the group: then the link is not what the others wait for

double usual_gbs(const Context& c, const CollectiveWork& work) {
  return analysis::usual_bus_gbs(c.p.text(c.p.devices.name[work.device]), work.group_size);
}

/// Time of a collective over a usual link, as a share of `duration_ns`.
double usual_share(const Context& c, const CollectiveWork& work, int64_t duration_ns) {
  return static_cast<double>(analysis::usual_collective_ns(work, usual_gbs(c, work))) /
         static_cast<double>(duration_ns);
}

/// Collectives of this rank whose quartile is far slower than usual. With the traces of several ranks the quartile is
/// that of the rank which waits least.
std::vector<CollectiveWork> slow_ones(const Context& c) {
  std::vector<CollectiveWork> all = analysis::collective_work(c.p, c.joined.operators, c.joined.links), out;
  std::map<std::tuple<std::string, int64_t, int32_t>, int64_t> least;
  std::set<int32_t> fast_groups;  // sizes of groups in which a large collective was fast
  for (const CollectiveWork& work : all) {
    const auto at = least.try_emplace({work.name, work.bytes, work.group_size}, work.quartile_ns).first;
    at->second = std::min(at->second, work.quartile_ns);
    // By what it carried alone: of a message of a megabyte the start may take most of the time, over any link.
    if (work.bytes >= kLargeBytes && work.bus_gbs(work.best_ns) >= kFastOnce * usual_gbs(c, work))
      fast_groups.insert(work.group_size);
  }
  for (CollectiveWork& work : all) {
    work.quartile_ns = least.at({work.name, work.bytes, work.group_size});
    std::erase_if(work.events, [&](uint32_t row) { return c.program.event_of_row[row] == kNone; });
    if (work.events.empty() || work.bytes < kLargeBytes || work.group_size == 1) continue;
    if (usual_share(c, work, work.quartile_ns) < kFarBelow && !fast_groups.contains(work.group_size))
      out.push_back(std::move(work));
  }
  return out;
}

}  // namespace

std::optional<Finding> slow_collective(const Context& c) {
  constexpr double kMuchExcess = 0.05;  // of a step, on the device
  constexpr size_t kEnoughToTell = 4;   // collectives of one kind: some of them waited for nobody
  if (c.communication().empty()) return std::nullopt;
  const std::vector<CollectiveWork> slow = slow_ones(c);
  if (slow.empty()) return std::nullopt;
  Change change;
  std::vector<uint32_t> ops;
  int64_t slow_ns = 0, excess_ns = 0;
  for (const CollectiveWork& work : slow) {
    const int64_t less = work.quartile_ns - analysis::usual_collective_ns(work, usual_gbs(c, work));
    excess_ns += less * static_cast<int64_t>(work.events.size());
    for (const uint32_t row : work.events) {
      change.event_duration.emplace_back(row, std::max<int64_t>(0, c.p.device_events.duration_ns[row] - less));
      ops.push_back(c.joined.links.event_operator[row]);
      slow_ns += c.p.device_events.duration_ns[row];
    }
  }
  Finding f;
  c.set_saving(f, change);
  // Where the host is the limit today a faster link saves nothing yet; it will be the next limit.
  const double excess = c.per_step(static_cast<double>(excess_ns)) / static_cast<double>(c.step_ns);
  if (excess < kMinorSaving) return std::nullopt;
  if (excess > kMuchExcess && f.level == Level::kInfo) f.level = Level::kWarn;
  const CollectiveWork& worst = slow.front();
  const double usual = usual_gbs(c, worst), reached = worst.bus_gbs(worst.quartile_ns);
  f.title = fmt::format("{} of {} takes {}: {:.1f} GB/s on the bus; about {:.0f} GB/s are usual", worst.name,
                        format_bytes(static_cast<double>(worst.bytes)),
                        format_ns(static_cast<double>(worst.quartile_ns)), reached, usual);
  f.detail = fmt::format(
      "{} such collectives {} take {} on the device. The time above is their lower quartile: three in "
      "four take longer.{}",
      format_count(c.per_step(static_cast<double>(ops.size()))), c.each_step(),
      format_ns(static_cast<double>(slow_ns) / static_cast<double>(c.program.steps)),
      worst.events.size() < kEnoughToTell ? " They are few, so part of the time may be a wait for "
                                            "another rank."
                                          : " The time includes waits for ranks that are always late.");
  f.advice =
      "Check the transport: NCCL_DEBUG=INFO names it (P2P over NVLink, SHM, NET/IB, NET/Socket), and `nvidia-smi "
      "topo -m` shows the links. Unset NCCL_P2P_DISABLE and NCCL_SHM_DISABLE, give containers shared memory, choose "
      "the right network interface (NCCL_SOCKET_IFNAME, NCCL_IB_HCA). `warplens ranks` on all ranks' traces "
      "separates transfer from waiting.";
  f.evidence = {{"collective", worst.name},
                {"bytes", worst.bytes},
                {"group_size", int64_t{worst.group_size}},
                {"duration_ns", worst.quartile_ns},
                {"bus_gigabytes_per_second", reached},
                {"usual_gigabytes_per_second", usual},
                {"collectives_per_step", c.per_step(static_cast<double>(ops.size()))},
                {"device_ns", slow_ns / static_cast<int64_t>(c.program.steps)},
                {"concerned_fraction", excess}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
