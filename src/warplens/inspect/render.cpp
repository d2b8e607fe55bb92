#include "warplens/inspect/render.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/output/terminal.h"

namespace warplens::inspect {
namespace {

Cell count_cell(bool known, uint64_t count) { return known ? Cell{static_cast<int64_t>(count)} : Cell{}; }

/// Columns of the levels that the kernel has.
std::vector<TableColumn> level_columns(const Kernel& kernel) {
  std::vector<TableColumn> columns;
  if (kernel.has_ptx) columns.push_back({"ptx", "PTX", warplens::Kind::kCount});
  if (kernel.has_sass) columns.push_back({"sass", "SASS", warplens::Kind::kCount});
  return columns;
}

void add_levels(const Kernel& kernel, const Pair& pair, std::vector<Cell>& row) {
  if (kernel.has_ptx) row.push_back(static_cast<int64_t>(pair.ptx));
  if (kernel.has_sass) row.push_back(static_cast<int64_t>(pair.sass));
}

Table with_levels(const Kernel& kernel, std::vector<TableColumn> columns) {
  for (TableColumn& column : level_columns(kernel)) columns.push_back(std::move(column));
  return {std::move(columns), {}};
}

std::vector<Cell>& new_row(Table& table, const std::string& first) {
  std::vector<Cell>& row = table.rows.emplace_back();
  row.emplace_back(first);
  return row;
}

Table class_table(const Kernel& kernel) {
  Table table = with_levels(kernel, {{"class", "class"}});
  for (const auto& [name, pair] : kernel.classes) {
    add_levels(kernel, pair, new_row(table, name));
  }
  add_levels(kernel, kernel.instructions, new_row(table, "total"));
  return table;
}

Table memory_table(const Kernel& kernel) {
  Table table = with_levels(
      kernel, {{"space", "space"}, {"kind", "access"}, {"width_bytes", "bytes per lane", warplens::Kind::kCount}});
  for (const auto& [key, pair] : kernel.memory) {
    auto& row = new_row(table, key.space);
    row.emplace_back(key.kind);
    row.emplace_back(static_cast<int64_t>(key.width_bytes));
    add_levels(kernel, pair, row);
  }
  return table;
}

/// Lines of source files, read once each; no text where a file is not there. A file that has moved is looked for beside
/// what is inspected.
class Sources {
 public:
  explicit Sources(const std::string& inspected) : folder_(std::filesystem::path(inspected).parent_path()) {}

