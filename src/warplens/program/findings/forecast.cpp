#include "warplens/program/findings/forecast.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>

#include "warplens/base/stand_in.h"
#include "warplens/base/text.h"
#include "warplens/model/constants.h"
#include "warplens/model/convolution_band.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/critical_path/simulate.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/findings/context.h"

namespace warplens::findings {
namespace {

using analysis::is_device_work;

enum class Work : uint8_t { kKernel, kLibrary, kCopy };
constexpr const char* kWorkNames[] = {"kernels", "library calls", "copies"};

struct Band {
  double low = 1, high = 1;  // of the estimate
};

Work work_of(const Profile& p, uint32_t row) {
  if (p.device_events.kind[row] != DeviceEventKind::kKernel) return Work::kCopy;
  return p.text(p.device_events.name[row]).ends_with(kStandInMark) ? Work::kLibrary : Work::kKernel;
}

/// Copies follow data sheets, and have no band. cuDNN chooses among kernels that differ severalfold.
Band band_of(const Profile& p, uint32_t row) {
  switch (work_of(p, row)) {
    case Work::kKernel: return {model::kBandLow, model::kBandHigh};
    case Work::kLibrary:
      if (contains(p.text(p.device_events.name[row]), "conv"))
        return {model::kConvolutionBandLow, model::kConvolutionBandHigh};
      return {model::kLibraryBandLow, model::kLibraryBandHigh};
    case Work::kCopy: break;
  }
  return {};
}

/// The rank whose devices did most.
uint32_t busiest_rank(const Profile& p) {
  std::vector<int64_t> work_ns(std::max<size_t>(p.ranks.size(), 1));
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    if (is_device_work(p.device_events.kind[row]))
      work_ns[p.devices.rank[p.device_events.device[row]]] += p.device_events.duration_ns[row];
  }
  return static_cast<uint32_t>(std::ranges::max_element(work_ns) - work_ns.begin());
}

/// A recording, ready to be run again.
struct Recorded {
  explicit Recorded(const Profile& profile)
      : p(profile),
        joined(profile),
        program(analysis::build_program(profile, joined.operators, joined.links, joined.steps, busiest_rank(profile))) {
    for (uint32_t row = 0; row < p.device_events.size(); ++row) {
      if (is_device_work(p.device_events.kind[row]) && p.devices.rank[p.device_events.device[row]] == program.rank)
        rows.push_back(row);
    }
    std::ranges::stable_sort(rows, {}, [&](uint32_t row) { return p.device_events.correlation[row]; });
    add_launching();
  }

  /// Emulation has kernels follow each other at once, and begin when they are launched.
  void add_launching() {
    for (analysis::ProgramEvent& event : program.events) {
      const uint32_t call = program.calls[event.call].row;
      const bool graph = contains(p.text(p.calls.name[call]), "GraphLaunch");
      const double queued_ns = graph ? model::kGraphKernelNs : model::kQueuedKernelNs;
      event.gap_ns = std::max<int64_t>(static_cast<int64_t>(queued_ns - model::kShortKernelNs), 0);
      event.latency_ns = static_cast<int64_t>(model::kLaunchAndWaitNs - model::kShortKernelNs);
    }
  }

  const Profile& p;
  Joined joined;
  analysis::Program program;
  std::vector<uint32_t> rows;  // of device_events, in the order of their calls
};

/// What must be equal for two GPUs to have been given the same work.
auto shape_of(const Profile& p, uint32_t row) {
  const auto& t = p.device_events;
  return std::tuple(t.kind[row], p.devices.ordinal[t.device[row]], t.stream[row], t.bytes[row]);
}

bool is_same_work(const Recorded& a, const Recorded& b) {
  return std::ranges::equal(a.rows, b.rows,
                            [&](uint32_t left, uint32_t right) { return shape_of(a.p, left) == shape_of(b.p, right); });
}

/// A host's program with the durations of a GPU.
struct Run {
  const Recorded& host;
  const Profile& device;
  std::vector<int64_t> duration_ns;  // by row of the host's device_events
  std::vector<Work> work;            // likewise
  std::vector<uint32_t> device_row;  // likewise: the same work in the device's own recording

