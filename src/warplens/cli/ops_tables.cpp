#include "warplens/cli/ops_tables.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/trace/profile/value_names.h"

namespace warplens::cli {
namespace {

using analysis::CauseBy;
using analysis::CauseRow;
using analysis::OperatorRow;
using analysis::RowKind;
using analysis::TorchRow;

constexpr size_t kNameWidth = 76, kShapesWidth = 60;  // of names and shapes for people

/// A kernel's name, alone or after what launched it ("CUDA graph 3 > kernel").
std::string readable(const std::string& name) {
  if (whole_names()) return name;
  const size_t arrow = name.find(" > ");
  if (arrow == std::string::npos || name.find('<') < arrow)
    return analysis::cut_to_width(analysis::short_kernel_name(name), kNameWidth);
  return analysis::cut_to_width(
      name.substr(0, arrow + 3) + analysis::short_kernel_name(std::string_view(name).substr(arrow + 3)), kNameWidth);
}

constexpr size_t kLeastName = 28;  // of an operator or a module

double ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Cell tflops_per_second(const OperatorRow& r) {
  return r.flops > 0 && r.flops_device_ns > 0 ? Cell{r.flops / static_cast<double>(r.flops_device_ns) / 1000} : Cell{};
}

const std::vector<TableColumn>& field_columns() {
  static const std::vector<TableColumn> columns = {{"name", "name"},
                                                   {"device_type", "device"},
                                                   {"is_user_annotation", "range", Kind::kCount},
                                                   {"input_shapes", "input shapes"},
                                                   {"count", "calls", Kind::kCount},
                                                   {"cpu_time_total_ns", "CPU total", Kind::kTimeNs},
                                                   {"self_cpu_time_total_ns", "CPU self", Kind::kTimeNs},
                                                   {"device_time_total_ns", "GPU total", Kind::kTimeNs},
                                                   {"self_device_time_total_ns", "GPU self", Kind::kTimeNs},
                                                   {"cpu_memory_bytes", "CPU memory", Kind::kBytes},
                                                   {"self_cpu_memory_bytes", "CPU memory self", Kind::kBytes},
                                                   {"device_memory_bytes", "GPU memory", Kind::kBytes},
                                                   {"self_device_memory_bytes", "GPU memory self", Kind::kBytes},
                                                   {"flops", "FLOPs", Kind::kCount}};
  return columns;
}

Cell tensor_cell(analysis::TensorUse use) {
  return use == analysis::TensorUse::kUnknown ? Cell{} : Cell{use == analysis::TensorUse::kYes};
}

}  // namespace

Table full_table(const std::vector<TorchRow>& rows, bool with_stack) {
  Table table{field_columns(), {}};
  if (with_stack) table.columns.push_back({"stack", "stack"});
  for (const TorchRow& r : rows) {
    table.rows.push_back({r.name, std::string(r.on_device ? "CUDA" : "CPU"), r.is_user_annotation, r.input_shapes,
                          r.count, r.cpu_ns, r.self_cpu_ns, r.device_ns, r.self_device_ns, r.cpu_bytes,
                          r.self_cpu_bytes, r.device_bytes, r.self_device_bytes, r.flops});
    if (with_stack) table.rows.back().push_back(join(r.stack, ";"));
  }
  return table;
}

Table full_table(const std::vector<OperatorRow>& rows) {
  Table table{field_columns(), {}};
  table.columns.push_back({"tflops_per_second", "TFLOP/s", Kind::kNumber});
  table.columns.push_back({"kernel_count", "kernels", Kind::kCount, 5});
  table.columns.push_back({"dtype", "type"});
  table.columns.push_back({"stack", "stack"});
  for (const OperatorRow& r : rows) {
    table.rows.push_back({r.name, std::string(r.kind == RowKind::kKernel ? "CUDA" : "CPU"), r.kind == RowKind::kRange,
                          r.input_shapes, r.count, r.cpu_ns, r.self_cpu_ns, r.device_ns, r.self_device_ns, r.cpu_bytes,
                          r.self_cpu_bytes, r.device_bytes, r.self_device_bytes, static_cast<int64_t>(r.flops),
                          tflops_per_second(r), r.kernels, r.dtype, r.stack});
  }
  return table;
}

Table brief_table(const std::vector<OperatorRow>& rows, int64_t device_ns, int64_t cpu_ns) {
  const auto any = [&](auto has) { return std::any_of(rows.begin(), rows.end(), has); };
  const bool device = device_ns > 0, flops = any([](const OperatorRow& r) { return r.flops > 0; });
  const bool shapes = any([](const OperatorRow& r) { return !r.input_shapes.empty(); });
  const bool types = any([](const OperatorRow& r) { return !r.dtype.empty(); });
  const bool stack = any([](const OperatorRow& r) { return !r.stack.empty(); });
  const bool memory = any([](const OperatorRow& r) { return r.self_device_bytes != 0 || r.self_cpu_bytes != 0; });
  Table table{.columns = {}, .rows = {}, .least_name = kLeastName};
  auto column = [&](bool shown, TableColumn c) {
    if (shown) table.columns.push_back(std::move(c));
  };
  column(true, {"name", "operator"});
  column(shapes, {"input_shapes", "input shapes"});
  column(shapes && types, {"dtype", "type"});
  column(true, {"count", "calls", Kind::kCount});
  column(device, {"self_device_time_total_ns", "GPU self", Kind::kTimeNs});
  column(device, {"share", "share", Kind::kShare});
  column(device, {"device_time_total_ns", "GPU total", Kind::kTimeNs, 3});
  column(device, {"kernel_count", "kernels", Kind::kCount, 5});
  column(flops && device, {"tflops_per_second", "TFLOP/s", Kind::kNumber});
  column(true, {"self_cpu_time_total_ns", "CPU self", Kind::kTimeNs, 6});
  column(!device, {"share", "share", Kind::kShare});
  column(true, {"cpu_time_total_ns", "CPU total", Kind::kTimeNs, 2});
  column(memory, {"self_memory_bytes", device ? "GPU memory self" : "memory self", Kind::kBytes, device ? 1 : 4});
  column(stack, {"stack", "stack"});
  for (const OperatorRow& r : rows) {
    std::vector<Cell> row;
    auto cell = [&](bool shown, Cell value) {
      if (shown) row.push_back(std::move(value));
    };
    const bool kernel = r.kind == RowKind::kKernel;
    cell(true, readable(r.name));
    cell(shapes, whole_names() ? r.input_shapes : analysis::cut_to_width(r.input_shapes, kShapesWidth));
    cell(shapes && types, whole_names() ? r.dtype : replace_all(r.dtype, "c10::", ""));
    cell(true, r.count);
    cell(device, r.self_device_ns);
    cell(device, ratio(r.self_device_ns, device_ns));
    cell(device, r.device_ns);
    cell(device, r.kernels);
    cell(flops && device, tflops_per_second(r));
    cell(true, kernel ? Cell{} : Cell{r.self_cpu_ns});
    cell(!device, ratio(r.self_cpu_ns, cpu_ns));
    cell(true, kernel ? Cell{} : Cell{r.cpu_ns});
    cell(memory, kernel ? Cell{} : Cell{device ? r.self_device_bytes : r.self_cpu_bytes});
    cell(stack, r.stack);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table roofline_table(const Profile& p, const std::vector<analysis::RooflineRow>& rows, bool for_people) {
  const bool several = p.devices.size() > 1;
  Table table{{{"name", "operator"}, {"input_shapes", "input shapes"}, {"dtype", "type", Kind::kText, 4}}, {}};
  if (several) {
    table.columns.push_back({"rank", "rank", Kind::kCount});
    table.columns.push_back({"device", "GPU", Kind::kCount});
  }
  for (TableColumn column :
       {TableColumn{"count", "calls", Kind::kCount, 6}, TableColumn{"device_time_ns", "GPU time", Kind::kTimeNs},
        TableColumn{"flops", "FLOPs", Kind::kCount, 1}, TableColumn{"bytes", "bytes", Kind::kBytes, 2},
        TableColumn{"tflops_per_second", "TFLOP/s", Kind::kNumber},
        TableColumn{"gigabytes_per_second", "GB/s", Kind::kNumber, 5},
        TableColumn{"flops_per_byte", "FLOP/byte", Kind::kNumber, 3}, TableColumn{"bound", "bound by"},
        TableColumn{"roofline_ns", "roofline", Kind::kTimeNs}, TableColumn{"roofline_share", "of it", Kind::kShare}})
    table.columns.push_back(std::move(column));
  for (const analysis::RooflineRow& r : rows) {
    std::vector<Cell> row = {r.op, for_people ? analysis::cut_to_width(r.shapes, kShapesWidth) : r.shapes, r.dtype};
    if (several) {
      row.push_back(int64_t{p.ranks.rank[p.devices.rank[r.device]]});
      row.push_back(int64_t{p.devices.ordinal[r.device]});
    }
    const bool matrix = r.flops > 0, known = r.peak_gbs > 0;
    row.insert(row.end(), {r.calls, r.device_ns, matrix ? Cell{static_cast<int64_t>(r.flops)} : Cell{},
                           static_cast<int64_t>(r.bytes), matrix ? Cell{r.tflops()} : Cell{}, r.gbs(),
                           matrix ? Cell{r.flops / r.bytes} : Cell{},
                           known ? Cell{std::string(r.memory_bound() ? "memory" : "compute")} : Cell{},
                           known ? Cell{static_cast<int64_t>(std::max(r.compute_ns(), r.memory_ns()))} : Cell{},
                           known ? Cell{r.share()} : Cell{}});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table pattern_table(const Profile& profile, const std::vector<analysis::KernelPattern>& patterns, int64_t device_ns,
                    bool for_people) {
  constexpr size_t kShownKernels = 4, kShownWidth = 28;
  Table table{{{"count", "times", Kind::kCount},
               {"kernels", "kernels", Kind::kCount},
               {"device_time_total_ns", "GPU total", Kind::kTimeNs},
               {"device_time_fraction", "GPU", Kind::kShare},
               {"span_mean_ns", "each", Kind::kTimeNs},
               {"gap_fraction", "of it gaps", Kind::kShare},
               {"around", "within"},
               {"sequence", "sequence"}},
              {}};
  for (const analysis::KernelPattern& pattern : patterns) {
    std::vector<std::string> names;
    for (const uint32_t row : pattern.first) {
      if (for_people && names.size() == kShownKernels) break;
      const std::string_view name = profile.text(profile.device_events.name[row]);
      names.push_back(for_people ? analysis::cut_to_width(analysis::short_kernel_name(name), kShownWidth)
                                 : std::string(name));
    }
    std::string sequence = join(names, for_people ? ", " : "; ");
    if (names.size() < pattern.first.size()) sequence += fmt::format(", {} more", pattern.first.size() - names.size());
    table.rows.push_back(
        {static_cast<int64_t>(pattern.count()), static_cast<int64_t>(pattern.first.size()), pattern.device_ns,
         ratio(pattern.device_ns, device_ns), pattern.span_ns / static_cast<int64_t>(pattern.count()),
         ratio(pattern.gap_ns, pattern.span_ns),
         pattern.around == kNone ? std::string() : std::string(profile.text(profile.operators.name[pattern.around])),
         sequence});
  }
  return table;
}

Table call_rows(const std::vector<analysis::CallRow>& rows) {
  int64_t all_ns = 0;
  for (const analysis::CallRow& r : rows) all_ns += r.host_ns;
  Table table{{{"name", "call"},
               {"kind", "interface", Kind::kText, 5},
               {"host_ns", "CPU time", Kind::kTimeNs},
               {"share", "share", Kind::kShare},
               {"count", "calls", Kind::kCount},
               {"mean_ns", "mean", Kind::kTimeNs, 1},
               {"median_ns", "median", Kind::kTimeNs, 2},
               {"shortest_ns", "shortest", Kind::kTimeNs, 4},
               {"longest_ns", "longest", Kind::kTimeNs, 3}},
              {},
              kLeastName};
  for (const analysis::CallRow& r : rows)
    table.rows.push_back({std::string(r.name), std::string(kCallKindNames[static_cast<size_t>(r.kind)]), r.host_ns,
                          ratio(r.host_ns, all_ns), r.count, r.host_ns / r.count, r.median_ns, r.shortest_ns,
                          r.longest_ns});
  return table;
}

Table cause_rows(const analysis::CauseTable& causes, CauseBy by, bool for_people) {
  static constexpr const char* kTitles[] = {"module", "line", "annotation", "kernel", "class"};
  const bool kernel = by == CauseBy::kKernel;
  Table table{{{"name", kTitles[static_cast<size_t>(by)]}}, {}, kLeastName};
  if (kernel) {
    table.columns.push_back({"class", "class"});
    table.columns.push_back({"tensor_cores", "tensor cores"});
  }
  for (TableColumn column :
       {TableColumn{"device_time_ns", "GPU time", Kind::kTimeNs}, TableColumn{"share", "share", Kind::kShare},
        TableColumn{"forward_ns", "forward", Kind::kTimeNs}, TableColumn{"backward_ns", "backward", Kind::kTimeNs},
        TableColumn{"kernel_count", "kernels", Kind::kCount, 3}, TableColumn{"mean_ns", "mean", Kind::kTimeNs, 2},
        TableColumn{"longest_ns", "longest", Kind::kTimeNs, 1}})
    table.columns.push_back(std::move(column));
  for (const CauseRow& r : causes.rows) {
    std::vector<Cell> row = {for_people ? readable(r.name) : r.name};
    if (kernel) {
      row.push_back(r.class_name);
      row.push_back(tensor_cell(r.tensor_use));
    }
    row.insert(row.end(), {r.device_ns, ratio(r.device_ns, causes.device_ns), r.forward_ns, r.backward_ns, r.count,
                           r.count ? r.device_ns / r.count : 0, r.longest_ns});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warplens::cli
