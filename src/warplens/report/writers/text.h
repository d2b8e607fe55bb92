// A report for people, and its tables.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/table.h"
#include "warplens/report/facts.h"
#include "warplens/report/report.h"

namespace warplens::report {

/// A few lines: where it was counted, time, memory, what is wrong and what to do.
std::string summary_text(const KernelReport& report);

/// Where its counters come from: "exact, from the machine code".
std::string counted_from(const KernelReport& report);
/// The lines of summary_text() about time, occupancy and memory.
std::vector<Fact> summary_facts(const KernelReport& report);
/// What the first findings bring together: they overlap, and their savings do not add up. "" where that is not known.
std::string together_text(const KernelReport& report);

/// One row a metric: name, value, fidelity.
Table metric_table(const KernelReport& report);

/// One row a source line: what it executed, sectors actual and ideal, shared-memory passes actual and ideal.
Table line_table(const KernelReport& report);

/// One row an instruction that ran: its text, its line, what it executed, sectors and passes, actual and ideal.
Table instruction_table(const KernelReport& report);

}  // namespace warplens::report
