#include "warplens/cli/timeline_tables.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/host_samples.h"
#include "warplens/program/analysis/kernel_name.h"

namespace warplens::cli {

using namespace analysis;

Table steps_table(const Profile& p, const Timeline& timeline) {
  Table table{{{"rank", "rank", Kind::kCount},
               {"device", "GPU", Kind::kCount},
               {"step", "step"},
               {"span_ns", "span", Kind::kTimeNs},
               {"busy_ns", "busy", Kind::kTimeNs},
               {"computation_ns", "compute", Kind::kTimeNs, 3},
               {"communication_ns", "comm", Kind::kTimeNs, 1},
               {"copies_ns", "copies", Kind::kTimeNs, 2},
               {"exposed_communication_ns", "exposed comm", Kind::kTimeNs},
               {"exposed_copies_ns", "exposed copies", Kind::kTimeNs},
               {"idle_ns", "idle", Kind::kTimeNs}},
              {}};
  const bool peers = p.ranks.size() > 1;
  if (peers) table.columns.push_back({"peer_wait_ns", "exposed wait for peers", Kind::kTimeNs});
  const bool parts =
      std::ranges::any_of(timeline.rows, [](const DeviceStep& row) { return row.role != StepRole::kSteady; });
  if (parts) table.columns.push_back({"part", "part"});
  for (const DeviceStep& row : timeline.rows) {
    const Cell step = row.step == kWholeTrace ? Cell{std::string("all")} : Cell{std::to_string(row.step)};
    table.rows.push_back({int64_t{p.ranks.rank[p.devices.rank[row.device]]}, int64_t{p.devices.ordinal[row.device]},
                          step, row.end_ns - row.start_ns, row.busy_ns, row.computation_ns, row.communication_ns,
                          row.copies_ns, row.exposed_communication_ns, row.exposed_copies_ns, row.idle_ns});
    if (peers) table.rows.back().push_back(row.peer_wait_ns);
    if (parts) table.rows.back().push_back(row.step == kWholeTrace ? Cell() : Cell(std::string(role_name(row.role))));
  }
  return table;
}

std::string span_line(const Profile& p, const Timeline& timeline) {
  constexpr double kNearly = 0.02;  // of the recorded time, which is not worth a line
  std::string out;
  for (const DeviceStep& row : timeline.rows) {
    if (row.step != kWholeTrace) continue;
    const uint32_t rank = p.devices.rank[row.device];
    const auto recorded = static_cast<double>(p.ranks.window_end_ns[rank] - p.ranks.window_start_ns[rank]);
    const auto span = static_cast<double>(row.end_ns - row.start_ns);
    if (recorded - span <= kNearly * recorded) continue;
    out += fmt::format("row all{}: from the first to the last work on the GPU, {} of {} recorded\n",
                       p.ranks.size() > 1 ? fmt::format(" of rank {}", p.ranks.rank[rank]) : "", format_ns(span),
                       format_ns(recorded));
  }
  return out;
}

Table launches_table(const Profile& p, const Timeline& timeline) {
  Table table{{{"rank", "rank", Kind::kCount},
               {"device", "GPU", Kind::kCount},
               {"kernels", "kernels", Kind::kCount},
               {"latency_min_ns", "launch to start, least", Kind::kTimeNs},
               {"latency_median_ns", "median", Kind::kTimeNs},
               {"latency_p99_ns", "p99", Kind::kTimeNs, 3},
               {"shorter_than_launch", "shorter than launch", Kind::kCount},
               {"queue_mean", "queue, mean", Kind::kNumber},
               {"queue_max", "most", Kind::kCount},
               {"queue_empty_ns", "empty for", Kind::kTimeNs},
               {"streams_mean", "streams at once", Kind::kNumber, 2},
               {"several_streams_ns", "two or more", Kind::kTimeNs, 1}},
              {}};
  for (const DeviceStep& row : timeline.rows) {
    if (row.step != kWholeTrace) continue;
    const LaunchStatistics& s = row.launches;
    table.rows.push_back({int64_t{p.ranks.rank[p.devices.rank[row.device]]}, int64_t{p.devices.ordinal[row.device]},
                          s.kernels, s.latency_min_ns, s.latency_median_ns, s.latency_p99_ns, s.shorter_than_launch,
                          s.queue_mean, s.queue_max, s.queue_empty_ns, s.streams_mean, s.several_streams_ns});
  }
  return table;
}

Table gaps_table(const Profile& p, const Timeline& timeline, size_t limit) {
  struct Sum {
    int64_t count = 0, total_ns = 0, longest_ns = 0;
  };
  std::map<std::tuple<GapCause, std::string, std::string>, Sum> sums;
  bool sampled = false;
  for (const std::vector<Gap>& gaps : timeline.gaps) {
    for (const Gap& gap : gaps) {
      const std::string_view host = gap.host == kNone ? std::string_view{} : p.text(p.operators.name[gap.host]);
      const std::string_view stack = gap.sample == kNone ? std::string_view{} : p.text(p.other_events.name[gap.sample]);
      sampled = sampled || !stack.empty();
      Sum& sum =
          sums[{gap.cause, std::string(step_number(host) ? "(no operator)" : host),  // a step's range says nothing
                code_of(stack)}];
      const int64_t length = gap.end_ns - gap.start_ns;
      ++sum.count;
      sum.total_ns += length;
      sum.longest_ns = std::max(sum.longest_ns, length);
    }
  }
  Table table{{{"cause", "idle because of"},
               {"host", "host in"},
               {"gaps", "gaps", Kind::kCount},
               {"total_ns", "total", Kind::kTimeNs},
               {"longest_ns", "longest", Kind::kTimeNs}},
              {}};
  if (sampled) table.columns.push_back({"code", "code"});
  for (const auto& [key, sum] : sums) {
    const auto& [cause, host, code] = key;
    table.rows.push_back({std::string(gap_cause_name(cause)), host, sum.count, sum.total_ns, sum.longest_ns});
    if (sampled) table.rows.back().push_back(code);
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return std::get<int64_t>(a[3]) > std::get<int64_t>(b[3]); });
  if (limit && table.rows.size() > limit) table.rows.resize(limit);
  return table;
}

