#include "warplens/cli/kernel_code.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/counters/counted_lines.h"
#include "warplens/counters/place_text.h"
#include "warplens/counters/sampled_lines.h"
#include "warplens/isa/sass/operands.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/report/writers/text.h"

namespace warplens::cli {
namespace {

constexpr uint32_t kAround = 4;  // lines shown about a counted one, of files other than the kernel's own
constexpr uint32_t kInstructionBytes = 16;

/// Says what stands for operands that are not known, where some are.
void note_unknown_operands(page::Code::Pane* pane) {
  const bool some = std::ranges::any_of(
      pane->lines, [](const page::Code::Line& line) { return line.text.ends_with(sass::kNotDecoded); });
  if (some) pane->note = fmt::format("{} marks operands that warplens does not decode.", sass::kNotDecoded);
}

/// "saxpy.cu:12"; empty without a line.
std::string place_of(const std::string& file, uint32_t line) {
  return line == 0 ? "" : counters::place_text(file, line, 0);
}

/// What is known of places, from tables that have a column "line".
class PlaceFacts {
 public:
  /// Rows of other kernels are left out, where the table says of which they are.
  void add(const Table& table, const std::string& kernel) {
    std::vector<size_t> shown;
    size_t place = 0, kernel_column = table.columns.size();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& name = table.columns[c].name;
      if (name == "line") place = c;
      else if (name == "kernel") kernel_column = c;
      else if (is_worth_a_column(table, c)) shown.push_back(c);
    }
    const size_t first = columns_.size();
    for (const size_t c : shown) columns_.push_back(table.columns[c]);
    for (const std::vector<Cell>& row : table.rows) {
      if (kernel_column < row.size() && row[kernel_column] != Cell(kernel)) continue;
      std::vector<Cell>& cells = rows_[std::get<std::string>(row[place])];
      cells.resize(columns_.size());
      for (size_t k = 0; k < shown.size(); ++k) cells[first + k] = row[shown[k]];
    }
  }

  const std::vector<TableColumn>& columns() const { return columns_; }
  std::vector<Cell> of(const std::string& place) const {
    const auto found = rows_.find(place);
    if (found == rows_.end()) return {};
    std::vector<Cell> cells = found->second;
    cells.resize(columns_.size());
    return cells;
  }

 private:
  static bool is_worth_a_column(const Table& table, size_t c) {
    return std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) {
      return row[c] != Cell() && row[c] != Cell(int64_t{0}) && row[c] != Cell(std::string());
    });
  }

  std::vector<TableColumn> columns_;
  std::map<std::string, std::vector<Cell>> rows_;
};

class CodeBuilder {
 public:
  explicit CodeBuilder(const ShownLaunch& launch) : launch_(launch) {}

  std::optional<page::Code> build() {
    gather();
    page::Code out{"Code", "", heat(), {}};
    for (const std::string& file : files_in_order()) add_file(file);
    if (!source_.lines.empty()) out.panes.push_back(std::move(source_));
    page::Code::Pane ptx = ptx_pane();
    const bool has_ptx = !ptx.lines.empty();
    if (has_ptx) out.panes.push_back(std::move(ptx));
    page::Code::Pane code = instruction_pane();
    if (code.lines.empty()) code = address_pane();
    if (code.note.empty()) note_unknown_operands(&code);
    if (!code.lines.empty()) out.panes.push_back(std::move(code));
    if (out.panes.empty()) return {};
    out.note = "Select a line to mark the matching lines in the other columns.";
    if (is_of_program() && !has_ptx)
      out.note += " No PTX of this kernel was found: nvcc -arch=sm_NN without -code keeps it in the program.";
    if (!missing_.empty())
      out.note += fmt::format(
          " These files are not shown, because they cannot be read or are outside this folder: "
          "{}.",
          join(missing_, ", "));
    return out;
  }

 private:
  void see(const std::string& file, uint32_t line, uint64_t weight) {
    if (line == 0) return;
    files_[file].insert(line);
    weights_[file] += weight;
  }

  void gather() {
    if (launch_.report != nullptr && !launch_.report->lines.empty()) {
      facts_.add(report::line_table(*launch_.report), launch_.kernel);
      for (const report::LineCounts& line : launch_.report->lines) see(line.file, line.line, line.all.executions);
    }
    if (launch_.lines == nullptr) return;
    for (const counters::Sampling& sampling : launch_.lines->samplings) {
      const std::vector<counters::SampledLine> lines = counters::sampled_lines(sampling);
      facts_.add(counters::sampled_table(lines), launch_.kernel);
      for (const counters::SampledLine& line : lines) {
        if (line.kernel == launch_.kernel) see(line.file, line.line, line.samples);
      }
    }
    for (const counters::Instructions& instructions : launch_.lines->instructions) {
      const std::vector<counters::CountedLine> lines = counters::counted_lines(instructions);
      facts_.add(counters::counted_lines_table(lines), launch_.kernel);
      for (const counters::CountedLine& line : lines) {
        if (line.kernel == launch_.kernel) see(line.file, line.line, line.executed);
      }
    }
  }

