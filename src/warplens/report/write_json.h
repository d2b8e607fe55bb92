// A report's members of a launch's JSON object, and its baseline form.
#pragma once
#include "warplens/base/json.h"
#include "warplens/report/report.h"

namespace warplens::report {

/// Writes "metrics", "fidelity", "counted_from", "resources", "occupancy", "time", "roofline", "lines" and "findings"
/// at the writer's place, inside an object.
void write_report(json::Writer& writer, const KernelReport& report);

}  // namespace warplens::report