Table path_table(const Profile& p, const CriticalPath& path, size_t limit) {
  std::map<std::pair<PathKind, std::string>, std::pair<int64_t, int64_t>> sums;
  for (const PathSegment& segment : path.segments) {
    const bool on_device = segment.kind == PathKind::kKernel || segment.kind == PathKind::kCopy ||
                           segment.kind == PathKind::kCommunication;
    auto& sum = sums[{segment.kind, on_device ? std::string(p.text(p.device_events.name[segment.row])) : ""}];
    ++sum.first;
    sum.second += segment.duration_ns;
  }
  Table table{{{"kind", "critical path"},
               {"name", "name"},
               {"segments", "segments", Kind::kCount},
               {"total_ns", "total", Kind::kTimeNs},
               {"share", "share", Kind::kShare}},
              {}};
  for (const auto& [key, sum] : sums) {
    table.rows.push_back({std::string(path_kind_name(key.first)), key.second, sum.first, sum.second,
                          static_cast<double>(sum.second) / static_cast<double>(std::max<int64_t>(path.total_ns, 1))});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return std::get<int64_t>(a[3]) > std::get<int64_t>(b[3]); });
  if (limit && table.rows.size() > limit) table.rows.resize(limit);
  return table;
}

Table matrix_table(const Profile& p, const std::vector<MatrixWork>& work, size_t limit) {
  Table table{{{"rank", "rank", Kind::kCount},
               {"device", "GPU", Kind::kCount},
               {"operator", "matrix work"},
               {"shapes", "shapes"},
               {"dtype", "type", Kind::kText, 3},
               {"kernel", "kernel", Kind::kText, 5},
               {"class", "class", Kind::kText, 2},
               {"tensor_cores", "tensor cores", Kind::kText, 4},
               {"count", "count", Kind::kCount},
               {"time_ns", "time", Kind::kTimeNs},
               {"tflops", "TFLOP/s", Kind::kNumber},
               {"peak_tflops", "peak", Kind::kNumber, 1},
               {"peak_share", "of peak", Kind::kShare}},
              {}};
  for (const MatrixWork& w : work) {
    if (limit && table.rows.size() == limit) break;
    const Cell tensor = w.tensor_use == TensorUse::kUnknown ? Cell{} : Cell{w.tensor_use == TensorUse::kYes};
    const bool counted = w.flops > 0;
    table.rows.push_back({int64_t{p.ranks.rank[p.devices.rank[w.device]]}, int64_t{p.devices.ordinal[w.device]}, w.op,
                          w.shapes, w.dtype, whole_names() ? std::string(w.kernel) : short_kernel_name(w.kernel),
                          w.class_name, tensor, w.count, w.device_ns, counted ? Cell{w.tflops()} : Cell{},
                          w.peak_tflops > 0 ? Cell{w.peak_tflops} : Cell{},
                          counted && w.peak_tflops > 0 ? Cell{w.peak_share()} : Cell{}});
  }
  return table;
}