  Band band(uint32_t row) const { return band_of(device, device_row[row]); }
  std::string_view name_of(uint32_t row) const { return device.text(device.device_events.name[device_row[row]]); }
};

Run run_of(const Recorded& host, const Recorded& device) {
  const size_t rows = host.p.device_events.size();
  Run run{host, device.p, std::vector<int64_t>(rows), std::vector<Work>(rows), std::vector<uint32_t>(rows)};
  for (size_t i = 0; i < host.rows.size(); ++i) {
    run.duration_ns[host.rows[i]] = device.p.device_events.duration_ns[device.rows[i]];
    run.work[host.rows[i]] = work_of(device.p, device.rows[i]);
    run.device_row[host.rows[i]] = device.rows[i];
  }
  return run;
}

/// A step where each thing on the device takes `factor(row)` times its duration.
template <typename Factor>
int64_t step_with(const Run& run, Factor factor) {
  Change change;
  for (const ProgramEvent& event : run.host.program.events) {
    const double ns = static_cast<double>(run.duration_ns[event.row]) * factor(event.row);
    change.event_duration.emplace_back(event.row, static_cast<int64_t>(ns));
  }
  return analysis::step_time_ns(run.host.program, change);
}

/// The fullest stream, and what takes most of it.
void add_device_time(const Run& run, DeviceForecast& out) {
  const analysis::Program& program = run.host.program;
  std::vector<std::array<int64_t, 3>> streams(program.streams.size());
  for (const ProgramEvent& event : program.events)
    streams[event.stream][static_cast<size_t>(run.work[event.row])] += run.duration_ns[event.row];
  const auto sum = [](const std::array<int64_t, 3>& s) { return s[0] + s[1] + s[2]; };
  const auto fullest = std::ranges::max_element(streams, {}, sum);
  if (fullest == streams.end()) return;
  out.device_ns = sum(*fullest) / static_cast<int64_t>(program.steps);
  out.bound_by =
      out.host_ns >= out.device_ns ? "host" : kWorkNames[std::ranges::max_element(*fullest) - fullest->begin()];
}

std::string operator_of(const Recorded& host, const ProgramEvent& event) {
  uint32_t op = host.joined.links.event_operator[event.row];
  while (op != kNone && host.p.operators.kind[op] != OperatorKind::kOperator) op = host.joined.operators.parent[op];
  if (op != kNone) return std::string(host.p.text(host.p.operators.name[op]));
  return analysis::short_kernel_name(host.p.text(host.p.device_events.name[event.row]));
}

void add_operators(const Run& run, DeviceForecast& out) {
  std::map<std::string, ForecastOperator> by_name;
  for (const ProgramEvent& event : run.host.program.events) {
    ForecastOperator& one = by_name[operator_of(run.host, event)];
    one.launches += 1;
    one.device_ns += run.duration_ns[event.row];
  }
  for (auto& [name, one] : by_name) {
    const auto steps = static_cast<double>(run.host.program.steps);
    out.operators.push_back(
        {name, one.launches / steps, static_cast<int64_t>(static_cast<double>(one.device_ns) / steps)});
  }
  std::ranges::stable_sort(out.operators, std::greater<>(), &ForecastOperator::device_ns);
}

int64_t scaled(int64_t ns, double factor) { return static_cast<int64_t>(static_cast<double>(ns) * factor); }

void add_kernels(const Run& run, DeviceForecast& out) {
  std::map<std::string_view, std::pair<ForecastKernel, Band>> by_name;
  for (const ProgramEvent& event : run.host.program.events) {
    const std::string_view name = run.name_of(event.row);
    auto& [one, band] = by_name[name];
    one.name = name;
    band = run.band(event.row);
    one.launches += 1;
    one.device_ns += run.duration_ns[event.row];
  }
  const double of_step = 1 / static_cast<double>(run.host.program.steps);
  for (auto& [name, found] : by_name) {
    auto& [one, band] = found;
    one.launches *= of_step;
    one.device_ns = scaled(one.device_ns, of_step);
    one.low_ns = scaled(one.device_ns, band.low);
    one.high_ns = scaled(one.device_ns, band.high);
    out.kernels.push_back(std::move(one));
  }
  std::ranges::stable_sort(out.kernels, std::greater<>(), &ForecastKernel::device_ns);
}

int64_t most_memory_bytes(const Profile& p) {
  int64_t now_bytes = 0, most_bytes = 0;
  for (uint32_t row = 0; row < p.allocations.size(); ++row) {
    if (p.allocations.device_type[row] == 0) continue;
    now_bytes += p.allocations.bytes[row];
    most_bytes = std::max(most_bytes, now_bytes);
  }
  return most_bytes;
}

DeviceForecast forecast_of(const Recorded& first, const Recorded& device) {
  const bool same = is_same_work(first, device);
  const Run run = run_of(same ? first : device, device);
  DeviceForecast out;
  out.own_host = !same;
  out.steps = run.host.program.steps;
  out.has_steps = run.host.program.has_steps;
  out.step_ns = step_with(run, [](uint32_t) { return 1; });
  out.low_ns = step_with(run, [&](uint32_t row) { return run.band(row).low; });
  out.high_ns = step_with(run, [&](uint32_t row) { return run.band(row).high; });
  out.host_ns = step_with(run, [](uint32_t) { return 0; });
  out.memory_bytes = most_memory_bytes(device.p);
  add_device_time(run, out);
  add_operators(run, out);
  add_kernels(run, out);
  return out;
}

}  // namespace

std::vector<DeviceForecast> forecast(const std::vector<Profile>& recordings) {
  std::vector<DeviceForecast> out;
  if (recordings.empty()) return out;
  const Recorded first(recordings[0]);
  out.push_back(forecast_of(first, first));
  for (size_t i = 1; i < recordings.size(); ++i) out.push_back(forecast_of(first, Recorded(recordings[i])));
  return out;
}

}  // namespace warplens::findings
