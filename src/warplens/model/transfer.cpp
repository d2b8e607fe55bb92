#include "warplens/model/transfer.h"

#include <algorithm>
#include <cmath>

#include "warplens/model/constants.h"

namespace warplens::model {

double link_rate(int compute_major) { return compute_major >= 9 ? kLink5 : compute_major == 8 ? kLink4 : kLink3; }

double host_copy_ns(double bytes, int compute_major, bool pageable) {
  const double link = link_rate(compute_major);
  return kCopyStartNs + bytes / (pageable ? std::min(kPageableRate, link) : link);
}

Work transfer_work(double read_sectors, double warm_sectors, double written_sectors) {
  constexpr double kThreads = 512, kRequestSectors = 16;  // a warp's request: 16 bytes a lane
  constexpr double kBlockSectors = kThreads / 32 * kRequestSectors;
  constexpr double kInstructions = 4;  // for each request: its address, the loop
  const double sectors = read_sectors + written_sectors, requests = std::ceil(sectors / kRequestSectors);
  Work w;
  w.blocks = std::max(1.0, std::ceil(std::max(read_sectors, written_sectors) / kBlockSectors));
  w.needs.threads = static_cast<int>(kThreads);
  w.memory = requests;
  w.instructions = requests * kInstructions;
  w.alu = requests * (kInstructions - 1);
  w.cache_lines = std::ceil(sectors / 4);
  w.load_sectors = w.read_sectors = read_sectors;
  w.store_sectors = w.written_sectors = written_sectors;
  w.stored_bytes = 32 * written_sectors;
  w.warm_sectors = warm_sectors;
  w.block_cycles_l1 = kL1Cycles;
  w.block_cycles_l2 = read_sectors > 0 ? kL2Cycles : kL1Cycles;
  w.block_cycles_dram = read_sectors > 0 ? kDramCycles : kL1Cycles;
  return w;
}

}  // namespace warplens::model