Table collectives_table(const Profile& p, const std::vector<CollectiveWork>& work, size_t limit) {
  Table table{{{"rank", "rank", Kind::kCount},
               {"device", "GPU", Kind::kCount},
               {"name", "collective"},
               {"bytes", "bytes", Kind::kBytes},
               {"group_size", "ranks", Kind::kCount, 1},
               {"count", "count", Kind::kCount},
               {"total_ns", "total", Kind::kTimeNs},
               {"best_ns", "shortest", Kind::kTimeNs, 2},
               {"median_ns", "median", Kind::kTimeNs},
               {"best_bus_gbs", "GB/s on the bus, best", Kind::kNumber},
               {"median_bus_gbs", "median", Kind::kNumber},
               {"usual_bus_gbs", "usual", Kind::kNumber}},
              {}};
  for (const CollectiveWork& w : work) {
    if (limit && table.rows.size() == limit) break;
    const bool sized = w.bytes > 0;
    table.rows.push_back({int64_t{p.ranks.rank[p.devices.rank[w.device]]}, int64_t{p.devices.ordinal[w.device]},
                          short_kernel_name(w.name), sized ? Cell{w.bytes} : Cell{},
                          w.group_size > 0 ? Cell{int64_t{w.group_size}} : Cell{},
                          static_cast<int64_t>(w.events.size()), w.total_ns, w.best_ns, w.median_ns,
                          sized ? Cell{w.bus_gbs(w.best_ns)} : Cell{}, sized ? Cell{w.bus_gbs(w.median_ns)} : Cell{},
                          sized ? Cell{usual_bus_gbs(p.text(p.devices.name[w.device]), w.group_size)} : Cell{}});
  }
  return table;
}

std::string tensor_line(const std::vector<MatrixWork>& work) {
  int64_t all_ns = 0, tensor_ns = 0;
  for (const MatrixWork& w : work) {
    all_ns += w.device_ns;
    tensor_ns += w.tensor_use == TensorUse::kYes ? w.device_ns : 0;
  }
  if (all_ns == 0) return {};
  return fmt::format("{} of matrix products, convolutions and attention ({}) ran on tensor cores\n",
                     format_share(static_cast<double>(tensor_ns) / static_cast<double>(all_ns)),
                     format_ns(static_cast<double>(all_ns)));
}

std::vector<DeviceQueue> device_queues(const Profile& p, const Causes& causes, const Timeline& timeline, size_t slots) {
  std::vector<DeviceQueue> out;
  for (const DeviceStep& row : timeline.rows) {
    if (row.step == kWholeTrace)
      out.push_back({row.device, queue_over_time(p, causes, row.device, row.start_ns, row.end_ns, slots)});
  }
  return out;
}

namespace {

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

std::string drawn(const std::string& label, std::vector<double> values, const std::string& most) {
  const double top = largest(values);
  if (top <= 0) return {};
  for (double& value : values) value /= top;
  return fmt::format("{}  {}  up to {}\n", label, strip(values), most);
}

}  // namespace

std::string draw_queues(const Profile& p, const std::vector<DeviceQueue>& queues) {
  std::string out;
  for (const DeviceQueue& entry : queues) {
    const std::string device = queues.size() > 1
                                   ? fmt::format("rank {} GPU {}: ", p.ranks.rank[p.devices.rank[entry.device]],
                                                 p.devices.ordinal[entry.device])
                                   : std::string();
    out += drawn(device + "launched, waiting", entry.queue.depth, fmt::format("{:.0f}", largest(entry.queue.depth)));
    out += drawn(device + "launch to start  ", entry.queue.latency_ns, format_ns(largest(entry.queue.latency_ns)));
  }
  return out;
}

void write_queues(json::Writer& w, const Profile& p, const std::vector<DeviceQueue>& queues) {
  w.begin_array();
  for (const DeviceQueue& entry : queues) {
    w.begin_object()
        .member("rank", int64_t{p.ranks.rank[p.devices.rank[entry.device]]})
        .member("device", int64_t{p.devices.ordinal[entry.device]});
    w.member("slot_ns", entry.queue.slot_ns).list("depth", entry.queue.depth).key("latency_ns").begin_array();
    for (const double latency : entry.queue.latency_ns) w.value(static_cast<int64_t>(latency));
    w.end_array().end_object();
  }
  w.end_array();
}

}  // namespace warplens::cli
