#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

/// Sums of products and the 16-bit numbers that they are made of.
struct Products {
  double fused = 0;              // warp instructions
  double loads = 0, narrow = 0;  // requests to global memory; those of 16 bits a lane
  double bytes = 0;              // loaded from shared and global memory
  double results = 0;            // stored to global memory: halves one at a time, or floats
  std::vector<std::pair<uint64_t, std::string>> places;
  explicit Products(const KernelReport& report) {
    for (const LineCounts& line : report.lines) {
      fused += static_cast<double>(line.fp32_fma + line.half_fma) / 32;
      const simt::InstructionCounts& load = line.global_load;
      loads += static_cast<double>(load.requests);
      if (load.bytes <= 2 * load.predicated_on_threads) narrow += static_cast<double>(load.requests);
      bytes += static_cast<double>(load.bytes + line.shared_load.bytes);
      const simt::InstructionCounts& store = line.global_store;
      results += std::min(static_cast<double>(store.predicated_on_threads), static_cast<double>(store.bytes) / 2);
      if (store.bytes > 4 * store.predicated_on_threads)
        results += static_cast<double>(store.bytes) / 4 - static_cast<double>(store.predicated_on_threads);
      if (const uint64_t here = line.fp32_fma + line.half_fma; here && !place(line).empty())
        places.push_back({here, place(line)});
    }
    std::sort(places.rbegin(), places.rend());
  }
  /// Numbers of 16 bits are converted, worked on in pairs, or loaded one by one.
  bool of_halves(const Work& work) const { return work.half >= 0.5 * fused || 2 * narrow > loads; }
};

/// The simplest version by matrix instructions, as examples of wmma have it: blocks of four warps, 16 by 16 results a
/// warp, whose fragments it loads straight from global memory. Tiles in shared memory come after that.
class FirstVersion {
 public:
  FirstVersion(const Products& products, const gpu::Device& device) : products_(products), device_(device) {}

  Work work(const Work& now) const {
    constexpr int kRegisters = 64;  // of a thread: results, fragments, addresses
    constexpr double kShared = 2;   // warps of a block with the same rows, or columns
    Work w = now;
    for (double* none : {&w.imad, &w.fma, &w.half, &w.fp32_flops, &w.half_flops, &w.l1_late_rate, &w.warps_stay,
                         &w.longest_block, &w.shared_wavefronts, &w.shared_conflicts, &w.register_waits, &w.barriers})
      *none = 0;
    w.blocks = std::max(1.0, products_.results / kSquare / kWarps);
    w.needs = {.threads = static_cast<int>(32 * kWarps), .registers = kRegisters};
    const double turns = w.blocks * kWarps * turns_of_warp(), requests = 2 * kRequests * turns;
    w.tensor = 2 * turns;
    w.tensor_flops = w.tensor_time_flops = 2 * 32 * products_.fused;
    if (device_.architecture().major == 9)
      w.tensor_lost_flops = w.tensor_flops * (model::kLongMatrixCycles * model::kMatrixFlops / kMatrixFlopsOfOne - 1);
    const double stores = products_.results / 32 / 2;
    w.alu = kOthers * turns;
    w.branches = turns;
    w.memory = stores + requests;
    w.instructions = w.tensor + w.memory + w.alu;
    w.load_sectors = kRows * requests;
    w.cache_lines = stores + w.load_sectors;
    w.l1_hit_rate = 1 - 1 / (2 * kShared);  // a request takes half of its sectors, another the rest
    set_cycles(&w);
    return w;
  }

 private:
  static constexpr double kWarps = 4, kSquare = 256, kDeep = 16;   // of a block; results of a warp; terms of a turn
  static constexpr double kMatrixFlopsOfOne = 2 * 16 * 8 * 16;     // two instructions a turn
  static constexpr double kRequests = 4, kRows = 8, kOthers = 16;  // for a fragment; of a request; of a turn besides

  double turns_of_warp() const { return std::max(1.0, 32 * products_.fused / products_.results / kDeep); }

  /// A turn waits for what it loads, and then for its products.
  void set_cycles(Work* w) const {
    constexpr double kCycles = 4;  // of an instruction besides
    const Waits once = waits_for(kRows);
    w->block_cycles_l1 = turns_of_warp() * (model::kL1Cycles + 2 * model::kLongMatrixCycles + kCycles * kOthers);
    w->block_cycles_l2 = w->block_cycles_l1 + turns_of_warp() * once.l2;
    w->block_cycles_dram = w->block_cycles_l1 + turns_of_warp() * once.dram;
  }

  const Products& products_;
  const gpu::Device& device_;
};

}  // namespace

// Matrix products of 16-bit numbers by ordinary arithmetic, where there are tensor cores.
void find_no_tensor_cores(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kOften = 0.1;  // of all instructions
  constexpr double kMatrix = 16;  // a matrix instruction sums so many products; a tile uses each number as often
  const Work& now = report.work;
  if (now.tensor > 0 || report.device->half_tflops <= 0) return;
  const Products products(report);
  if (products.fused < kOften * now.instructions || !products.of_halves(now) ||
      products.bytes < kMatrix * 32 * now.read_sectors || products.results <= 0 ||
      32 * products.fused < kMatrix * products.results)
    return;
  Defect finding{{.id = "no-tensor-cores"}};
  finding.promise(report, FirstVersion(products, *report.device).work(now));
  finding.title = "a 16-bit matrix product does not use tensor cores";
  finding.detail = fmt::format("{} multiply-adds of warps on 16-bit numbers, none by matrix instructions",
                               format_count(products.fused));
  finding.advice = "use tensor cores: nvcuda::wmma or mma.sync on 16 x 16 tiles, a library, or Triton";
  finding.evidence = {{"fused_products", products.fused}};
  for (size_t k = 0; k < std::min<size_t>(products.places.size(), 2); ++k)
    finding.where.push_back(products.places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
