#include "warplens/bench/results/results_table.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/terminal.h"

namespace warplens::bench {
namespace {

std::vector<std::string> axis_names(const Results& results) {
  std::vector<std::string> names;
  for (const Measurement& m : results.measurements) {
    for (const auto& [name, value] : m.axes) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

Cell axis_cell(const Measurement& m, const std::string& axis) {
  for (const auto& [name, value] : m.axes) {
    if (name == axis) return value;
  }
  return {};
}

Cell positive(double x) { return x > 0 ? Cell(x) : Cell(); }

std::string correctness(const Measurement& m) {
  if (!m.valid) return "INVALID";
  for (const OutputCheck& c : m.checks) {
    if (c.error > 0 || !c.detail.starts_with("no reference")) return fmt::format("right ({:.1e})", c.error);
  }
  return m.checks.empty() ? "not checked" : "no reference";
}

struct SaidNote {
  std::string label, text;
  size_t count = 1;  // of measurements that say so, perhaps with other numbers
};

std::string without_numbers(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return (c < '0' || c > '9') && c != '.'; });
  return out;
}

std::vector<SaidNote> notes_of(const Results& results) {
  std::vector<SaidNote> said;
  std::map<std::string, size_t> place;
  for (const Measurement& m : results.measurements) {
    for (const std::string& note : m.notes) {
      const auto [found, fresh] = place.try_emplace(without_numbers(note), said.size());
      if (fresh) said.push_back({m.label(), note});
      else ++said[found->second].count;
    }
  }
  return said;
}

/// What all say is said of none by name.
std::string to_line(const SaidNote& note, size_t measurements) {
  if (note.count >= measurements) return note.text;
  const std::string more = note.count == 1 ? "" : fmt::format(" (and {} more such)", note.count - 1);
  return fmt::format("{}: {}{}", note.label, note.text, more);
}

}  // namespace

Table results_table(const Results& results) {
  Table table{{{"benchmark", "benchmark"}}, {}};
  const std::vector<std::string> axes = axis_names(results);
  for (const std::string& axis : axes) table.columns.push_back({axis, axis});
  const auto any = [&](auto member) {
    return std::any_of(results.measurements.begin(), results.measurements.end(),
                       [&](const Measurement& m) { return m.*member > 0; });
  };
  const bool timed = any(&Measurement::median_ns), bounded = any(&Measurement::bound_ns),
             estimated = any(&Measurement::estimate_ns), bytes = any(&Measurement::bytes_per_second),
             flops = any(&Measurement::flops_per_second), ceiling = any(&Measurement::share_of_ceiling);
  table.columns.insert(table.columns.end(), {{"source", "source"}, {"regime", "regime"}});
  if (timed)
    table.columns.insert(table.columns.end(), {{"median_ns", "time", Kind::kTimeNs},
                                               {"half_width", "+-", Kind::kShare},
                                               {"samples", "samples", Kind::kCount}});
  if (bounded) table.columns.push_back({"bound_ns", "bound", Kind::kTimeNs});
  if (estimated) table.columns.push_back({"estimate_ns", "estimate", Kind::kTimeNs});
  if (bytes) table.columns.push_back({"gb_per_second", "GB/s", Kind::kNumber});
  if (flops) table.columns.push_back({"gflop_per_second", "GFLOP/s", Kind::kNumber});
  if (ceiling) table.columns.push_back({"share_of_ceiling", "of ceiling", Kind::kShare});
  table.columns.push_back({"correct", "outputs"});
  for (const Measurement& m : results.measurements) {
    std::vector<Cell> row = {m.name};
    for (const std::string& axis : axes) row.push_back(axis_cell(m, axis));
    row.insert(row.end(), {std::string(m.source), m.regime});
    if (timed) {
      row.push_back(positive(m.median_ns));
      row.push_back(m.median_ns > 0 ? Cell((m.high_ns - m.low_ns) / 2 / m.median_ns) : Cell());
      row.push_back(static_cast<int64_t>(m.samples_ns.size()));
    }
    if (bounded) row.push_back(positive(m.bound_ns));
    if (estimated) row.push_back(positive(m.estimate_ns));
    if (bytes) row.push_back(positive(m.bytes_per_second / 1e9));
    if (flops) row.push_back(positive(m.flops_per_second / 1e9));
    if (ceiling) row.push_back(positive(m.share_of_ceiling));
    row.push_back(correctness(m));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string to_text(const Results& results, size_t width) {
  std::string out = to_terminal(results_table(results), width);
  const Environment& e = results.environment;
  if (!e.device.empty())
    out += fmt::format(
        "\n{}{}{}\n", e.device, e.driver.empty() ? "" : ", driver " + e.driver,
        e.launch_overhead_ns > 0 ? fmt::format("; an empty kernel takes {}", format_ns(e.launch_overhead_ns)) : "");
  for (const Measurement& m : results.measurements) {
    for (const std::string& error : m.errors)
      out += styled("error", Style::kRed) + fmt::format(" {}: {}\n", m.label(), error);
    for (const auto& [why, count] : m.dropped)
      out += fmt::format("{}: {} samples dropped ({})\n", m.label(), count, why);
  }
  for (const SaidNote& note : notes_of(results))
    out += styled("note ", Style::kDim) + to_line(note, results.measurements.size()) + "\n";
  return out;
}

}  // namespace warplens::bench
