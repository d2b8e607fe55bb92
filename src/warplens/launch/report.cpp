#include "warplens/launch/report.h"

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/report/writers/text.h"

namespace warplens::launch {
namespace {

std::string dim_text(const Dim3& dim) { return fmt::format("{},{},{}", dim[0], dim[1], dim[2]); }

std::string shape_text(const std::vector<uint64_t>& shape) {
  std::vector<std::string> parts;
  for (const uint64_t n : shape) parts.push_back(fmt::format("{}", n));
  return join(parts, ",");
}

std::string reports_text(const RunResult& result) {
  std::string text;
  uint64_t dropped = 0;
  for (const Outcome& outcome : result.outcomes) {
    if (!outcome.emulated) continue;
    for (const simt::Report& report : outcome.emulated->reports) text += defect_text(report);
    dropped += outcome.emulated->reports_dropped;
  }
  const bool has_defects = !text.empty();
  if (dropped > 0) text += fmt::format("{} more were found and are not shown\n", dropped);
  if (result.checks == 0) return text;
  const bool by_warp = check_precision(result) == simt::Precision::kWarp;
  if (by_warp)
    text += fmt::format(
        "note: machine code was checked, in which {}; give the .cu or .ptx file to check thread by thread\n",
        simt::kInOrderByWarp);
  if (!has_defects && result.ok())
    text += fmt::format("checked {}{}: nothing found\n", simt::check_names(result.checks),
                        by_warp ? ", warp by warp from machine code" : "");
  return text;
}

}  // namespace

simt::Precision check_precision(const RunResult& result) {
  return result.source.module == nullptr ? simt::Precision::kWarp : simt::Precision::kThread;
}

std::string defect_text(const simt::Report& report) {
  std::string text = fmt::format("{}: {}\n", report.id, report.message);
  const auto add = [&](const char* word, const simt::Place& place) {
    text += fmt::format("  {} {}\n{}", word, place.text(), source_excerpt(place.file, place.line, "    "));
  };
  const bool in_kernel = !report.place.kernel.empty();
  if (in_kernel) add("at", report.place);
  if (report.other) add("and", *report.other);
  if (in_kernel && report.count > 1) text += fmt::format("  seen {} times\n", report.count);
  return text;
}

Table launch_table(const RunResult& result) {
  Table table{{{"kernel", "kernel"}, {"grid", "grid"}, {"block", "block"}}, {}};
  const bool emulated = !result.outcomes.empty() && result.outcomes[0].emulated;
  const bool gpu = !result.outcomes.empty() && !result.outcomes[0].gpu_samples_ns.empty();
  if (emulated) {
    table.columns.push_back({"warp_instructions", "warp instructions", Kind::kCount});
    table.columns.push_back({"emulation_ns", "emulated in", Kind::kTimeNs});
  }
  if (gpu) table.columns.push_back({"gpu_ns", "on the GPU", Kind::kTimeNs});
  for (const Outcome& outcome : result.outcomes) {
    std::vector<Cell> row = {short_name(outcome.kernel), dim_text(outcome.spec.grid), dim_text(outcome.spec.block)};
    if (emulated) {
      const auto executed = static_cast<int64_t>(outcome.emulated->counts.warp_instructions);
      row.push_back(executed > 0 ? Cell(executed) : Cell());  // those of PTX under checks
      row.emplace_back(static_cast<int64_t>(outcome.emulated->seconds * 1e9));
    }
    if (gpu) row.emplace_back(static_cast<int64_t>(outcome.gpu_ns));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "race misaligned": each id once, in the order of the items.
template <typename Items>
std::string ids_of(const Items& items) {
  std::vector<std::string> ids;
  for (const auto& item : items) {
    if (std::ranges::find(ids, item.id) == ids.end()) ids.push_back(item.id);
  }
  return join(ids, " ");
}

Table flat_launch_table(const RunResult& result) {
  Table table = launch_table(result);
  const bool counted = std::ranges::any_of(result.outcomes, [](const Outcome& o) { return o.counted.has_value(); });
  if (counted) {
    table.columns.push_back({"estimate_ns", "expected", Kind::kTimeNs});
    table.columns.push_back({"limited_by", "limited by"});
    table.columns.push_back({"findings", "findings"});
  }
  if (result.checks != 0) table.columns.push_back({"defects", "defects"});
  for (size_t i = 0; i < result.outcomes.size(); ++i) {
    const Outcome& outcome = result.outcomes[i];
    std::vector<Cell>& row = table.rows[i];
    if (counted && outcome.counted) {
      row.emplace_back(static_cast<int64_t>(outcome.counted->time.ns));
      row.emplace_back(outcome.counted->time.limited_by);
      row.emplace_back(ids_of(outcome.counted->findings));
    } else if (counted) {
      row.resize(row.size() + 3);
    }
    if (result.checks != 0) row.emplace_back(outcome.emulated ? ids_of(outcome.emulated->reports) : "");
  }
  return table;
}

bool has_defects(const RunResult& result) {
  return std::ranges::any_of(result.outcomes,
                             [](const Outcome& o) { return o.emulated && !o.emulated->reports.empty(); });
}

Table buffer_table(const RunResult& result) {
  Table table{{{"buffer", "buffer"},
               {"dtype", "dtype"},
               {"shape", "shape"},
               {"sum", "sum", Kind::kNumber},
               {"min", "min", Kind::kNumber},
               {"max", "max", Kind::kNumber},
               {"nan", "NaN", Kind::kCount},
               {"inf", "Inf", Kind::kCount}},
              {}};
  for (const BufferSummary& buffer : result.buffers) {
    const Summary& s = buffer.summary;
    const auto finite = [&](double x) { return s.min <= s.max ? Cell(x) : Cell(); };
    table.rows.push_back({buffer.spec.name, info(buffer.spec.dtype).name, shape_text(buffer.spec.shape), finite(s.sum),
                          finite(s.min), finite(s.max), static_cast<int64_t>(s.nan), static_cast<int64_t>(s.inf)});
  }
  return table;
}

std::string fault_text(const RunResult& result) {
  if (result.outcomes.empty() || !result.outcomes.back().emulated) return "";
  const auto& fault = result.outcomes.back().emulated->fault;
  return fault ? fault->text() : "";
}

std::string to_text(const RunResult& result, size_t width) {
  std::string text = to_terminal(launch_table(result), width);
  for (const Outcome& outcome : result.outcomes) {
    if (outcome.counted) text += "\n" + report::summary_text(*outcome.counted);
  }
  if (const std::string reports = reports_text(result); !reports.empty()) text += "\n" + reports;
  if (!result.buffers.empty()) text += "\n" + to_terminal(buffer_table(result), width);
  if (!result.comparisons.empty()) text += '\n';
  for (const Comparison& comparison : result.comparisons) text += comparison.text() + "\n";
  for (const std::string& path : result.saved) text += "saved " + path + "\n";
  return text;
}

}  // namespace warplens::launch
