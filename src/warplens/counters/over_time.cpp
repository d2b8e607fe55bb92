#include "warplens/counters/over_time.h"

#include <algorithm>
#include <numeric>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::counters {
namespace {

constexpr size_t kSteps = 40;  // of a course

struct Unit {
  const char* metric;
  const char* name;
};

constexpr Unit kUnits[] = {
    {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "SMs active"},
    {"sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed", "instructions"},
    {"sm__warps_active_realtime.avg.pct_of_peak_sustained_elapsed", "warps resident"},
    {"dram__read_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM read"},
    {"dram__write_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM written"},
    {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "L2"},
    {"sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed", "tensor cores"}};

std::string unit_name(const std::string& metric) {
  const auto known = std::ranges::find(kUnits, metric, &Unit::metric);
  return known != std::end(kUnits) ? known->name : metric;
}

std::vector<double> shares(const OverTime& launch, size_t metric) {
  std::vector<double> out;
  for (const std::vector<double>& values : launch.values) out.push_back(values[metric] / 100);
  return out;
}

/// Means of kSteps equal parts, one bar each: an eighth of the peak a step of its height.
std::string course(const std::vector<double>& all) {
  constexpr const char* kBars[] = {"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
  std::string out;
  const size_t steps = std::min(kSteps, all.size());
  for (size_t k = 0; k < steps; ++k) {
    const size_t begin = k * all.size() / steps, end = std::max(begin + 1, (k + 1) * all.size() / steps);
    const double mean = std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                        all.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                        static_cast<double>(end - begin);
    out += kBars[static_cast<size_t>(std::clamp(mean * 8, 0.0, 7.0))];
  }
  return out;
}

int64_t duration_ns(const OverTime& launch) {
  return launch.starts_ns.empty() ? 0 : launch.starts_ns.back() - launch.starts_ns.front() + launch.interval_ns;
}

void add_rows(const OverTime& launch, int64_t number, Table* table) {
  for (size_t k = 0; k < launch.metrics.size() && !launch.values.empty(); ++k) {
    const std::vector<double> all = shares(launch, k);
    const auto [least, most] = std::ranges::minmax_element(all);
    const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    table->rows.push_back(
        {number, short_name(launch.kernel), unit_name(launch.metrics[k]), *least, mean, *most, course(all)});
  }
}

Table empty_table() {
  return {{{"launch", "#", Kind::kCount},
           {"kernel", "kernel"},
           {"unit", "unit"},
           {"least", "least", Kind::kShare},
           {"mean", "mean", Kind::kShare},
           {"most", "most", Kind::kShare},
           {"course", "over its time"}},
          {}};
}

}  // namespace

Table over_time_table(const std::vector<OverTime>& launches) {
  Table table = empty_table();
  for (size_t k = 0; k < launches.size(); ++k) add_rows(launches[k], static_cast<int64_t>(k), &table);
  return table;
}

std::string over_time_text(const std::vector<OverTime>& launches, size_t width) {
  std::string out;
  for (size_t k = 0; k < launches.size(); ++k) {
    const OverTime& launch = launches[k];
    out += fmt::format(
        "{}{}: {} in {} intervals of {}{}\n", k > 0 ? "\n" : "", short_name(launch.kernel),
        format_ns(static_cast<double>(duration_ns(launch))), launch.values.size(),
        format_ns(static_cast<double>(launch.interval_ns)),
        launch.overflow ? "; its end is missing, because the hardware's buffer was full: raise --interval" : "");
    Table table = empty_table();
    add_rows(launch, static_cast<int64_t>(k), &table);
    table.columns.erase(table.columns.begin(), table.columns.begin() + 2);
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin(), row.begin() + 2);
    out += launch.values.empty() ? "  shorter than one sampling interval: try --interval 2us\n"
                                 : to_terminal(table, width);
  }
  return out;
}

void write_over_time(json::Writer& w, const std::vector<OverTime>& launches) {
  w.key("over_time").begin_array();
  for (const OverTime& launch : launches) {
    w.begin_object().member("kernel", short_name(launch.kernel)).member("interval_ns", launch.interval_ns);
    w.member("duration_ns", duration_ns(launch)).member("overflow", launch.overflow).key("shares").begin_object();
    for (size_t k = 0; k < launch.metrics.size(); ++k) {
      w.list(launch.metrics[k], shares(launch, k));
    }
    w.end_object().end_object();
  }
  w.end_array();
}

}  // namespace warplens::counters
