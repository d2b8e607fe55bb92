// A report for people, and its tables.
#pragma once
#include <string>

#include "warplens/output/table.h"
#include "warplens/report/report.h"

namespace warplens::report {

/// A few lines: where it was counted, time, memory, what is wrong and what to do.
std::string summary_text(const KernelReport& report);

/// One row a metric: name, value, fidelity.
Table metric_table(const KernelReport& report);

/// One row a source line: what it executed, sectors actual and ideal, shared-memory passes actual and ideal.
Table line_table(const KernelReport& report);

/// One row an instruction that ran: its text, its line, what it executed, sectors and passes, actual and ideal.
Table instruction_table(const KernelReport& report);

}  // namespace warplens::report
