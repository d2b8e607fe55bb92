#include "warplens/program/analysis/operators/torch_print.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"

namespace warplens::analysis {
namespace {

std::string time_text(double ns) {
  const double us = ns / 1000;
  if (us >= 1e6) return fmt::format("{:.3f}s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:.3f}ms", us / 1e3);
  return fmt::format("{:.3f}us", us);
}

std::string share_text(int64_t part, int64_t total) {
  return total == 0 ? "NaN" : fmt::format("{:.2f}%", static_cast<double>(part) * 100.0 / static_cast<double>(total));
}

std::string memory_text(int64_t bytes) {
  constexpr double kKb = 1024, kMb = 1024 * kKb, kGb = 1024 * kMb;
  const auto value = static_cast<double>(bytes);
  if (std::fabs(value) >= kGb) return fmt::format("{:.2f} GB", value / kGb);
  if (std::fabs(value) >= kMb) return fmt::format("{:.2f} MB", value / kMb);
  if (std::fabs(value) >= kKb) return fmt::format("{:.2f} KB", value / kKb);
  return fmt::format("{} B", bytes);
}

/// The end of a source line, as torch cuts it.
std::string trim_path(std::string_view path, size_t width) {
  if (path.size() <= width) return std::string(path);
  path.remove_prefix(path.size() - width);
  return path.size() > 3 ? "..." + std::string(path.substr(3)) : std::string(path);
}

struct TextColumn {
  std::string title;
  size_t width;
  bool left = false;
};

/// A scale so that the smallest count of operations prints in thousands at most, and its unit.
struct FlopsUnit {
  double scale = 1;
  const char* name = nullptr;  // null: there are none
};

FlopsUnit flops_unit(const std::vector<TorchRow>& rows) {
  static constexpr const char* kUnits[] = {"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"};
  int64_t least = 0;
  for (const TorchRow& row : rows) {
    if (row.flops > 0 && (least == 0 || row.flops < least)) least = row.flops;
  }
  if (least == 0) return {};
  const double thousands = std::clamp(std::log10(static_cast<double>(least)) / 3, 0.0, 5.0);
  return {std::pow(10, std::floor(thousands) * -3.0), kUnits[static_cast<size_t>(thousands)]};
}

class Printer {
 public:
  Printer(const TorchTable& table, const TorchPrintOptions& options) : table_(table), options_(options) {
    for (const TorchRow& row : table.rows) {
      has_device_time_ |= row.self_device_ns > 0;
      has_device_memory_ |= row.self_device_bytes > 0;
      has_stack_ |= !row.stack.empty();
    }
    if (table.has_flops) flops_ = flops_unit(table.rows);
    add_columns();
  }

  std::string print() {
    if (table_.rows.empty()) return {};
    std::string rule;
    for (const TextColumn& column : columns_) rule += std::string(column.width, '-') + "  ";
    std::string out = rule + '\n';
    std::vector<std::string> titles;
    for (const TextColumn& column : columns_) titles.push_back(column.title);
    out += line(titles) + rule + '\n';
    for (size_t i = 0; i < std::min(options_.limit, table_.rows.size()); ++i) out += row_text(table_.rows[i]);
    out += rule + '\n';
    out += fmt::format("Self CPU time total: {}\n", time_text(static_cast<double>(table_.self_cpu_ns)));
    if (has_device_time_)
      out += fmt::format("Self CUDA time total: {}\n", time_text(static_cast<double>(table_.self_device_ns)));
    return out;
  }

