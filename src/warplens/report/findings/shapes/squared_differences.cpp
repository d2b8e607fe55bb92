#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/shapes/shape_rules.h"

namespace warplens::report {
namespace {

constexpr double kTile = 128;  // results of a block of matrix instructions, a side

/// With the sums as products of matrices. Matrix instructions of 16 x 8 x 8 do the products of 32 fused instructions of
/// a warp, and a block loads each row and column of its tile once.
Work as_product(const KernelReport& report, const Shape& squares) {
  constexpr double kPerMatrix = 4;  // instructions for one: its own, and those that load its operands
  constexpr double kOfPeak = 4;     // times as long as at the peak, as a first version takes
  constexpr double kWarpTile = 64;  // results of a warp, a side
  const double terms = static_cast<double>(squares.terms), results = terms / std::max<double>(1, squares.length);
  const double spared = std::min(static_cast<double>(squares.warp_instructions), report.work.instructions);
  const double matrices = terms / 32 / 32;
  Work w = with_share(1 - spared / std::max<double>(1, report.work.instructions), report.work);
  w.instructions += kPerMatrix * matrices;
  w.tensor += matrices;
  w.memory += matrices;
  w.tensor_time_flops += 2 * terms * report.device->half_tflops / report.device->tf32_tflops * kOfPeak;
  w.shared_wavefronts += terms * 2 * 4 / kWarpTile / 128;
  take_loads(w.load_sectors, &w);  // tiles take the place of all
  w.load_sectors = std::max(report.work.read_sectors, terms * 2 * 4 / kTile / 32);
  w.cache_lines = (w.load_sectors + w.store_sectors) / 4;
  w.blocks = std::min(w.blocks, std::max<double>(report.device->sms, results / (kTile * kTile)));
  w.needs.threads = std::max(w.needs.threads, 256);
  const double of_warp = w.instructions / warps_of(w);
  const Waits first = waits_for(1);  // for the first tile; the others are loaded meanwhile
  w.block_cycles_l1 = kPerMatrix * of_warp;
  w.block_cycles_l2 = w.block_cycles_l1 + first.l2;
  w.block_cycles_dram = w.block_cycles_l1 + first.dram;
  return w;
}

}  // namespace

// Distances of all pairs as sums of squared differences: |a - b|^2 = |a|^2 + |b|^2 - 2 ab, which is a matrix product.
void find_squared_differences(const KernelReport& report, const Shapes& shapes, std::vector<Defect>* findings) {
  constexpr double kMatrix = 8;  // a matrix instruction takes as many terms, rows and columns at least
  const Shape squares = shape_of(shapes, ShapeKind::kSquaredDifferences);
  if (squares.terms == 0 || report.device->tf32_tflops <= 0) return;
  const double numbers = 8 * report.work.read_sectors;  // floats
  const double uses = 2 * static_cast<double>(squares.terms) / std::max<double>(1, numbers);
  if (squares.length < kMatrix || uses < kMatrix) return;
  Defect finding{{.id = "squared-differences"}};
  finding.promise(report, as_product(report, squares));
  finding.title = "distances of pairs are summed as squared differences, not as a matrix product";
  finding.detail = fmt::format("{} squared differences, in sums of {:.0f}; each number is part of {:.0f}",
                               format_count(static_cast<double>(squares.terms)), squares.length, uses);
  finding.advice =
      "compute |a|^2 + |b|^2 - 2 ab: the norms once a row, and ab as a matrix product on tensor cores. TF32 keeps 11 "
      "bits of a number, and three TF32 products keep all 24 bits of a float. Distances of near points lose digits, so "
      "compute "
      "these again if they matter";
  finding.evidence = {{"squared_differences", static_cast<double>(squares.terms)},
                      {"terms_of_a_sum", squares.length},
                      {"uses_of_a_number", uses}};
  if (const std::string at = place(squares); !at.empty()) finding.where.push_back(at);
  say(std::move(finding), findings);
}

}  // namespace warplens::report
