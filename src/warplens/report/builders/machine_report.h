// Turns a launch's counts into its report, with the results for a GPU.
#pragma once
#include <string>

#include "warplens/isa/ptx/module.h"
#include "warplens/report/code_text.h"
#include "warplens/report/report.h"
#include "warplens/run/sass/machine.h"
#include "warplens/simt/launch.h"

namespace warplens::report {

/// A line of the source, as a person names it, or all of them.
struct LineChoice {
  std::string file;   // the end of its path; empty: any
  uint32_t line = 0;  // 0: none is chosen
  bool every = false;
  bool any() const { return every || line != 0; }
  bool holds(const std::string& path, uint32_t at) const;
};

/// The target of a launch's report.
struct ReportOptions {
  std::string name;  // of the kernel, as people write it
  const gpu::Device* device = nullptr;
  Peaks peaks;                // measured ceilings of the device
  LineChoice watch;           // fill KernelReport::accesses
  bool instructions = false;  // fill KernelReport::instructions
};

/// The launch as the GPU would take it; each of its blocks needs this.
simt::sass_machine::MachineLaunch machine_launch(const simt::Launch& launch, const gpu::Device& device,
                                                 const gpu::BlockNeeds& needs);

/// A report with only the launch's size.
KernelReport begin_report(const ReportOptions& options, const simt::LaunchShape& launch);

/// The resources of the machine code: registers, memory, barriers.
void fill_resources(const simt::sass_machine::Program& program, uint32_t dynamic_shared_bytes, KernelReport* report);

/// From the counts of running the machine code.
void count_machine_code(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts,
                        const CodeText& code, const ReportOptions& options, bool cooperative, KernelReport* report);

/// The same from the counts of running PTX, if the machine code could not be run. `samples`: the costliest request of
/// each instruction, if a line was chosen.
void count_ptx(const ptx::Module& module, const simt::LaunchCounts& counts,
               const std::vector<simt::AccessSample>& samples, const ReportOptions& options, KernelReport* report);

/// Costliest first.
void sort_accesses(KernelReport* report);

/// Time, roofline, estimated metrics and findings from the report's work and lines.
void finish_report(KernelReport* report);

}  // namespace warplens::report