 private:
  void add_columns() {
    size_t name = 0, shapes = 0, source = 0;
    for (const TorchRow& row : table_.rows) {
      name = std::max(name, row.name.size());
      shapes = std::max(shapes, row.input_shapes.size());
      for (const std::string& frame : row.stack) source = std::max(source, frame.size());
    }
    const auto add = [&](std::initializer_list<const char*> titles) {
      for (const char* title : titles) columns_.push_back({title, 12});
    };
    name_width_ = std::min(name + 4, options_.name_width);
    columns_.push_back({"Name", name_width_});
    add({"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"});
    if (has_device_time_) add({"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"});
    if (table_.has_memory) add({"CPU Mem", "Self CPU Mem"});
    if (table_.has_memory && has_device_memory_) add({"CUDA Mem", "Self CUDA Mem"});
    add({"# of Calls"});
    shapes_width_ = std::min(shapes + 4, options_.shapes_width);
    if (options_.with_shapes) columns_.push_back({"Input Shapes", shapes_width_});
    source_width_ = std::min(source + 4, options_.source_width);
    if (has_stack_) columns_.push_back({"Source Location", source_width_, true});
    if (flops_.name) columns_.push_back({fmt::format("Total {}", flops_.name), 12});
  }

  std::string line(const std::vector<std::string>& cells) const {
    std::string out;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const size_t used = display_width(cells[c]);
      const std::string space(columns_[c].width > used ? columns_[c].width - used : 0, ' ');
      out += (columns_[c].left ? cells[c] + space : space + cells[c]) + "  ";
    }
    return out + '\n';
  }

  std::string row_text(const TorchRow& row) const {
    const double count = static_cast<double>(std::max<int64_t>(row.count, 1));
    std::vector<std::string> cells;
    cells.push_back(row.name.size() + 3 >= options_.name_width ? row.name.substr(0, options_.name_width - 3) + "..."
                                                               : row.name);
    cells.push_back(share_text(row.self_cpu_ns, table_.self_cpu_ns));
    cells.push_back(time_text(static_cast<double>(row.self_cpu_ns)));
    cells.push_back(share_text(row.cpu_ns, table_.self_cpu_ns));
    cells.push_back(time_text(static_cast<double>(row.cpu_ns)));
    cells.push_back(time_text(static_cast<double>(row.cpu_ns) / count));
    if (has_device_time_) {
      cells.push_back(time_text(static_cast<double>(row.self_device_ns)));
      cells.push_back(share_text(row.self_device_ns, table_.self_device_ns));
      cells.push_back(time_text(static_cast<double>(row.device_ns)));
      cells.push_back(time_text(static_cast<double>(row.device_ns) / count));
    }
    if (table_.has_memory) {
      cells.push_back(memory_text(row.cpu_bytes));
      cells.push_back(memory_text(row.self_cpu_bytes));
    }
    if (table_.has_memory && has_device_memory_) {
      cells.push_back(memory_text(row.device_bytes));
      cells.push_back(memory_text(row.self_device_bytes));
    }
    cells.push_back(fmt::format("{}", row.count));
    if (options_.with_shapes) cells.push_back(row.input_shapes.substr(0, shapes_width_));
    // With both stacks and operations torch prints these two under each other's headings.
    if (flops_.name)
      cells.push_back(row.flops <= 0 ? "--" : fmt::format("{:8.3f}", static_cast<double>(row.flops) * flops_.scale));
    if (has_stack_) cells.push_back(row.stack.empty() ? "" : trim_path(row.stack[0], source_width_));
    return line(cells) + (has_stack_ ? rest_of_stack(row) : "");
  }

  /// The outer frames, a line each, and an empty line.
  std::string rest_of_stack(const TorchRow& row) const {
    std::string out;
    std::vector<std::string> cells(columns_.size());
    for (size_t i = 1; i < row.stack.size(); ++i) {
      cells.back() = trim_path(row.stack[i], source_width_);
      out += line(cells);
    }
    cells.back().clear();
    return out + line(cells);
  }

  const TorchTable& table_;
  TorchPrintOptions options_;
  bool has_device_time_ = false, has_device_memory_ = false, has_stack_ = false;
  FlopsUnit flops_;
  size_t name_width_ = 0, shapes_width_ = 0, source_width_ = 0;
  std::vector<TextColumn> columns_;
};

}  // namespace

std::string print_torch_table(const TorchTable& table, const TorchPrintOptions& options) {
  return Printer(table, options).print();
}

}  // namespace warplens::analysis
