// Counts of the machine code by source line.
#pragma once
#include <vector>

#include "warplens/isa/cubin/cubin.h"
#include "warplens/report/report.h"
#include "warplens/run/sass/machine.h"

namespace warplens::report {

/// Fills KernelReport::lines; `source` is parallel to the code.
void collect_lines(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts,
                   const std::vector<cubin::SourceLine>& source, const std::vector<bool>& gathers,
                   KernelReport* report);

}  // namespace warplens::report
