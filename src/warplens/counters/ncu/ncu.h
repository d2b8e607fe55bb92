// Nsight Compute's own results, as counts: tables of `ncu --csv` and reports (.ncu-rep).
#pragma once
#include <string>
#include <string_view>

#include "warplens/counters/counts.h"

namespace warplens::counters::ncu {

/// A report, which ncu writes with -o.
bool is_report(std::string_view head);
/// Reads the output of `ncu --csv`, of the raw page or the details page, with any text printed before it.
bool is_table(std::string_view head);
inline bool is_ncu(std::string_view head) { return is_report(head) || is_table(head); }

/// Counts under their metrics' names, in base units (bytes, ns, Hz, %). Notes list the parts that were not understood.
/// Error: no launch could be read.
Result<Counts> read(std::string_view bytes);

Result<Counts> read_table(std::string_view text);
Result<Counts> read_report(std::string_view bytes);

/// Converts metrics that other sets of ncu give in another form into those that the reports need. Adds to the device's
/// metrics and to each launch's values.
void derive(Counts* counts);

}  // namespace warplens::counters::ncu
