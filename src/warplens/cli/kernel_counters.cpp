#include "warplens/cli/kernel_counters.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/output_name.h"
#include "warplens/base/text.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/launch/report.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"
#include "warplens/report/access_picture.h"
#include "warplens/report/roofline_picture.h"
#include "warplens/report/roofline_view.h"
#include "warplens/report/writers/text.h"

namespace warplens::cli {

std::string roofline_title(const report::KernelReport& report) {
  return fmt::format("{} on {}: {} {}", report.kernel, report.device->name,
                     report::rate_text(report.roofline.flops_per_ns), report.measured ? "reached" : "expected");
}

namespace {

/// The tables that flags ask for.
std::vector<Table> chosen_tables(const Invocation& invocation, const report::KernelReport& report) {
  std::vector<Table> out;
  if (invocation.has("--metrics")) out.push_back(report::metric_table(report));
  if (invocation.has("--lines")) out.push_back(report::line_table(report));
  if (invocation.has("--instructions")) out.push_back(report::instruction_table(report));
  return out;
}

/// Of a picture in characters: what fits the terminal, 72 where there is room.
size_t picture_width() {
  const size_t width = terminal_width();
  return width == 0 ? 72 : std::clamp<size_t>(width - std::min<size_t>(width, 2), 24, 72);
}

/// Of the line that --line names; --page keeps those of all lines.
std::vector<report::AccessExample> shown_accesses(const Invocation& invocation, const report::KernelReport& report) {
  if (!invocation.has("--line")) return {};
  return report::first_of_each_kind(report.accesses);
}

bool has_lines(const report::KernelReport& report) {
  return std::ranges::any_of(report.lines, [](const report::LineCounts& line) { return line.line > 0; });
}

Status print_tables(const Invocation& invocation, const std::vector<const report::KernelReport*>& reports) {
  if (invocation.format() != Format::kTable) return {};
  const bool lines_alone =
      invocation.has("--lines") && !invocation.has("--metrics") && !invocation.has("--instructions");
  size_t without_lines = 0;
  for (const report::KernelReport* report : reports) {
    std::string text;
    const bool skipped = lines_alone && reports.size() > 1 && !has_lines(*report);
    without_lines += skipped;
    for (const Table& table : skipped ? std::vector<Table>() : chosen_tables(invocation, *report))
      text += "\n" + report::shown_name(*report) + "\n" + to_terminal(table, terminal_width());
    for (const report::AccessExample& access : shown_accesses(invocation, *report))
      text += "\n" + report::draw_access(access, terminal_width());
    if (invocation.has("--line") && report->accesses.empty())
      text += fmt::format("\n{}: no memory request at line {}\n", report->kernel, invocation.text("--line"));
    if (invocation.has("--roofline"))
      text += "\n" + report::draw_roofline(report->roofline, roofline_title(*report), picture_width(), 18);
    warplens::show(stdout, fitted(text, terminal_width()));
  }
  if (without_lines > 0)
    warplens::show(stdout,
                   fmt::format("\n{} of {} launches have no source lines: their code was built without -lineinfo, "
                               "or a library computed them\n",
                               without_lines, reports.size()));
  return {};
}

Status write_pictures(const Invocation& invocation, const std::vector<const report::KernelReport*>& reports) {
  if (invocation.has("--roofline-svg") && !reports.empty()) {
    const std::string svg = report::roofline_picture(reports[0]->roofline, roofline_title(*reports[0])).document();
    WL_TRY(write_file(invocation.text("--roofline-svg"), svg, invocation.has("--force")));
    if (reports.size() > 1)
      tell("{} shows the first of {} launches, {}; choose another with -k\n", invocation.text("--roofline-svg"),
           reports.size(), reports[0]->kernel);
  }
  if (!invocation.has("--line-svg")) return {};
  std::vector<report::AccessExample> all;
  for (const report::KernelReport* report : reports) {
    const std::vector<report::AccessExample> chosen = report::first_of_each_kind(report->accesses);
    all.insert(all.end(), chosen.begin(), chosen.end());
  }
  return write_file(invocation.text("--line-svg"), report::access_picture(all).document(), invocation.has("--force"));
}

/// The flags that draw write SVG under any name: another picture's ending would lie.
Status check_pictures(const Invocation& invocation) {
  for (const char* flag : {"--roofline-svg", "--line-svg"}) {
    if (!invocation.has(flag)) continue;
    for (const char* other : {".png", ".jpg", ".jpeg", ".webp", ".pdf", ".html"}) {
      if (const std::string name = invocation.text(flag); name.ends_with(other))
        return usage_error(fmt::format("{} {}: this flag writes SVG: name a file in .svg", flag, name));
    }
  }
  return {};
}

}  // namespace

std::vector<const report::KernelReport*> reports_of(const launch::RunResult& result) {
  std::vector<const report::KernelReport*> out;
  for (const launch::Outcome& outcome : result.outcomes) {
    if (outcome.counted) out.push_back(&*outcome.counted);
  }
  return out;
}

std::vector<std::string> buffers_to_save(const Invocation& invocation) {
  std::vector<std::string> out = invocation.list("--save");
  std::erase_if(out, [](const std::string& value) { return value.find('=') == std::string::npos; });
  return out;
}

Result<report::LineChoice> chosen_line(const Invocation& invocation) {
  report::LineChoice out;
  if (!invocation.has("--line")) return out;
  const std::string text = invocation.text("--line");
  const size_t colon = text.rfind(':');
  if (colon != std::string::npos) out.file = text.substr(0, colon);
  const std::optional<int64_t> line = parse_int(colon == std::string::npos ? text : text.substr(colon + 1));
  if (!line || *line < 1 || *line > 100000000)
    return usage_error(fmt::format("--line {}: give a line's number, or FILE:NUMBER", text));
  out.line = static_cast<uint32_t>(*line);
  return out;
}

report::Peaks measured_peaks(const gpu::Device& device) {
  report::Peaks out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(cache_directory() + "/ceilings", none)) {
    const Result<std::string> text = read_file(entry.path().string());
    if (!text.ok()) continue;
    const Result<bench::MeasuredCeilings> measured = bench::parse_ceilings(*text);
    if (!measured.ok()) continue;
    std::string name = measured->environment.device;
    if (name.starts_with("NVIDIA ")) name = name.substr(7);
    const Result<const gpu::Device*> known = gpu::find_device(name);
    if (!known.ok() || *known != &device) continue;
    const auto value = [&](const char* key) {
      const bench::Ceiling* ceiling = measured->find(key);
      return ceiling ? ceiling->value / 1e9 : 0;
    };
    out = {value("dram_read"), value("l2_read"), value("l1_read"),     value("fp32"),
           value("fp64"),      value("fp16"),    value("fp16_tensor"), ""};
    out.source = "measured on " + measured->environment.device;
  }
  return out;
}

