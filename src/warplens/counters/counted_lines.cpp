#include "warplens/counters/counted_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/counters/place_text.h"
#include "warplens/output/source_excerpt.h"

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

uint64_t beyond(uint64_t count, uint64_t ideal) { return count > ideal ? count - ideal : 0; }

/// What a line does worst, and what to do; empty where it does nothing too much.
std::string advice_for(const CountedLine& line) {
  const uint64_t sectors = beyond(line.global_sectors, line.global_ideal_sectors);
  const uint64_t passes = beyond(line.shared_wavefronts, line.shared_ideal_wavefronts);
  if (sectors >= passes && sectors > 0)
    return fmt::format(
        "moves {} sectors of global memory where {} would do: neighbouring threads should use neighbouring addresses, "
        "or load whole tiles into shared memory first",
        format_count(static_cast<double>(line.global_sectors)),
        format_count(static_cast<double>(line.global_ideal_sectors)));
  if (passes > 0)
    return fmt::format(
        "takes {} passes over shared memory where {} would do: pad the rows of the array by one element or permute its "
        "columns",
        format_count(static_cast<double>(line.shared_wavefronts)),
        format_count(static_cast<double>(line.shared_ideal_wavefronts)));
  return "";
}

}  // namespace

uint64_t CountedLine::excess() const {
  return beyond(global_sectors, global_ideal_sectors) + beyond(shared_wavefronts, shared_ideal_wavefronts);
}

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
  constexpr size_t kTold = 3;
  std::vector<CountedLine> lines = counted_lines(instructions);
  std::string out = to_terminal(counted_lines_table(lines), width);
  std::ranges::stable_sort(lines, std::greater<>(), &CountedLine::excess);
  for (size_t k = 0; k < std::min(kTold, lines.size()); ++k) {
    const CountedLine& line = lines[k];
    const std::string advice = advice_for(line);
    if (advice.empty()) continue;
    out += fmt::format("\n{} at {}\n{}  {}\n", line.kernel, place_text(line.file, line.line, line.offset),
                       line.line > 0 ? source_excerpt(line.file, line.line, "  ") : "", advice);
  }
  return out;
}

void write_counted_lines(json::Writer& w, const Instructions& instructions) {
  w.key("instructions").begin_object().key("launches").begin_object();
  for (const auto& [kernel, count] : instructions.launches) w.member(short_name(kernel), count);
  w.end_object().key("lines").begin_array();
  for (const CountedLine& line : counted_lines(instructions)) {
    w.begin_object().member("kernel", line.kernel).member("file", line.file).member("line", uint64_t{line.line});
    w.member("offset", line.offset);
    for (const Column& column : kColumns) w.member(column.key, line.*column.sum);
    w.end_object();
  }
  w.end_array().end_object();
}

}  // namespace warplens::counters
