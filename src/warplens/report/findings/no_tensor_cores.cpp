#include <algorithm>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

/// Sums of products and the 16-bit numbers that they are made of.
struct Products {
  double fused = 0;              // warp instructions
  double loads = 0, narrow = 0;  // requests to global memory; those of 16 bits a lane
  double bytes = 0, stored = 0;  // loaded from shared and global memory; stored to global memory
  std::vector<std::pair<uint64_t, std::string>> places;
  explicit Products(const KernelReport& report) {
    for (const LineCounts& line : report.lines) {
      fused += static_cast<double>(line.fp32_fma + line.half_fma) / 32;
      const simt::InstructionCounts& load = line.global_load;
      loads += static_cast<double>(load.requests);
      if (load.bytes <= 2 * load.predicated_on_threads) narrow += static_cast<double>(load.requests);
      bytes += static_cast<double>(load.bytes + line.shared_load.bytes);
      stored += static_cast<double>(line.global_store.bytes);
      if (const uint64_t here = line.fp32_fma + line.half_fma; here && !place(line).empty())
        places.push_back({here, place(line)});
    }
    std::sort(places.rbegin(), places.rend());
  }
  /// Numbers of 16 bits are converted, worked on in pairs, or loaded one by one.
  bool of_halves(const Work& work) const { return work.half >= 0.5 * fused || 2 * narrow > loads; }
};

}  // namespace

// Matrix products of 16-bit numbers by ordinary arithmetic, where there are tensor cores.
void find_no_tensor_cores(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kOften = 0.1;       // of all instructions
  constexpr double kMatrix = 16;       // a matrix instruction sums so many products; a tile uses each number as often
  constexpr double kRate = 0.25;       // of the tensor cores' peak, as first versions have it
  constexpr double kRemaining = 0.25;  // of instructions and loads besides
  const Work& now = report.work;
  if (now.tensor > 0 || report.device->half_tflops <= 0) return;
  const Products products(report);
  const double results = products.stored / 2;
  if (products.fused < kOften * now.instructions || !products.of_halves(now) ||
      products.bytes < kMatrix * 32 * now.read_sectors || 32 * products.fused < kMatrix * results)
    return;
  Work w = now;
  w.tensor_time_flops = 2 * 32 * products.fused / kRate;
  w.tensor = products.fused / (4 * kMatrix);  // of 16 by 8 results
  w.fma -= std::min(w.fma, products.fused);
  w.half = 0;
  w.instructions = (w.instructions - products.fused) * kRemaining;
  for (double* part : {&w.alu, &w.imad, &w.memory, &w.branches, &w.shared_wavefronts, &w.cache_lines})
    *part *= kRemaining;
  take_loads(w.load_sectors * (1 - kRemaining), &w);
  scale_block_cycles(kRemaining, &w);
  Defect finding{{.id = "no-tensor-cores"}};
  finding.promise(report, w);
  finding.title = "a 16-bit matrix product does not use tensor cores";
  finding.detail =
      fmt::format("{:.0f} multiply-adds of warps on 16-bit numbers, none by matrix instructions", products.fused);
  finding.advice = "use tensor cores: nvcuda::wmma or mma.sync on 16 x 16 tiles, a library, or Triton";
  finding.evidence = {{"fused_products", products.fused}};
  for (size_t k = 0; k < std::min<size_t>(products.places.size(), 2); ++k)
    finding.where.push_back(products.places[k].second);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
