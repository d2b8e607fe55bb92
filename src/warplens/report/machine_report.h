// Counts a launch from its machine code, and says what follows for a GPU.
#pragma once
#include <functional>
#include <string>

#include "warplens/report/code_text.h"
#include "warplens/report/report.h"
#include "warplens/run/ptx/emulator.h"

namespace warplens::report {

/// A line of the source, as a person names it.
struct LineChoice {
  std::string file;      // the end of its path; empty: any
  uint32_t line = 0;     // 0: none is chosen
  bool holds(const std::string& path, uint32_t at) const;
};

struct LaunchToCount {
  std::string kernel;                   // mangled name
  std::string name;                     // as people write it
  const simt::ptx_machine::LaunchConfig* config = nullptr;
  simt::ptx_machine::Module* module = nullptr;   // its memory, and the addresses of its variables
  std::string_view cubin;               // empty: none could be made
  std::string why_no_cubin;
  CodeTexts* texts = nullptr;           // of the cubin, kept from launch to launch; nullptr: not kept
  const gpu::Device* device = nullptr;
  Peaks peaks;                  // measured ceilings of the device
  LineChoice watch;                     // fill KernelReport::accesses
  bool instructions = false;            // fill KernelReport::instructions
  bool results = false;                 // leave the launch's results in memory where they are bit for bit the GPU's
  double timeout_s = 0;                 // of running the machine code; 0: none
};

/// Runs the machine code once on the launch's memory. KernelReport::has_results says whether what the launch leaves is
/// there now; if not, memory is as it was: call this before the launch itself. The report says in `why_adjusted` where
/// the machine code could not be run: then only resources are filled in.
/// Errors: the cubin cannot be read.
Result<KernelReport> count_machine_code(const LaunchToCount& launch);

/// The same from what the emulator counted of the PTX, for a report whose machine code could not be run. `samples` are
/// of PtxWatch, when a line was chosen.
void count_ptx(const LaunchToCount& launch, const simt::LaunchCounts& counts,
               const std::vector<simt::AccessSample>& samples, KernelReport* report);

/// Costliest first.
void sort_accesses(KernelReport* report);

/// Time, roofline, estimated metrics and findings from the report's work and lines.
void finish_report(KernelReport* report);

}  // namespace warplens::report
