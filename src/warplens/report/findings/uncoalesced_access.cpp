#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

/// What brings a request's lanes together: another order of threads, or of the indices that the kernel loads, too.
enum class Order : uint8_t { kThreads, kIndices };

/// Sectors of the lines that touch more of them than their bytes need.
struct Excess {
  double loads = 0, stores = 0;  // beyond the fewest possible
  double stored = 0;             // sectors, of the lines' stores
  double sectors = 0, ideal = 0, load_bytes = 0;
  double load_sectors = 0, load_requests = 0;  // of those lines, where lanes read different words
  double fewest_lines = 0;                     // of 128 bytes, that all requests need for their bytes
  Waits waits, ideal_waits;                    // of loads
  std::vector<std::string> where;
  Excess(const KernelReport& report, Order order) {
    const simt::InstructionCounts none;
    for (const LineCounts& line : report.lines) {
      const bool stay = order == Order::kThreads;  // requests at loaded indices
      const simt::InstructionCounts &gathered = stay ? line.gathered : none, &scattered = stay ? line.scattered : none;
      const Access load = rest_of(line.global_load, gathered), store = rest_of(line.global_store, scattered);
      load_bytes += load.bytes;
      wait_for(load.requests, load.sectors, load.ideal);
      add(line, load, false);
      add(line, store, true);
      keep(gathered, true);
      keep(scattered, false);
    }
  }

 private:
  struct Access {
    double requests = 0, sectors = 0, ideal = 0, bytes = 0;
  };
  /// All requests but those that stay.
  static Access rest_of(const simt::InstructionCounts& all, const simt::InstructionCounts& apart) {
    const auto less = [](uint64_t a, uint64_t b) { return static_cast<double>(a - std::min(a, b)); };
    return {less(all.requests, apart.requests), less(all.sectors, apart.sectors),
            less(all.ideal_sectors, apart.ideal_sectors), less(all.bytes, apart.bytes)};
  }
  void wait_for(double requests, double now, double then) {
    if (requests <= 0) return;
    waits.add(waits_for(now / 4 / requests), requests);
    ideal_waits.add(waits_for(then / 4 / requests), requests);
  }
  void keep(const simt::InstructionCounts& apart, bool load) {
    const auto requests = static_cast<double>(apart.requests), moved = static_cast<double>(apart.sectors);
    fewest_lines += moved;  // each in a line of its own
    if (!load) return;
    load_bytes += 32 * moved;
    wait_for(requests, moved, moved);
  }
  void add(const LineCounts& line, const Access& access, bool store) {
    fewest_lines += std::max(access.requests, access.ideal / 4);
    // Data that begin anywhere reach into a sector more a request.
    if (access.sectors <= access.ideal + access.requests) return;
    (store ? stores : loads) += access.sectors - access.ideal;
    if (store) stored += access.sectors;
    sectors += access.sectors;
    ideal += access.ideal;
    if (!store) {
      load_sectors += access.sectors - static_cast<double>(line.broadcast.sectors);
      load_requests += access.requests - static_cast<double>(line.broadcast.requests);
    }
    if (const std::string at = place(line); !at.empty() && (where.empty() || where.back() != at)) where.push_back(at);
  }
};

Work coalesced(const KernelReport& report, const Excess& excess) {
  Work w = report.work;
  if (excess.loads + excess.stores <= 0) return w;
  const double waited = waiting_share(w);
  take_loads(excess.loads, &w);
  // As many loads wait as before, each for fewer lines.
  const double left = waiting_share(w), fewer = left > 0 ? std::min(1.0, waited / left) : 1;
  Waits after;
  after.add(excess.ideal_waits, fewer);
  set_block_cycles(w.block_cycles_l1, after, excess.waits, &w);
  w.store_sectors -= excess.stores;
  w.cache_lines = std::min(w.cache_lines, excess.fewest_lines);
  if (excess.stores > 0) {
    w.partial_sectors = std::max(0.0, w.partial_sectors - excess.stored);
    w.merged_sectors = w.completed_sectors = 0;
  }
  w.read_sectors = std::min(w.read_sectors, excess.load_bytes / 32);
  w.lone_sectors = std::min(w.lone_sectors, std::max(0.0, excess.load_bytes / 32 - w.read_sectors));
  if (w.stored_bytes > 0) w.written_sectors = std::min(w.written_sectors, w.stored_bytes / 32);
  w.lost_sectors = std::max(0.0, w.lost_sectors - excess.loads);
  return w;
}

