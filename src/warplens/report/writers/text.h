// A report for people, and its tables.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/table.h"
#include "warplens/report/facts.h"
#include "warplens/report/report.h"

namespace warplens::report {

/// The kernel's name, shortened in its middle unless whole names are wanted.
std::string shown_name(const KernelReport& report);

/// A few lines: the source of the counts, time, memory, problems and remedies.
std::string summary_text(const KernelReport& report);

/// Where its counters come from: "exact, from the machine code".
std::string counted_from(const KernelReport& report);
/// The lines of summary_text() about time, occupancy and memory.
std::vector<Fact> summary_facts(const KernelReport& report);
/// The joint saving of the first findings: they overlap, and their savings do not add up. "" if it is unknown.
std::string together_text(const KernelReport& report);

/// One row a metric: name, value, fidelity.
Table metric_table(const KernelReport& report);

/// One row a source line: its executed instructions, sectors actual and ideal, shared-memory passes actual and ideal.
Table line_table(const KernelReport& report);

/// One row for each executed instruction: its text, its line, its executions, sectors and passes, actual and ideal.
Table instruction_table(const KernelReport& report);

}  // namespace warplens::report
