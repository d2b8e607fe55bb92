#include "warplens/cli/kernel_counters.h"

#include <algorithm>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/counters/baseline.h"
#include "warplens/counters/text.h"
#include "warplens/launch/report.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

std::vector<const counters::KernelReport*> reports_of(const launch::RunResult& result) {
  std::vector<const counters::KernelReport*> out;
  for (const launch::Outcome& outcome : result.outcomes) {
    if (outcome.counted) out.push_back(&*outcome.counted);
  }
  return out;
}

std::string roofline_title(const counters::KernelReport& report) {
  return fmt::format("{} on {}: {:.3g} GFLOP/s expected", report.kernel, report.device->name, report.roofline.flops_per_ns);
}

Status print_tables(const Invocation& invocation, const std::vector<const counters::KernelReport*>& reports) {
  if (invocation.format() != Format::kTable) return {};
  for (const counters::KernelReport* report : reports) {
    std::string text;
    if (invocation.has("--metrics")) text += "\n" + report->kernel + "\n" + to_terminal(counters::metric_table(*report), 0);
    if (invocation.has("--lines")) text += "\n" + report->kernel + "\n" + to_terminal(counters::line_table(*report), 0);
    if (invocation.has("--roofline")) text += "\n" + kernel::draw_roofline(report->roofline, roofline_title(*report), 72, 18);
    fmt::print("{}", text);
  }
  return {};
}

Result<bool> compare(const Invocation& invocation, const std::vector<const counters::KernelReport*>& reports) {
  if (!invocation.has("--baseline")) return false;
  const std::string path = invocation.text("--baseline");
  WL_ASSIGN(const std::string text, read_file(path));
  const Result<json::Value> base = json::parse(text);
  if (!base.ok()) return base.status().in(path);
  Result<std::vector<counters::Change>> changes = counters::compare_with_baseline(*base, reports);
  if (!changes.ok()) return changes.status().in(path);
  const std::string told = changes->empty() ? "no exact counter changed since the baseline\n"
                                            : to_terminal(counters::change_table(*changes), terminal_width());
  fmt::print(invocation.format() == Format::kTable ? stdout : stderr, "\n{}", told);
  if (!invocation.has("--fail-on")) return false;
  std::string limit = invocation.text("--fail-on");
  if (limit.ends_with('%')) limit.pop_back();
  const std::optional<double> percent = parse_double(trim(limit));
  if (!percent || *percent < 0) return usage_error(fmt::format("--fail-on {}: give a percentage, 0 or more", invocation.text("--fail-on")));
  return std::any_of(changes->begin(), changes->end(), [&](const counters::Change& c) { return c.costs && c.growth() > *percent / 100; });
}

}  // namespace

std::vector<std::string> buffers_to_save(const Invocation& invocation) {
  std::vector<std::string> out = invocation.list("--save");
  std::erase_if(out, [](const std::string& value) { return value.find('=') == std::string::npos; });
  return out;
}

Result<bool> counters_afterwards(const Invocation& invocation, const launch::RunResult& result) {
  const auto reports = reports_of(result);
  WL_TRY(print_tables(invocation, reports));
  for (const std::string& value : invocation.list("--save")) {
    if (value.find('=') != std::string::npos) continue;
    if (reports.empty()) return usage_error("--save FILE keeps counters; add --emulate, without --no-counters and --check");
    WL_TRY(write_file(value, launch::to_json(result), invocation.has("--force")));
  }
  if (invocation.has("--roofline-svg") && !reports.empty()) {
    const std::string svg = kernel::roofline_svg(reports[0]->roofline, roofline_title(*reports[0]));
    WL_TRY(write_file(invocation.text("--roofline-svg"), svg, invocation.has("--force")));
  }
  return compare(invocation, reports);
}

}  // namespace warplens::cli
