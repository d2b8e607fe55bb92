#include <algorithm>
#include <cmath>
#include <utility>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {

// Grids that leave SMs idle: fewer blocks than SMs, or a last wave that is nearly empty.
namespace {

/// The launch cut into blocks of a fourth of the threads, where they can be cut.
Work in_smaller_blocks(const Work& work, double times) {
  Work w = work;
  w.blocks *= times;
  w.needs.threads = std::max(32, static_cast<int>(w.needs.threads / times));
  w.needs.static_shared_bytes = static_cast<int64_t>(static_cast<double>(w.needs.static_shared_bytes) / times);
  w.needs.dynamic_shared_bytes = static_cast<int64_t>(static_cast<double>(w.needs.dynamic_shared_bytes) / times);
  return w;
}

/// A grid of whole waves, whose blocks walk through the work of the last one as well.
Work in_whole_waves(const Work& work, double waves) {
  const double times = waves / std::floor(waves);
  Work w = work;
  w.blocks /= times;
  scale_block_cycles(times, &w);
  return w;
}

void find_small_grid(const KernelReport& report, std::vector<Defect>* findings) {
  constexpr double kManyRequests = 8;  // of a warp
  const double idle = 1 - report.work.blocks / report.device->sms;
  if (idle <= 0) return;
  Work w = report.work;
  // No more blocks than there are data for: four bytes per thread.
  constexpr double kSmallest = 64;  // threads of a block
  const double bytes = 32 * std::max(w.read_sectors, w.written_sectors);
  const double most = bytes > 0 ? std::ceil(bytes / (4 * kSmallest)) : report.device->sms;
  if (most <= w.blocks) return;
  w.blocks = std::min<double>(report.device->sms, most);
  // Blocks that walk through data take less time when there are more of them, as many as the SMs hold at once.
  double requests = 0;
  for (const LineCounts& line : report.lines)
    requests += static_cast<double>(line.global_load.requests + line.global_store.requests);
  // Turns over data that other blocks go through as well, as bodies over all others, stay as many in a larger grid.
  const double of_warp = w.load_sectors * w.distinct_of_warps / warps_of(w);
  const double own = of_warp > 0 ? std::min<double>(1, w.read_sectors / (w.blocks * of_warp)) : 1;
  const double turns = requests / warps_of(report.work);
  if (turns >= kManyRequests) {
    w.blocks = std::clamp(report.work.blocks * turns / kManyRequests, w.blocks,
                          w.blocks * std::max(report.time.occupancy.blocks, 1));
    const double of_this_size = std::max(report.work.blocks, bytes / (4 * std::max(w.needs.threads, 1)));
    if (bytes > 0) w.blocks = std::min(w.blocks, of_this_size);
    scale_block_cycles(1 - own * (1 - report.work.blocks / w.blocks), &w);
  }
  Defect finding{{.id = "small-grid"}};
  finding.promise(report, w);
  finding.title = "the grid has fewer blocks than the GPU has SMs";
  finding.detail = fmt::format("{:.0f} block{} on {} SMs: {:.0f} % of the SMs are idle", report.work.blocks,
                               report.work.blocks == 1 ? "" : "s", report.device->sms, 100 * idle);
  if (w.blocks > report.device->sms)  // the promise is mostly of these
    finding.detail += fmt::format(", and the others hold one block each, where {} fit", report.time.occupancy.blocks);
  finding.advice = "split the work into more, smaller blocks, or run several such kernels at once";
  finding.evidence = {{"blocks", report.work.blocks}, {"sms", static_cast<double>(report.device->sms)}};
  say(std::move(finding), findings);
}

}  // namespace

void find_grid_shape(const KernelReport& report, std::vector<Defect>* findings) {
  find_small_grid(report, findings);
  const double waves = report.time.waves, whole = std::ceil(waves);
  if (waves <= 1 || whole <= waves) return;
  const double times = report.work.needs.threads >= 512 ? 4 : report.work.needs.threads >= 128 ? 2 : 1;
  Defect finding{{.id = "tail-effect"}};
  // Small blocks cannot be cut: what is left is a fixed grid whose blocks walk.
  finding.promise(report, times > 1 ? in_smaller_blocks(report.work, times) : in_whole_waves(report.work, waves));
  finding.saving_fraction = std::min(*finding.saving_fraction, (whole - waves) / whole);
  finding.title = "the last wave of blocks leaves most SMs idle";
  finding.detail =
      fmt::format("{:.2f} waves; in the last one, {:.0f} % of the block slots are empty", waves, 100 * (whole - waves));
  finding.advice = "choose a block size or grid that fills whole waves, or use a grid-stride loop with a fixed grid";
  finding.evidence = {{"waves", waves}};
  say(std::move(finding), findings);
}

}  // namespace warplens::report