std::optional<Table> counters_table(const Invocation& invocation,
                                    const std::vector<const report::KernelReport*>& reports) {
  std::optional<Table> out;
  int64_t number = 0;
  for (const report::KernelReport* report : reports) {
    ++number;
    std::vector<Table> tables = chosen_tables(invocation, *report);
    if (tables.empty()) return {};
    if (!out) {
      out.emplace();
      out->columns = {{"launch", "launch", Kind::kCount}, {"kernel", "kernel"}};
      out->columns.insert(out->columns.end(), tables[0].columns.begin(), tables[0].columns.end());
    }
    for (std::vector<Cell>& row : tables[0].rows) {
      std::vector<Cell> with = {number, report->kernel};
      with.insert(with.end(), row.begin(), row.end());
      out->rows.push_back(std::move(with));
    }
  }
  return out;
}

Result<CountersPlan> plan_counters(const Invocation& invocation, bool counting) {
  CountersPlan plan;
  WL_TRY(check_pictures(invocation));
  WL_ASSIGN(plan.baseline, read_baseline(invocation));
  for (const std::string& value : invocation.list("--save")) {
    if (value.find('=') == std::string::npos) plan.files.push_back(value);
  }
  if (!counting && !plan.files.empty())
    return usage_error("--save FILE keeps counters; add --emulate, without --no-counters and --check");
  std::vector<std::string> outputs = plan.files;
  for (const char* flag : {"--roofline-svg", "--line-svg", "--page"}) {
    if (invocation.has(flag)) outputs.push_back(invocation.text(flag));
  }
  if (invocation.has("--output")) outputs.push_back(expand_output_name(invocation.text("--output")));
  for (const std::string& path : outputs) WL_TRY(check_writable(path, invocation.has("--force")));
  return plan;
}

Result<bool> counters_afterwards(const Invocation& invocation, const CountersPlan& plan,
                                 const std::vector<const report::KernelReport*>& reports,
                                 const std::function<std::string()>& to_json) {
  WL_TRY(print_tables(invocation, reports));
  WL_TRY(write_pictures(invocation, reports));
  if (reports.empty()) {  // the first launch failed, which is told elsewhere
    for (const std::string& path : plan.files) tell("warplens: {}: not written\n", path);
    return false;
  }
  for (const std::string& path : plan.files) WL_TRY(write_file(path, to_json(), invocation.has("--force")));
  WL_ASSIGN(const bool severe, findings_cross(invocation, reports));
  if (!plan.baseline) return severe;
  WL_ASSIGN(const bool slower, compare_with(*plan.baseline, invocation, reports));
  return severe || slower;
}

}  // namespace warplens::cli