  /// The column that shows best what the launch is limited by.
  std::string heat() const {
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(facts_.columns(), [&](const TableColumn& column) { return column.name == name; });
    };
    if (has("samples")) return "samples";
    const std::string limit = launch_.report != nullptr ? launch_.report->time.limited_by : "";
    if ((limit == "DRAM" || limit == "L2") && has("global_sectors")) return "global sectors";
    if (limit == "L1 and shared memory" && has("shared_wavefronts")) return "shared passes";
    return "executed";
  }

  std::vector<std::string> files_in_order() const {
    std::vector<std::string> out;
    for (const auto& [file, lines] : files_) out.push_back(file);
    std::ranges::stable_sort(out, [&](const auto& a, const auto& b) { return weights_.at(a) > weights_.at(b); });
    return out;
  }

  bool may_show(const std::string& file) const {
    if (!launch_.others) return true;
    std::error_code error;
    const std::string whole = std::filesystem::weakly_canonical(file, error).string();
    const std::string here = std::filesystem::current_path(error).string() + "/";
    return !error && whole.starts_with(here);
  }

  void add_file(const std::string& file) {
    source_.name = "Source";
    source_.columns = facts_.columns();
    const std::vector<std::string> texts = may_show(file) ? source_lines(file) : std::vector<std::string>();
    const std::string name = file.substr(file.find_last_of('/') + 1);
    if (texts.empty()) missing_.push_back(name);
    const bool whole = launch_.source != nullptr && name == base_name(launch_.source->path);
    if (files_.size() > 1) source_.lines.push_back({"", name, "", {}});
    const std::set<uint32_t>& counted = files_[file];
    uint32_t before = 0;
    const auto end = static_cast<uint32_t>(texts.empty() ? *counted.rbegin() : texts.size());
    for (uint32_t line = 1; line <= end; ++line) {
      const uint32_t around = whole ? end : texts.empty() ? 0 : kAround;
      const auto near = counted.lower_bound(line > around ? line - around : 0);
      if (near == counted.end() || *near > uint64_t{line} + around) continue;
      if (before + 1 < line && before > 0) source_.lines.push_back({"", "...", "", {}});
      before = line;
      const std::string place = place_of(file, line);
      source_.lines.push_back(
          {fmt::format("{}", line), line <= texts.size() ? texts[line - 1] : std::string(), place, facts_.of(place)});
    }
  }

  static std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

  /// A program ran just now, so that its PTX may be known.
  bool is_of_program() const {
    return launch_.program != nullptr || (launch_.lines != nullptr && !launch_.lines->ptx.empty());
  }

  /// Of what was compiled or read here, of what an emulated program loaded, or of what a program's file carries.
  std::vector<report::PtxLine> ptx_lines() const {
    if (launch_.source != nullptr && launch_.source->module)
      return report::ptx_listing(*launch_.source->module, launch_.source->ptx, launch_.mangled);
    if (launch_.lines != nullptr && !launch_.lines->ptx.empty()) {
      const auto known = launch_.lines->ptx.find(launch_.mangled);
      return known != launch_.lines->ptx.end() ? known->second : std::vector<report::PtxLine>();
    }
    const bool known = launch_.program != nullptr && launch_.report != nullptr && !launch_.mangled.empty();
    if (!known) return {};
    return launch_.program->kernel(launch_.mangled, launch_.report->device->architecture().cc());
  }

  page::Code::Pane ptx_pane() const {
    page::Code::Pane out{"PTX", "", {}, {}};
    for (report::PtxLine& line : ptx_lines())
      out.lines.push_back({fmt::format("{}", line.number), std::move(line.text), place_of(line.file, line.line), {}});
    return out;
  }

  page::Code::Pane instruction_pane() const {
    page::Code::Pane out;
    if (launch_.report == nullptr || launch_.report->instructions.empty()) return out;
    const report::KernelReport& report = *launch_.report;
    out.name = report.from_machine_code ? "Machine code (SASS)" : "PTX instructions that were counted";
    const Table table = report::instruction_table(report);
    std::vector<size_t> shown;
    for (size_t c = 3; c < table.columns.size(); ++c) {
      if (std::ranges::any_of(table.rows, [&](const auto& row) { return row[c] != Cell(int64_t{0}); }))
        shown.push_back(c);
    }
    for (const size_t c : shown) out.columns.push_back(table.columns[c]);
    size_t counted = 0;  // the table has only what ran
    for (const report::InstructionRow& row : report.instructions) {
      std::vector<Cell> cells;
      if (row.counts.executions > 0) {
        for (const size_t c : shown) cells.push_back(table.rows[counted][c]);
        ++counted;
      }
      out.lines.push_back({report.from_machine_code ? fmt::format("{:04x}", row.index * kInstructionBytes)
                                                    : fmt::format("{}", row.index),
                           row.text, place_of(row.file, row.line), std::move(cells)});
    }
    return out;
  }

  /// An instruction of counts that hold its address and line, without its text.
  struct Address {
    std::string mangled;  // kernels of one name may differ in their types
    uint64_t offset = 0;
    auto operator<=>(const Address&) const = default;
  };

  /// The places of this launch's kernel, each as a place of its own: without a line, at its rank among `addresses`.
  template <typename Counted>
  Counted by_address(const Counted& counted, const std::map<Address, std::string>& addresses) const {
    Counted out = counted;
    out.places.clear();
    for (auto place : counted.places) {
      const auto at = addresses.find({place.kernel, place.offset});
      if (at == addresses.end()) continue;
      place.file.clear();
      place.line = 0;
      place.offset = static_cast<uint64_t>(std::distance(addresses.begin(), at));
      out.places.push_back(std::move(place));
    }
    return out;
  }

  /// Of each instruction of the kernel its source line, where it has samples or counts; with the text of all, where the
  /// file of counts holds it.
  std::map<Address, std::string> addresses() const {
    std::map<Address, std::string> out;
    for (const auto& [mangled, texts] : launch_.lines->code) {
      if (short_name(mangled) != launch_.kernel) continue;
      for (size_t k = 0; k < texts.size(); ++k) out[{mangled, k * kInstructionBytes}];
    }
    const auto see_all = [&](const auto& counted) {
      for (const auto& place : counted.places) {
        if (short_name(place.kernel) == launch_.kernel)
          out[{place.kernel, place.offset}] = place_of(place.file, place.line);
      }
    };
    std::ranges::for_each(launch_.lines->samplings, see_all);
    std::ranges::for_each(launch_.lines->instructions, see_all);
    return out;
  }

  /// The instruction's text; where that is not known, its place.
  std::string text_at(const Address& address, const std::string& place) const {
    const auto code = launch_.lines->code.find(address.mangled);
    if (code == launch_.lines->code.end()) return place;
    const size_t index = address.offset / kInstructionBytes;
    return index < code->second.size() ? code->second[index] : place;
  }

  page::Code::Pane address_pane() const {
    page::Code::Pane out{
        "Machine code by address",
        "These counts have the addresses of instructions, not their text. `cuobjdump -sass` shows the text.",
        {},
        {}};
    if (launch_.lines == nullptr) return out;
    const std::map<Address, std::string> known = addresses();
    if (!known.empty() && launch_.lines->code.contains(known.begin()->first.mangled))
      out = {"Machine code (SASS)", "", {}, {}};
    PlaceFacts facts;
    for (const counters::Sampling& each : launch_.lines->samplings)
      facts.add(counters::sampled_table(counters::sampled_lines(by_address(each, known))), launch_.kernel);
    for (const counters::Instructions& each : launch_.lines->instructions)
      facts.add(counters::counted_lines_table(counters::counted_lines(by_address(each, known))), launch_.kernel);
    out.columns = facts.columns();
    uint64_t rank = 0;
    std::string mangled;
    for (const auto& [address, place] : known) {
      if (address.mangled != mangled && known.begin()->first.mangled != known.rbegin()->first.mangled)
        out.lines.push_back({"", address.mangled, "", {}});
      mangled = address.mangled;
      out.lines.push_back({fmt::format("{:04x}", address.offset), text_at(address, place), place,
                           facts.of(counters::place_text("", 0, rank++))});
    }
    return out;
  }

  const ShownLaunch& launch_;
  PlaceFacts facts_;
  std::map<std::string, std::set<uint32_t>> files_;  // counted lines
  std::map<std::string, uint64_t> weights_;
  page::Code::Pane source_;
  std::vector<std::string> missing_;
};

}  // namespace

std::optional<page::Code> code_of(const ShownLaunch& launch) { return CodeBuilder(launch).build(); }

}  // namespace warplens::cli
