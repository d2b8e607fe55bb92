// Nsight Compute's own results, as counts: tables of `ncu --csv` and reports (.ncu-rep).
#pragma once
#include <string>
#include <string_view>

#include "warplens/counters/counts.h"

namespace warplens::counters::ncu {

/// A report, which ncu writes with -o.
bool is_report(std::string_view head);
/// What `ncu --csv` prints, of the raw page or the details page, with whatever was printed before it.
bool is_table(std::string_view head);
inline bool is_ncu(std::string_view head) { return is_report(head) || is_table(head); }

/// Counts under their metrics' names, in base units (bytes, ns, Hz, %); what was not understood is told in notes.
/// Error: none of the launches could be read.
Result<Counts> read(std::string_view bytes);

Result<Counts> read_table(std::string_view text);
Result<Counts> read_report(std::string_view bytes);

/// Of metrics that other sets of ncu give in another form: what the reports here are made of. Adds to the device's
/// metrics and to each launch's values.
void derive(Counts* counts);

}  // namespace warplens::counters::ncu
