// Counts of the machine code by source line.
#pragma once
#include <vector>

#include "warplens/counters/report.h"
#include "warplens/cubin/cubin.h"
#include "warplens/sass/machine.h"

namespace warplens::counters {

/// Fills KernelReport::lines; `source` is parallel to the code.
void collect_lines(const sass::Program& program, const sass::MachineCounts& counts,
                   const std::vector<cubin::SourceLine>& source, KernelReport* report);

}  // namespace warplens::counters
