// Runs a kernel's machine code on the CPU to get the hardware's counts, instruction by instruction.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "warplens/isa/cubin/cubin.h"
#include "warplens/run/sass/counting/clock.h"
#include "warplens/run/sass/counting/l2_contents.h"
#include "warplens/run/sass/counting/remote_counts.h"
#include "warplens/run/sass/program.h"
#include "warplens/run/sass/stop.h"
#include "warplens/simt/counts.h"
#include "warplens/simt/launch.h"
#include "warplens/simt/requests/sample.h"
#include "warplens/simt/texture/texture.h"

namespace warplens::simt::sass_machine {

class ChildLaunches;
class CodeCache;

/// A launch and the other inputs of its counts: the GPU whose caches are modelled.
struct MachineLaunch : Launch {
  Memory* memory = nullptr;
  const TextureTable* textures = nullptr;  // and surfaces; nullptr: none
  ChildLaunches* children = nullptr;       // launches of its kernel; nullptr: such a launch stops it
  CodeCache* code = nullptr;               // of the kernel, kept from launch to launch; nullptr: it is launched once
  uint32_t sms = 132;
  uint32_t blocks_per_sm = 1;      // resident at once
  uint64_t l1_bytes = 128 * 1024;  // of unified memory that is left for L1
  uint64_t l2_bytes = 60 << 20;
  L2Contents* l2 = nullptr;   // what launches before left in L2; nullptr: nobody asks
  bool counted = true;        // false: only results are needed; counters and times are invalid. Faster
  bool translated = true;     // where this computer can; false: interpreted. Results and counts are the same
  bool lets_padding = false;  // accesses to an allocation's padding continue, as on a GPU: MachineCounts::let_pass
  bool restore = false;       // restore device memory afterwards
  bool keep_results = false;  // but where the run ended well and its results are the hardware's: MachineCounts::kept
  /// Source lines, parallel to Program::code, for reports of checks; nullptr: unknown.
  const std::vector<cubin::SourceLine>* lines = nullptr;
  std::vector<bool> watch;  // parallel to Program::code: keep an example access of these instructions
};

struct MachineCounts {
  std::vector<simt::InstructionCounts> instructions;  // parallel to Program::code
  uint64_t blocks = 0, warps = 0;
  uint64_t ended_blocks = 0;  // of those: all if nothing stopped it
  std::array<double, kMemoryLevels>
      block_cycles{};  // mean time of a block by itself, by where global memory answers from
  std::array<double, kMemoryLevels> longest_block_cycles{};
  double warp_cycles = 0;                          // mean time of a warp, where DRAM answers: some end before others
  uint64_t read_sectors = 0, written_sectors = 0;  // distinct ones of global memory
  uint64_t warm_sectors = 0;                       // of those read, which launches before had left in L2
  std::vector<TouchedRun> touched;                 // where MachineLaunch::l2 is given: all of them
  uint64_t lone_sectors = 0;                       // of those read, whose neighbour in the same 64 bytes is not
  uint64_t apart_sectors = 0;                      // of lone ones, whose other 64 bytes of the line are not read either
  double fresh_rate = 0;                           // of loads, those before DRAM has answered their first load
  uint64_t exchanged_sectors = 0;                  // reads of their block's own writes
  double lost_sectors = 0;                         // given again by DRAM after the L2 cache had lost them, by the model
  uint64_t cache_lines = 0;                        // distinct 128-byte lines, summed over requests to global memory
  uint64_t partial_sectors = 0;                    // sectors that stores wrote in part, summed over requests
  uint64_t merged_sectors = 0;                     // of those, merged in L1 with a recent store
  uint64_t completed_sectors = 0;                  // of the rest, what reaches L2 whole after that
  uint64_t hottest_atomic_cycles = 0;              // that L2 needs for the global atomics of the busiest 512 bytes
  double l1_hit_rate = 0;                          // of global and local loads, by the model
  double l1_late_rate = 0;                         // hits that wait for a miss under way
  double distinct_of_warps = 1;                    // of a warp's loaded sectors, those loaded for the first time
  RemoteCounts remote;                             // of shared memory of other blocks
  bool polled = false;                             // warps polled for others' work, a number that depends on timing
  uint64_t l1_sampled_sectors = 0;                 // how many loads' sectors the model saw
  std::vector<simt::AccessSample> samples;         // the costliest request of each watched instruction
  bool kept = false;         // memory is as the launch leaves it: every instruction was followed to the last bit
  bool inexact = false;      // an instruction cannot be executed to the last bit
  std::string why_not_kept;  // if results were requested and are missing
  bool serialised = false;   // blocks ran one by one, since results depend on their order
  std::string output;        // of printf, block after block
  std::vector<simt::Report> reports;  // of checks
  uint64_t reports_dropped = 0;       // distinct ones past max_reports
  Stop let_pass;  // the first wrong thing that a GPU lets pass, and so did this; kNone: there was none
  Stop stop;      // kNone: the whole launch was counted
};

/// Errors are of the request; MachineCounts::stop is the reason that stopped the run.
Result<MachineCounts> run_machine(const Program& program, const MachineLaunch& launch);

}  // namespace warplens::simt::sass_machine
