// A report's members of a launch's JSON object, and its baseline form.
#pragma once
#include <optional>
#include <string_view>

#include "warplens/base/json.h"
#include "warplens/report/report.h"

namespace warplens::report {

/// Writes "metrics", "fidelity", "units", "counted_from", "resources", "occupancy", "time", "roofline", "lines" and
/// "findings" at the writer's place, inside an object.
void write_report(json::Writer& writer, const KernelReport& report);

/// Writes "units", the unit of each metric by its name, likewise.
void write_units(json::Writer& writer, const std::vector<Metric>& metrics);

/// One object; `launch_ns`: set if savings have times. `kernel`: set if the object is outside a launch.
void write_finding(json::Writer& writer, const Finding& finding, std::optional<double> launch_ns,
                   std::string_view kernel = {});

}  // namespace warplens::report
