#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

/// What a kernel computes from tiles in shared memory.
struct Tiles {
  double operations = 0;  // warp instructions of floating point: one, of a product, is a multiplication and an addition
  double loads = 0, stores = 0;                           // warp instructions, of shared memory
  double passes = 0, ideal = 0;                           // of those loads
  double loaded_bytes = 0, stored_bytes = 0, copied = 0;  // copied: loads from global memory
  double word = 4;                                        // bytes of a number
  std::vector<std::pair<uint64_t, std::string>> places;
  explicit Tiles(const KernelReport& report) {
    const Work& w = report.work;
    operations = w.fma + w.fp64 + w.half;
    if (w.fp64 > w.fma) word = 8;
    for (const LineCounts& line : report.lines) {
      const auto& load = line.shared_load;
      loads += static_cast<double>(load.requests);
      passes += static_cast<double>(load.wavefronts);
      ideal += static_cast<double>(load.ideal_wavefronts);
      loaded_bytes += static_cast<double>(load.bytes);
      stores += static_cast<double>(line.shared_store.requests);
      stored_bytes += static_cast<double>(line.shared_store.bytes);
      copied += static_cast<double>(line.global_load.requests);
      if (load.bytes && line.floating && !place(line).empty()) places.push_back({load.bytes, place(line)});
    }
    std::sort(places.rbegin(), places.rend());
  }
  /// Numbers that a thread loads for an operation: 2 where it has one result, (m + n) / (m n) where it has m x n.
  double loads_an_operation() const { return operations > 0 ? loaded_bytes / (32 * word) / operations : 0; }
};

struct Tile {
  int rows, columns;
  int results() const { return rows * columns; }
  double loads_an_operation() const { return static_cast<double>(rows + columns) / results(); }
};

/// The launch with `tile` results per thread for each of `now`.
Work with_results(const KernelReport& report, const Tiles& tiles, const Tile& tile, const Tile& now) {
  constexpr double kThreads = 256,
                   kCycles = 3;   // of a block then; a warp takes for an instruction, many being independent
  constexpr double kTrips = 2;    // thinner tiles wait more often for memory
  constexpr double kWidest = 16;  // bytes of a lane's load
  Work w = report.work;
  const double times = static_cast<double>(tile.results()) / now.results(),
               threads = std::min<double>(w.needs.threads, kThreads);
  const double edge = std::sqrt(std::max(1.0, times * threads / w.needs.threads));  // of a block's tile, to what it was
  const double words = tiles.operations * tile.loads_an_operation(), moved = tiles.stores + tiles.copied;
  // The words of a tile's row, or column, are neighbours: one load takes them.
  const double loads = words * tiles.word / kWidest;
  const double memory = std::max(0.0, w.memory - tiles.loads - moved) + loads + moved / edge;
  w.instructions = std::max(tiles.operations, w.instructions + memory - w.memory);
  w.memory = memory;
  w.shared_conflicts /= edge;
  w.shared_wavefronts = words * tiles.word / 4 + std::max(0.0, w.shared_wavefronts - tiles.passes) / edge;
  w.load_sectors = std::max(w.load_sectors / edge, std::min(w.load_sectors, w.read_sectors));
  w.lost_sectors /= edge;
  w.cache_lines /= edge;
  w.blocks = std::max(1.0, w.blocks * w.needs.threads / threads / times);
  w.needs.threads = static_cast<int>(threads);
  w.needs.registers += static_cast<int>((tile.results() - now.results() + tile.rows + tile.columns) * tiles.word / 4);
  set_block_cycles(std::max(w.block_cycles_l1, kCycles * w.instructions / warps_of(w)), kTrips, &w);
  return w;
}

/// The next size up: from one result per thread, or a column of them, to a square.
Tile next_tile(double loads_an_operation, Tile* now) {
  constexpr Tile kOne{1, 1}, kColumn{8, 1};
  const auto away = [&](const Tile& tile) { return std::abs(loads_an_operation - tile.loads_an_operation()); };
  *now = away(kOne) < away(kColumn) ? kOne : kColumn;
  return now->results() == 1 ? Tile{4, 4} : Tile{8, 8};
}

}  // namespace

// Products of tiles in shared memory, where each thread has too few results for what it loads.
void find_register_tiles(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kReuse = 4, kMostRegisters = 255;
  const Tiles tiles(report);
  const Work& now = report.work;
  const double loads = tiles.loads_an_operation();
  if (now.tensor_flops > 0) return;
  // Lanes that each look elsewhere, as into a table, take two passes or more: no tile serves them.
  if (tiles.loaded_bytes < kReuse * std::max(tiles.stored_bytes, 1.0) || tiles.passes >= 2 * tiles.ideal) return;
  const std::string& limit = report.time.limited_by;
  Tile has{1, 1};
  const Tile tile = next_tile(loads, &has);
  const Work mended = with_results(report, tiles, tile, has);
  if (mended.needs.registers > kMostRegisters) return;
  Defect finding{{.id = "register-tiles"}};
  finding.promise(report, mended);
  finding.title = "each value loaded from shared memory is used for too few results";
  finding.detail = fmt::format(
      "{:.1f} values are loaded from shared memory for each arithmetic instruction; the limit is {}", loads, limit);
  finding.advice = fmt::format(
      "compute {} x {} results per thread in registers ({} loads for {} results instead of {:.0f}; about {} "
      "registers), and enlarge the tiles of shared memory to match",
      tile.rows, tile.columns, tile.rows + tile.columns, tile.results(), loads * tile.results(),
      mended.needs.registers);
  finding.evidence = {{"loads_per_operation", loads},
                      {"results_per_thread", static_cast<double>(tile.results())},
                      {"registers", static_cast<double>(mended.needs.registers)}};
  for (size_t k = 0; k < std::min<size_t>(tiles.places.size(), 2); ++k) finding.where.push_back(tiles.places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
