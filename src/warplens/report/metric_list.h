// Builds a report's metrics from counts by instruction class: one place that knows Nsight Compute's names.
#pragma once
#include <map>
#include <string>

#include "warplens/report/report.h"
#include "warplens/run/sass/counting/remote_counts.h"

namespace warplens::report {

/// Counts of a launch by class of instruction, from any source.
struct ClassCounts {
  simt::InstructionCounts all, global_load, global_store, local_load, local_store, shared_load, shared_store,
      shared_atomic, global_atomic, global_reduction, branch;
  simt::InstructionCounts bulk_load, bulk_store, bulk_reduction;  // by the copy engine
  simt::sass_machine::RemoteCounts remote;                        // of other blocks' shared memory
  double copy_engine = 0;                                         // warp instructions that it gets
  std::map<std::string, double> floating_threads;  // "fadd", "fmul", "ffma", "dadd", ..., "hfma": threads
  double integer_threads = 0, conversion_threads = 0, control_threads = 0;
  std::vector<double> executed;  // parallel to executed_metrics(); empty when counted from PTX
  int architecture = 0;          // of the machine code: 90
};

/// Adds every metric that follows; `exact` of those that are functions of the program.
void add_metrics(const ClassCounts& counts, Fidelity exact, KernelReport* report);
/// Caches, DRAM and time: from the report's work and time.
void add_estimates(KernelReport* report);

}  // namespace warplens::report
