#include "warplens/counters/counted_ranges.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/base/whole.h"
#include "warplens/counters/measured_report.h"
#include "warplens/output/terminal.h"

namespace warplens::counters {
namespace {

std::optional<double> value(const RangeReport& range, std::string_view metric) {
  const auto found = std::ranges::find(range.metrics, metric, &report::Metric::name);
  if (found == range.metrics.end()) return {};
  return found->value;
}

std::string launches_text(const CountedRange& range) {
  if (range.least_launches == range.most_launches) return format_count(static_cast<double>(range.most_launches));
  return fmt::format("{} to {}", range.least_launches, range.most_launches);
}

Cell dram_bytes(const RangeReport& range) {
  const std::optional<double> read = value(range, "dram__bytes_read.sum"),
                              written = value(range, "dram__bytes_write.sum");
  if (!read || !written) return {};
  return nearest_int64(*read + *written);
}

/// Counters of several passes belong together where each pass ran the same.
std::string differs_text(const CountedRange& range) {
  if (range.least_launches == range.most_launches) return "";
  return "  its passes launched different kernels, so their counters do not belong to the same work\n";
}

}  // namespace

RangeReport range_report(const CountedRange& range, const CountedDevice& device) {
  RangeReport out{.counted = range};
  if (!range.skipped.empty()) return out;
  for (size_t k = 0; k < range.values.size(); ++k) {
    if (range.values[k]) out.metrics.push_back({device.metrics[k], *range.values[k], report::Fidelity::kMeasured});
  }
  std::ranges::sort(out.metrics, {}, &report::Metric::name);
  Result<report::Measured> measured = measured_values(out.metrics, device);
  if (measured.ok()) out.measured = std::move(*measured);
  else out.counted.skipped = measured.status().message();
  return out;
}

Table ranges_table(const std::vector<RangeReport>& ranges) {
  Table table{{{"range", "range"},
               {"kernels", "kernels"},
               {"passes", "passes", Kind::kCount},
               {"duration_ns", "time", Kind::kTimeNs},
               {"dram_bytes", "DRAM", Kind::kBytes},
               {"busiest_unit", "busiest unit"},
               {"share_of_peak", "of its peak", Kind::kShare}},
              {}};
  for (const RangeReport& range : ranges) {
    if (!range.measured) continue;
    const bool has_units = !range.measured->units.empty();
    table.rows.push_back({range.counted.name, launches_text(range.counted), range.counted.times,
                          nearest_int64(range.measured->ns), dram_bytes(range),
                          has_units ? range.measured->units.front().name : "",
                          has_units ? Cell(range.measured->units.front().share) : Cell()});
  }
  return table;
}

std::string ranges_text(const std::vector<RangeReport>& ranges, size_t width) {
  const Table table = ranges_table(ranges);
  std::string out = table.rows.empty() ? "" : to_terminal(table, width);
  for (const RangeReport& range : ranges) {
    if (!range.measured) continue;
    out += fmt::format("\n{} ({} kernels{})\n", range.counted.name, launches_text(range.counted),
                       range.counted.graph_launches > 0 ? ", and those of CUDA graphs" : "");
    out += report::measured_text(*range.measured) + differs_text(range.counted);
  }
  for (const RangeReport& range : ranges) {
    if (!range.measured)
      out += fmt::format("\nnote: {} was not counted: {}\n", range.counted.name, range.counted.skipped);
  }
  return out;
}

void write_ranges(json::Writer& w, const std::vector<RangeReport>& ranges) {
  w.key("ranges").begin_array();
  for (const RangeReport& range : ranges) {
    const CountedRange& counted = range.counted;
    w.begin_object().member("name", counted.name).member("passes", counted.times);
    w.member("least_launches", counted.least_launches).member("most_launches", counted.most_launches);
    w.member("graph_launches", counted.graph_launches);
    if (!range.measured) w.member("skipped", counted.skipped);
    w.key("metrics").begin_object();
    for (const report::Metric& metric : range.metrics) w.member(metric.name, metric.value);
    w.end_object();
    report::write_units(w, range.metrics);
    w.end_object();
  }
  w.end_array();
}

}  // namespace warplens::counters