  std::string line(const LineKey& key) {
    auto [found, added] = files_.try_emplace(key.file);
    if (added) {
      found->second = source_lines(key.file);
      if (found->second.empty())
        found->second = source_lines((folder_ / std::filesystem::path(key.file).filename()).string());
    }
    return key.line >= 1 && key.line <= found->second.size() ? std::string(trim(found->second[key.line - 1])) : "";
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> files_;
};

std::string short_place(const LineKey& key) {
  const size_t slash = key.file.rfind('/');
  return fmt::format("{}:{}", slash == std::string::npos ? key.file : key.file.substr(slash + 1), key.line);
}

/// "4 global load x16 B, 1 shared store x4 B": of SASS where there is some, else of PTX.
std::string memory_text(const Kernel& kernel, const Line& line) {
  std::vector<std::string> parts;
  for (const auto& [key, pair] : line.memory) {
    const uint64_t count = kernel.has_sass ? pair.sass : pair.ptx;
    if (count > 0 && key.space != "constant") {
      parts.push_back(fmt::format("{} {} {} of {} B", count, key.space, key.kind, key.width_bytes));
    }
  }
  return join(parts, ", ");
}

Table line_table(const Kernel& kernel, const std::string& inspected) {
  Table table = with_levels(kernel, {{"line", "line"}});
  table.columns.push_back({"memory", "memory"});
  table.columns.push_back({"source", "source"});
  Sources sources(inspected);
  for (const auto& [key, line] : kernel.lines) {
    auto& row = new_row(table, short_place(key));
    add_levels(kernel, line.instructions, row);
    row.emplace_back(memory_text(kernel, line));
    row.emplace_back(sources.line(key));
  }
  return table;
}

std::string threads(const std::array<uint32_t, 3>& dimensions) {
  return fmt::format("{}x{}x{}", dimensions[0], dimensions[1], dimensions[2]);
}

/// Spills and local arrays are loads and stores of local memory; notes say which of the two they are.
std::string local_text(const Kernel& kernel) {
  uint64_t accesses = 0;
  for (const auto& [key, pair] : kernel.memory) accesses += key.space == "local" ? pair.sass : 0;
  return accesses == 0 ? "no spills" : fmt::format("{} accesses of local memory", accesses);
}

std::string resources(const Kernel& kernel) {
  std::vector<std::string> parts;
  if (kernel.has_sass) {
    parts.push_back(fmt::format("{} registers", kernel.registers));
    parts.push_back(fmt::format("{} B shared", kernel.shared_bytes));
    parts.push_back(fmt::format("{} B stack", kernel.frame_bytes));
    parts.push_back(local_text(kernel));
    if (kernel.barriers > 0)
      parts.push_back(fmt::format("{} barrier{}", kernel.barriers, kernel.barriers == 1 ? "" : "s"));
  } else {
    parts.push_back(fmt::format("{} B shared", kernel.ptx_shared_bytes));
    parts.push_back(fmt::format("{} B local", kernel.ptx_local_bytes));
  }
  parts.push_back(fmt::format("{} B parameters", kernel.parameter_bytes));
  if (kernel.required_threads[0] > 0) parts.push_back("blocks of " + threads(kernel.required_threads));
  if (kernel.max_threads[0] > 0) parts.push_back("blocks up to " + threads(kernel.max_threads));
  return join(parts, ", ");
}

std::string kernel_text(const Kernel& kernel, const std::string& inspected, const View& view) {
  std::string out =
      styled(fmt::format("{} {}", kernel.is_kernel ? "kernel" : "function", short_name(kernel.name)), Style::kBold);
  out += "\n" + resources(kernel) + "\n\n";
  out += to_terminal(class_table(kernel), view.width);
  if (!kernel.memory.empty()) out += "\n" + to_terminal(memory_table(kernel), view.width);
  if (view.lines && !kernel.lines.empty()) out += "\n" + to_terminal(line_table(kernel, inspected), view.width);
  if (!kernel.notes.empty()) out += '\n';
  for (const std::string& note : kernel.notes) out += "- " + note + "\n";
  return out;
}

constexpr size_t kShownInFull = 8;

/// One row per kernel, where there are too many to show in full.
Table kernels_table(const std::vector<Kernel>& kernels) {
  using warplens::Kind;
  Table table{{{"kernel", "kernel"},
               {"registers", "registers", Kind::kCount},
               {"shared_bytes", "shared", Kind::kBytes},
               {"stack_bytes", "stack", Kind::kBytes},
               {"ptx", "PTX", Kind::kCount},
               {"sass", "SASS", Kind::kCount}},
              {}};
  for (const Kernel& kernel : kernels) {
    auto& row = new_row(table, kernel.name);
    for (const uint32_t value : {kernel.registers, kernel.shared_bytes, kernel.frame_bytes})
      row.push_back(count_cell(kernel.has_sass, value));
    row.push_back(count_cell(kernel.has_ptx, kernel.instructions.ptx));
    row.push_back(count_cell(kernel.has_sass, kernel.instructions.sass));
  }
  return table;
}

/// One row for each kind and target: a library has an image for each of hundreds of sources.
Table images_table(const std::vector<CarriedImage>& images) {
  using warplens::Kind;
  Table table{{{"kind", "in it"},
               {"target", "for"},
               {"images", "images", Kind::kCount},
               {"bytes", "bytes", Kind::kBytes},
               {"packed_bytes", "packed", Kind::kBytes},
               {"kernels", "shown below", Kind::kCount}},
              {}};
  for (const CarriedImage& image : images) {
    auto row = std::ranges::find_if(table.rows, [&](const std::vector<Cell>& each) {
      return std::get<std::string>(each[0]) == image.kind && std::get<std::string>(each[1]) == image.target;
    });
    if (row == table.rows.end())
      row = table.rows.insert(row, {image.kind, image.target, int64_t{0}, int64_t{0}, int64_t{0}, Cell{}});
    const auto add = [&](size_t column, uint64_t value) {
      if (std::holds_alternative<std::monostate>((*row)[column])) (*row)[column] = int64_t{0};
      std::get<int64_t>((*row)[column]) += static_cast<int64_t>(value);
    };
    add(2, 1);
    add(3, image.bytes);
    add(4, image.packed_bytes);
    if (image.shown) add(5, image.kernels.size());
  }
  return table;
}

}  // namespace

std::string to_text(const Report& report, const View& view) {
  std::string out = report.source + ": " + report.architecture;
  if (!report.ptx_version.empty()) out += ", PTX " + report.ptx_version;
  out += '\n';
  for (const auto& [key, value] : report.metadata) out += fmt::format("{} {}\n", key, value);
  for (const std::string& note : report.notes) out += "- " + note + "\n";
  if (!report.images.empty()) out += "\n" + to_terminal(images_table(report.images), view.width);
  if (report.kernels.size() > kShownInFull)
    return out + fmt::format("\n{}\n-k NAME shows one of these {} in full\n",
                             to_terminal(kernels_table(report.kernels), view.width), report.kernels.size());
  for (const Kernel& kernel : report.kernels) out += "\n" + kernel_text(kernel, report.source, view);
  return out;
}

Table to_table(const Report& report) {
  Table table{{{"kernel", "kernel"},
               {"what", "what"},
               {"ptx", "PTX", warplens::Kind::kCount},
               {"sass", "SASS", warplens::Kind::kCount}},
              {}};
  for (const Kernel& kernel : report.kernels) {
    const auto add = [&](std::string what, const Pair& pair) {
      auto& row = new_row(table, kernel.name);
      row.emplace_back(std::move(what));
      row.push_back(count_cell(kernel.has_ptx, pair.ptx));
      row.push_back(count_cell(kernel.has_sass, pair.sass));
    };
    add("instructions", kernel.instructions);
    for (const auto& [name, pair] : kernel.classes) add(name, pair);
    for (const auto& [key, pair] : kernel.memory)
      add(fmt::format("{} {} of {} B", key.space, key.kind, key.width_bytes), pair);
  }
  return table;
}

}  // namespace warplens::inspect
