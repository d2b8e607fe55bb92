// Counts of the machine code by source line.
#pragma once
#include <vector>

#include "warplens/isa/cubin/cubin.h"
#include "warplens/report/report.h"
#include "warplens/run/sass/machine.h"

namespace warplens::counters {

/// Fills KernelReport::lines; `source` is parallel to the code.
void collect_lines(const sass::Program& program, const sass::MachineCounts& counts,
                   const std::vector<cubin::SourceLine>& source, KernelReport* report);

}  // namespace warplens::counters
