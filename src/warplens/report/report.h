// The facts of one launch: counters under Nsight Compute's names, counts of each source line, model, findings.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warplens/gpu/device.h"
#include "warplens/model/time_model.h"
#include "warplens/model/work.h"
#include "warplens/output/finding.h"
#include "warplens/report/measured.h"
#include "warplens/report/roofline.h"
#include "warplens/simt/counts.h"
#include "warplens/simt/requests/sample.h"

namespace warplens::report {

using model::Work, model::TimeEstimate, model::Resource;

/// The reliability of a number. exact: equal to the hardware's count. adjusted: from PTX, corrected by rules for
/// ptxas's changes. estimated: from a model.
enum class Fidelity : uint8_t { kExact, kAdjusted, kEstimated, kMeasured };
const char* name(Fidelity fidelity);

struct Metric {
  std::string name;
  double value = 0;
  Fidelity fidelity = Fidelity::kExact;
};

/// Do the lanes of these loads all read the same few bytes?
inline bool is_broadcast(const simt::InstructionCounts& loads) {
  return loads.requests > 0 && loads.sectors == loads.requests && loads.bytes >= 64 * loads.requests;
}

/// The counts of one source line's instructions, summed over the launch.
struct LineCounts {
  std::string file;
  uint32_t line = 0;          // 0: instructions without a line
  uint64_t instructions = 0;  // in the code
  simt::InstructionCounts global_load, global_store, local, spill, shared_load, shared_store, atomics, shared_atomics,
      all, broadcast, constant_load, gathered, scattered;
  // `broadcast`: the part of `global_load` in which all lanes read the same few bytes. `spill`: the part of `local` at
  // fixed places of the stack, as spilled registers are. `gathered` and `scattered`: the parts of loads and stores at
  // addresses that loaded data give (find_gathers).
  uint64_t fp32_sum_of_product = 0, fp64_sum_of_product = 0, half_sum_of_product = 0;  // threads of sums of a product
                                                                                       // of another instruction
  uint64_t fp32_fma = 0, fp64_fma = 0, half_fma = 0;                                   // threads
  uint64_t fp64 = 0;                   // threads of double-precision arithmetic
  uint64_t conversions64 = 0;          // threads that convert between float and double
  uint64_t integer_conversions64 = 0;  // threads that convert between integers and double
  uint64_t integer_wide = 0;           // warp instructions of 64-bit products and high halves, as divisions need
  uint64_t barriers = 0;               // warp instructions
  uint64_t floating = 0, integer = 0,
           branches = 0;  // warp instructions: of the pipes of floats, of integers, of the flow
  uint64_t loop_overhead = 0, loop_alu = 0, loop_imad = 0;  // warp instructions that an unrolled loop has not: all, and
                                                            // by their pipe
  uint64_t loop_words = 0;  // of shared_load.executions: words for all lanes that unrolled loops load four at a time
  uint64_t fixed_operands = 0;  // the part of `floating` with another operand than registers: no room for a further one
  uint64_t precise_calls = 0, precise_spared = 0;  // warps' calls of functions to the last bit; instructions that quick
                                                   // ones take fewer
  uint32_t precise_kinds = 0;                      // of precise_functions(), a bit each
  uint32_t load_bytes = 0, store_bytes = 0;        // widest global load and store of the line, a lane
};

/// One instruction of the code that was counted: machine code, or PTX where that could not be run.
struct InstructionRow {
  uint32_t index = 0;  // in the code
  std::string text;    // "@P0 LDG.E.128"
  std::string file;
  uint32_t line = 0;  // 0: none
  simt::InstructionCounts counts;
};

/// The costliest request of an instruction of the chosen source line.
struct AccessExample {
  simt::AccessSample sample;
  std::string text, file;  // of its instruction
  uint32_t line = 0;
};

/// The compiled code of a kernel.
struct Resources {
  uint32_t registers = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes = 0, barriers = 1;
};

struct KernelReport {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  const gpu::Device* device = nullptr;
  bool from_machine_code = false;
  int code_architecture = 0;      // 90: the machine code's compute capability
  bool has_results = false;       // the machine code's run left its results in memory: no other run is needed
  bool serialised = false;        // blocks of that run went one by one, since results depend on their order
  bool is_of_triton = false;      // its source is Triton's Python, so that advice in terms of threads does not help
  bool waits_for_others = false;  // warps read an address in a loop until another thread has written it
  uint64_t warp_instructions = 0, thread_instructions = 0;  // of machine code
  std::string why_ptx_ran;      // beside machine code; empty if that did not run, or the launch asked for it
  std::string why_adjusted;     // empty when counted from machine code
  std::string why_not_counted;  // for work without code, such as a library's stand-in: only `time` is modelled
  std::string code_digest;      // of machine code: equal where all its instructions are
  Resources resources;
  std::vector<Metric> metrics;               // sorted by name
  std::vector<LineCounts> lines;             // most executed first
  std::vector<InstructionRow> instructions;  // in the order of the code; on request
  std::vector<AccessExample> accesses;       // of the chosen line, costliest first
  Work work;
  TimeEstimate time;
  Peaks peaks;  // measured ceilings of the device, where there are any
  Roofline roofline;
  std::optional<Measured> measured;  // by hardware counters; time.ns is then measured
  std::vector<Finding> findings;     // most valuable first
  double mended_bound_ns = 0;        // time.bound_ns of the launch after all findings

  /// nullptr when it was not counted.
  const Metric* metric(std::string_view name) const;
};

}  // namespace warplens::report
