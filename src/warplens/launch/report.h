// What `warplens kernel` prints of a run.
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
/// The same for CSV and Markdown, which show nothing else: with times, and the ids of findings and defects.
Table flat_launch_table(const RunResult& result);
/// A check found something in a launch.
bool has_defects(const RunResult& result);
/// One row a buffer: what it holds after the last launch.
Table buffer_table(const RunResult& result);

/// Everything for a person: launches, what checks found, buffers, comparisons.
std::string to_text(const RunResult& result, size_t width);

/// One defect that checks found: what, and both sides of a race with their source lines.
std::string defect_text(const simt::Report& defect);
/// How closely its launches were checked: machine code alone is, warp by warp.
simt::Precision check_precision(const RunResult& result);
/// The same as a JSON object.
void write_defect(json::Writer& writer, const simt::Report& defect);

/// What ended a run early, or "".
std::string fault_text(const RunResult& result);

}  // namespace warplens::launch
