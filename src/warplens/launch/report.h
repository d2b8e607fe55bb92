// The output of `warplens kernel` for a run.
#pragma once
#include <string>

#include "warplens/base/json.h"
#include "warplens/launch/run.h"
#include "warplens/output/table.h"
#include "warplens/simt/check_names.h"

namespace warplens::launch {

/// {"schema_version":1, "source", "device", "launches":[...], "buffers":[...], "comparisons":[...], "saved":[...]}
std::string to_json(const RunResult& result);

/// One row a launch: kernel, grid, block, instructions, times.
Table launch_table(const RunResult& result);
/// The same for CSV and Markdown, which have no other part: with times, and the ids of findings and defects.
Table flat_launch_table(const RunResult& result);
/// A check found something in a launch.
bool has_defects(const RunResult& result);
/// One row a buffer: its contents after the last launch.
Table buffer_table(const RunResult& result);

/// The whole report as text: launches, defects, buffers, comparisons.
std::string to_text(const RunResult& result, size_t width);

/// One defect: its message, and both sides of a race with their source lines.
std::string defect_text(const simt::Report& defect);
/// The precision of the checks: machine code alone is checked warp by warp.
simt::Precision check_precision(const RunResult& result);
/// The same as a JSON object.
void write_defect(json::Writer& writer, const simt::Report& defect);

/// The reason why a run ended early, or "".
std::string fault_text(const RunResult& result);

}  // namespace warplens::launch
