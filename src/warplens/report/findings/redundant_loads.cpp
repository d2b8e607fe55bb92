#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

namespace {

/// What loads and stores that go back to the same places could do without.
struct Again {
  double load_bytes = 0, load_requests = 0, shared_requests = 0, store_bytes = 0, store_requests = 0;
  double broadcasts = 0;  // requests
  std::vector<std::pair<uint64_t, std::string>> places;
  explicit Again(const KernelReport& report) {
    const bool fit = broadcasts_fit_constants(report);
    for (const LineCounts& line : report.lines) {
      store_bytes += static_cast<double>(line.global_store.bytes);
      store_requests += static_cast<double>(line.global_store.requests);
      broadcasts += static_cast<double>(line.broadcast.requests);
      shared_requests += static_cast<double>(line.shared_load.requests);
      if (line.global_load.bytes && !place(line).empty()) places.push_back({line.global_load.bytes, place(line)});
      if (line.broadcast.requests == line.global_load.requests) continue;
      const bool constants = fit && turns_of(line, report.work) <= 1;  // operands: another finding
      load_bytes += static_cast<double>(line.global_load.bytes - (constants ? line.broadcast.bytes : 0));
      load_requests += static_cast<double>(line.global_load.requests - (constants ? line.broadcast.requests : 0));
    }
    std::sort(places.rbegin(), places.rend());
  }
};

/// With tiles in shared memory and several results per thread: loads, their addresses and conversions are done once for
/// those.
Work with_tiles(const KernelReport& report, const Again& again) {
  constexpr double kResults = 2,
                   kWords = 0.5;  // results per thread; passes of shared memory for a request that was there
  constexpr double kBesides = 4;  // instructions that go with a load
  Work w = report.work;
  const double results = w.fma + w.fp64;  // the work itself
  const double before = std::max(w.instructions, 1.0);
  const double others = std::max(w.instructions - results, 1.0), spared = again.load_requests * (1 - 1 / kResults);
  const double kept = std::max(1 / kResults, 1 - kBesides * spared / others);
  if (w.fma > 0) w.half *= kept;  // conversions
  w.alu *= kept;
  w.imad *= kept;
  w.special *= kept;
  w.branches *= kept;
  w.memory -= std::min(w.memory, spared);
  w.instructions = std::min(w.instructions, results + others * kept);
  const double moved = w.load_sectors + w.store_sectors, loads = std::max<double>(w.load_sectors, 1);
  take_loads(w.load_sectors * w.l1_hit_rate, &w);  // what a block loads for the first time, its tile loads as well
  w.cache_lines *= moved > 0 ? (w.load_sectors + w.store_sectors) / moved : 1;
  w.shared_wavefronts += kWords * again.load_bytes / 128;
  scale_block_cycles(w.instructions / before, &w);
  set_block_cycles(w.block_cycles_l1, w.load_sectors / loads, &w);
  return w;
}

/// With tiles in shared memory for what every warp walks through as a whole, several words of them at a time.
Work with_tiles_for_all(const KernelReport& report) {
  constexpr double kTogether = 2;
  Work w = without_broadcasts(report);
  set_block_cycles(w.block_cycles_l1, 0, &w);
  scale_block_cycles(1 / kTogether, &w);
  return w;
}

/// With the sum, or whatever is stored and loaded in turns, in a register.
Work in_register(const KernelReport& report, const Again& again) {
  constexpr double kTogether = 4;  // loads that wait side by side once none waits for a store
  Work w = report.work;
  const double kept = 32 * w.written_sectors / again.store_bytes;  // of the stores
  const double spared = w.store_sectors * (1 - kept), requests = again.store_requests * (1 - kept);
  w.store_sectors -= spared;
  w.partial_sectors *= kept;
  const double loads = std::max(w.load_sectors - spared, std::min(w.load_sectors, w.read_sectors));
  w.cache_lines *= (loads + w.store_sectors) / (report.work.load_sectors + report.work.store_sectors);
  w.load_sectors = loads;
  w.memory -= std::min(w.memory, 2 * requests);
  w.instructions -= std::min(0.8 * w.instructions, 2 * requests);
  scale_block_cycles(1 / kTogether, &w);
  return w;
}

}  // namespace

// The same data loaded from global memory again and again, or stored and loaded in turns.
void find_redundant_loads(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kTimes = 8, kStores = 4;
  constexpr double kOften = 0.1;                 // of all instructions
  constexpr double kWaited = 0.03;               // the same, where time goes by in waiting for them
  if (exchanges_through_global(report)) return;  // no register or tile of one's own holds what others hand over
  const Again again(report);
  const double distinct = 32 * report.work.read_sectors, written = 32 * report.work.written_sectors;
  Defect finding{{.id = "redundant-loads"}};
  if (written > 0 && again.store_bytes >= kStores * written && again.load_requests >= 0.5 * again.store_requests) {
    finding.promise(report, in_register(report, again));
    finding.title = "the same addresses of global memory are stored and loaded many times";
    finding.detail =
        fmt::format("threads store {} to {} of memory", format_bytes(again.store_bytes), format_bytes(written));
    finding.advice = "keep the value in a register and store it once, after the loop";
    finding.evidence = {{"stored_bytes", again.store_bytes}, {"distinct_bytes", written}};
  } else if (distinct > 0 && again.load_bytes >= kTimes * distinct && again.shared_requests < again.load_requests) {
    // The lanes of a fragment belong to 16 rows: nothing but a tile brings them together.
    if (report.work.tensor_flops > 0) finding.promise(report, with_tiles(report, again));
    else finding.promise_beyond(report, coalesced(report), with_tiles(report, again));
    finding.title = "the same data are loaded from global memory many times";
    finding.detail = fmt::format("threads load {} of distinct data {:.0f} times, {} in all", format_bytes(distinct),
                                 again.load_bytes / distinct, format_bytes(again.load_bytes));
    finding.advice =
        "load a tile into shared memory once a block and reuse it; keep several results of a thread in registers";
    finding.evidence = {{"loaded_bytes", again.load_bytes}, {"distinct_bytes", distinct}};
  }
  const bool walks = !broadcasts_fit_constants(report) && again.shared_requests < again.broadcasts;
  const double often = report.time.limited_by == "latency" ? kWaited : kOften;
  if (walks && again.broadcasts > often * report.work.instructions && !finding.saving_fraction) {
    finding.promise(report, with_tiles_for_all(report));
    finding.title = "every warp loads the same data from global memory, one word at a time";
    finding.detail = fmt::format("{} loads of one word for a whole warp", format_count(again.broadcasts));
    finding.advice =
        "load a tile into shared memory once a block, and read it from there four words at a time (float4)";
    finding.evidence = {{"broadcast_requests", again.broadcasts}};
  }
  for (size_t k = 0; k < std::min<size_t>(again.places.size(), 2); ++k) finding.where.push_back(again.places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
