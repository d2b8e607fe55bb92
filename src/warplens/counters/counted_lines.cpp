#include "warplens/counters/counted_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/counters/counted_findings.h"
#include "warplens/counters/place_text.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/report/writers/write_json.h"

namespace warplens::counters {
namespace {

struct Column {
  const char* metric;
  uint64_t CountedLine::* sum;
  const char* key;
  const char* title;
};

constexpr Column kColumns[] = {
    {"smsp__sass_inst_executed", &CountedLine::executed, "executed", "executed"},
    {"smsp__sass_thread_inst_executed", &CountedLine::active_threads, "active_threads", "active threads"},
    {"smsp__sass_thread_inst_executed_pred_on", &CountedLine::threads, "threads", "threads"},
    {"smsp__sass_sectors_mem_global", &CountedLine::global_sectors, "global_sectors", "global sectors"},
    {"smsp__sass_sectors_mem_global_ideal", &CountedLine::global_ideal_sectors, "global_ideal_sectors", "ideal"},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", &CountedLine::shared_wavefronts, "shared_wavefronts",
     "shared passes"},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", &CountedLine::shared_ideal_wavefronts,
     "shared_ideal_wavefronts", "ideal "},
    {"smsp__sass_sectors_mem_local", &CountedLine::local_sectors, "local_sectors", "local sectors"},
    {"smsp__sass_branch_targets_threads_divergent", &CountedLine::divergent_branches, "divergent_branches",
     "divergent branches"}};

}  // namespace

std::vector<CountedLine> counted_lines(const Instructions& instructions) {
  std::vector<uint64_t CountedLine::*> sums(instructions.metrics.size(), nullptr);
  for (size_t k = 0; k < sums.size(); ++k) {
    for (const Column& column : kColumns) {
      if (instructions.metrics[k] == column.metric) sums[k] = column.sum;
    }
  }
  std::map<std::tuple<std::string, std::string, uint64_t>, CountedLine> lines;
  for (const CountedPlace& place : instructions.places) {
    CountedLine& line = lines[{place.kernel, place.file, place.line > 0 ? place.line : place.offset}];
    line.kernel = short_name(place.kernel);
    line.file = place.file;
    line.line = place.line;
    line.offset = place.offset;
    for (size_t k = 0; k < sums.size(); ++k) {
      if (sums[k] != nullptr) line.*sums[k] += place.counts[k];
    }
  }
  std::vector<CountedLine> out;
  for (auto& [key, line] : lines) {
    if (line.executed > 0) out.push_back(std::move(line));
  }
  std::ranges::stable_sort(out, [](const CountedLine& a, const CountedLine& b) {
    return std::tie(a.kernel, b.executed) < std::tie(b.kernel, a.executed);
  });
  return out;
}

Table counted_lines_table(const std::vector<CountedLine>& lines) {
  Table table{{{"kernel", "kernel"}, {"line", "line"}}, {}};
  for (const Column& column : kColumns) table.columns.push_back({column.key, column.title, Kind::kCount});
  for (const CountedLine& line : lines) {
    std::vector<Cell> row = {line.kernel, place_text(line.file, line.line, line.offset)};
    for (const Column& column : kColumns) row.emplace_back(static_cast<int64_t>(line.*column.sum));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string counted_lines_text(const Instructions& instructions, size_t width) {
  const std::vector<CountedLine> lines = counted_lines(instructions);
  std::string out = to_terminal(counted_lines_table(lines), width);
  for (const auto& [finding, line] : line_findings(lines)) {
    out += fmt::format("\n{}: {}: {}\n  {}\n", line.kernel, finding.id, finding.title, finding.detail);
    out += fmt::format("  at {}\n{}  {}\n", join(finding.where, ", "),
                       line.line > 0 ? source_excerpt(line.file, line.line, "  ") : "", finding.advice);
  }
  return out;
}

void write_counted_lines(json::Writer& w, const Instructions& instructions) {
  w.key("instructions").begin_object().key("launches").begin_object();
  for (const auto& [kernel, count] : instructions.launches) w.member(short_name(kernel), count);
  w.end_object().key("lines").begin_array();
  const std::vector<CountedLine> lines = counted_lines(instructions);
  for (const CountedLine& line : lines) {
    w.begin_object().member("kernel", line.kernel).member("file", line.file).member("line", uint64_t{line.line});
    w.member("offset", line.offset);
    for (const Column& column : kColumns) w.member(column.key, line.*column.sum);
    w.end_object();
  }
  w.end_array().key("findings").begin_array();
  for (const LineFinding& found : line_findings(lines)) report::write_finding(w, found.finding, {}, found.worst.kernel);
  w.end_array().end_object();
}

}  // namespace warplens::counters
