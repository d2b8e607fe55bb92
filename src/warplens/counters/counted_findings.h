// Findings about source lines, from the counts of their instructions. Times are unknown, so these findings have no
// savings. Their names and advice are those of reports.
#pragma once
#include <vector>

#include "warplens/counters/counted_lines.h"
#include "warplens/output/finding.h"

namespace warplens::counters {

struct LineFinding {
  Finding finding;
  CountedLine worst;  // the first of the finding's places
};

/// uncoalesced-access, bank-conflict and divergence of each kernel, with the lines that matter, worst first.
std::vector<LineFinding> line_findings(const std::vector<CountedLine>& lines);

}  // namespace warplens::counters