/// Nearly every byte of the read sectors is loaded, if not by one request.
bool uses_all_bytes(const KernelReport& report, const Excess& excess) {
  constexpr double kUsed = 0.9;  // of the bytes of sectors
  return excess.load_bytes >= kUsed * 32 * report.work.read_sectors;
}

/// The launch with a warp for each row that a thread walks through element by element: as many more warps, each with as
/// many fewer turns. As it is where threads do not walk.
Work by_warps(const KernelReport& report, const Excess& excess, Work w) {
  constexpr double kApart = 24;  // sectors of a request
  const double lanes = std::min(32.0, excess.load_requests / warps_of(report.work));
  const bool walks =
      lanes >= 32 && excess.load_sectors >= kApart * excess.load_requests && uses_all_bytes(report, excess);
  if (!walks) return w;
  w.blocks *= lanes;
  scale_block_cycles(1 / lanes, &w);
  return w;
}

/// As much is stored as loaded, but only one of the two along consecutive addresses, and all bytes of sectors are used.
bool is_transposed(const KernelReport& report, const Excess& excess) {
  const double stored = report.work.stored_bytes, loaded = excess.load_bytes;
  const bool is_copied = 2 * std::min(stored, loaded) >= std::max(stored, loaded);
  const bool is_one_sided = excess.loads <= 0 || excess.stores <= 0;
  return is_one_sided && is_copied && uses_all_bytes(report, excess);
}

const char* advice_for(const KernelReport& report, const Excess& excess, bool walks) {
  if (walks)
    return "each thread walks through its own row: let the lanes of a warp share a row, and combine their results by "
           "shuffles";
  if (is_transposed(report, excess))
    return "transpose a tile in shared memory, so that loads and stores both go along consecutive addresses";
  return "make consecutive threads access consecutive elements: put the fastest index along threadIdx.x, or use "
         "structures of arrays";
}

}  // namespace

Work coalesced(const KernelReport& report) { return coalesced(report, Excess(report, Order::kThreads)); }

namespace {

Defect far_apart(const KernelReport& report, const Excess& excess, const Work& mended) {
  Defect out{{.id = "uncoalesced-access"}};
  out.promise(report, mended);
  out.where = excess.where;
  out.detail = fmt::format("{} sectors of 32 bytes move; {} are enough for the data", format_count(excess.sectors),
                           format_count(excess.ideal));
  out.evidence = {{"sectors", excess.sectors}, {"ideal_sectors", excess.ideal}};
  return out;
}

/// False if there is nothing to say.
bool find_far_threads(const KernelReport& report, std::vector<Defect>* findings) {
  const Excess excess(report, Order::kThreads);
  if (excess.loads + excess.stores <= 0) return false;
  const Work together = coalesced(report, excess), by_rows = by_warps(report, excess, together);
  const bool walks = saving(report, by_rows) > saving(report, together);
  Defect finding = far_apart(report, excess, walks ? by_rows : together);
  finding.title = "neighbouring threads access addresses that are far apart";
  finding.advice = advice_for(report, excess, walks);
  return say(std::move(finding), findings);
}

void find_far_indices(const KernelReport& report, std::vector<Defect>* findings) {
  const Excess excess(report, Order::kIndices);
  if (excess.loads + excess.stores <= 0) return;
  Defect finding = far_apart(report, excess, coalesced(report, excess));
  finding.title = "neighbouring threads access elements whose indices are far apart";
  finding.advice =
      "sort the indices or renumber the elements, so that neighbouring threads find neighbours; if the indices must "
      "stay, nothing can be saved here";
  say(std::move(finding), findings);
}

}  // namespace

// Requests that touch more sectors than their bytes need.
void find_uncoalesced_access(const KernelReport& report, std::vector<Defect>* findings) {
  if (!find_far_threads(report, findings)) find_far_indices(report, findings);
}

}  // namespace warplens::report
