#include "warplens/cli/diff_tables.h"

#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/kernel_name.h"

namespace warplens::cli {
namespace {

using analysis::diff::Change;
using analysis::diff::Diff;
using analysis::diff::Difference;

/// `columns` cuts each side's name; 0 leaves it whole.
std::string shown_name(const Difference& d, size_t columns) {
  const auto cut = [&](const std::string& name) { return analysis::cut_to_width(name, columns); };
  if (d.base_name.empty() || d.base_name == d.new_name) return cut(d.new_name);
  return d.new_name.empty() ? cut(d.base_name) : cut(d.base_name) + " -> " + cut(d.new_name);
}

constexpr size_t kLeastName = 32;  // of an operator or a kernel

/// `explains` is the row's share of the difference of `step`: none where that did not change.
Table difference_table(const std::vector<Difference>& list, const Difference& step, size_t limit, bool only_changed,
                       size_t columns) {
  Table table{{{"name", "name"},
               {"change", "change", Kind::kText, 4},
               {"base_count", "base n", Kind::kNumber, 2},
               {"new_count", "new n", Kind::kNumber, 3},
               {"base_ns", "base", Kind::kTimeNs},
               {"new_ns", "new", Kind::kTimeNs},
               {"difference_ns", "difference", Kind::kTimeNs},
               {"noise_ns", "noise", Kind::kTimeNs, 1},
               {"explains_fraction", "explains", Kind::kShare}},
              {},
              kLeastName};
  const bool has_changed = step.change != Change::kSame && step.difference_ns() != 0;
  for (const Difference& d : list) {
    if (table.rows.size() == limit) break;
    if (only_changed && d.change == Change::kSame) continue;
    const auto ns = [](double value) { return Cell(static_cast<int64_t>(std::llround(value))); };
    table.rows.push_back({shown_name(d, columns), std::string(analysis::diff::name(d.change)), d.base_count,
                          d.new_count, ns(d.base_ns), ns(d.new_ns), ns(d.difference_ns()),
                          d.noise_ns ? ns(*d.noise_ns) : Cell(),
                          has_changed ? Cell(d.difference_ns() / step.difference_ns()) : Cell()});
  }
  return table;
}

/// The part of the step that changed most in the step's direction.
std::string where_changed(const Diff& diff) {
  const Difference* most = &diff.idle;
  const double sign = diff.wall.difference_ns() < 0 ? -1 : 1;
  for (const Difference& part : diff.parts) {
    if (sign * part.difference_ns() > sign * most->difference_ns()) most = &part;
  }
  if (diff.wall.change == Change::kSame || sign * most->difference_ns() <= 0) return "";
  return fmt::format("mostly: {}, {} a step (was {})\n", most->new_name, format_ns(most->new_ns),
                     format_ns(most->base_ns));
}

/// Empty if a side has no allocations.
std::string memory_line(const Diff& diff) {
  if (diff.base_peak_bytes == 0 || diff.new_peak_bytes == 0) return "";
  return fmt::format("peak memory: {} allocated (was {})\n", format_bytes(static_cast<double>(diff.new_peak_bytes)),
                     format_bytes(static_cast<double>(diff.base_peak_bytes)));
}

}  // namespace

std::vector<DiffSection> diff_sections(const Diff& diff, size_t limit, bool only_changed, size_t columns) {
  std::vector<Difference> step = {diff.wall, diff.busy};
  step.insert(step.end(), diff.parts.begin(), diff.parts.end());
  step.push_back(diff.idle);
  const auto table = [&](const std::vector<Difference>& rows) {
    return difference_table(rows, diff.wall, limit, only_changed, columns);
  };
  return {{"step", "Per step", difference_table(step, diff.wall, step.size(), false, columns)},
          {"host", "Host time by operator, range and call, each without its callees", table(diff.host)},
          {"classes", "GPU time by class", table(diff.classes)},
          {"operators", "GPU time by operator", table(diff.operators)},
          {"kernels", "GPU time by kernel", table(diff.kernels)}};
}

std::string diff_headline(const Diff& diff) {
  constexpr double kManyTimes = 9;  // slower by this factor, a percentage is hard to read
  const Difference& wall = diff.wall;
  const double fraction = wall.base_ns > 0 ? wall.difference_ns() / wall.base_ns : 0;
  std::string text;
  if (wall.change == Change::kSame)
    text = fmt::format("no change{}: a step takes {} (was {})", wall.noise_ns ? " beyond noise" : "",
                       format_ns(wall.new_ns), format_ns(wall.base_ns));
  else if (fraction >= kManyTimes)
    text = fmt::format("{}: a step takes {:.0f} times as long, {} (was {})", analysis::diff::name(wall.change),
                       1 + fraction, format_ns(wall.new_ns), format_ns(wall.base_ns));
  else
    text = fmt::format("{:.1f} % {}: a step takes {} (was {})", std::fabs(fraction) * 100,
                       analysis::diff::name(wall.change), format_ns(wall.new_ns), format_ns(wall.base_ns));
  text += fmt::format("\ncompared: {} step{} of the base with {} of the new profile; noise {}\n", diff.base_steps,
                      diff.base_steps == 1 ? "" : "s", diff.new_steps,
                      wall.noise_ns ? format_ns(*wall.noise_ns) : "not known");
  text += where_changed(diff) + memory_line(diff);
  text += memory_line(diff);
  if (diff.base_devices != diff.new_devices)
    text += fmt::format("other GPUs: {} in the base, {} in the new one\n", diff.base_devices, diff.new_devices);
  if (diff.by_device_work)
    text += "with so few steps this could be noise, but every step changed, and the GPU's own work changed too\n";
  if (!diff.base_has_steps || !diff.new_has_steps)
    text += "one of the traces has no step marks, so it counts as one step\n";
  for (const auto& [name, left_out] : {std::pair("base", &diff.base_left_out), std::pair("new", &diff.new_left_out)}) {
    if (!left_out->empty()) text += fmt::format("of the {} profile's steps {}\n", name, *left_out);
  }
  if (!wall.noise_ns) text += "with one step on each side the noise is unknown: slower or faster may be chance\n";
  return text;
}

}  // namespace warplens::cli
