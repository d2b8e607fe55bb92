#include "warplens/cli/kernel_baseline.h"

#include <algorithm>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/output/terminal.h"
#include "warplens/report/baseline.h"

namespace warplens::cli {
namespace {

Result<double> allowed_growth(std::string text) {
  const std::string given = text;
  if (text.ends_with('%')) text.pop_back();
  const std::optional<double> percent = parse_double(trim(text));
  if (percent && *percent >= 0) return *percent / 100;
  return usage_error(fmt::format("--fail-on {}: give a percentage, 0 or more", given));
}

Result<json::Value> read_counters(const std::string& path) {
  WL_ASSIGN(const std::string text, read_file(path));
  Result<json::Value> counters = json::parse(text);
  if (!counters.ok()) return counters.status().in(path);
  WL_TRY(report::check_baseline(*counters).in(path));
  return counters;
}

}  // namespace

Result<std::optional<Baseline>> read_baseline(const Invocation& invocation) {
  if (!invocation.has("--baseline")) {
    if (invocation.has("--fail-on") && !invocation.configured.contains("--fail-on"))
      return usage_error("--fail-on compares with a baseline; add --baseline FILE");
    return std::optional<Baseline>();
  }
  Baseline baseline{.path = invocation.text("--baseline")};
  if (invocation.has("--fail-on")) { WL_ASSIGN(baseline.limit, allowed_growth(invocation.text("--fail-on"))); }
  WL_ASSIGN(baseline.counters, read_counters(baseline.path));
  return std::optional(std::move(baseline));
}

Result<bool> compare_with(const Baseline& baseline, const Invocation& invocation,
                          const std::vector<const report::KernelReport*>& reports) {
  const auto compared = report::compare_with_baseline(baseline.counters, reports);
  if (!compared.ok()) return compared.status().in(baseline.path);
  std::string told = compared->changes.empty()
                         ? "no exact counter changed since the baseline\n"
                         : to_terminal(report::change_table(compared->changes), terminal_width());
  for (const std::string& note : compared->notes) told += "note: " + note + "\n";
  fmt::print(invocation.format() == Format::kTable ? stdout : stderr, "\n{}", told);
  return std::ranges::any_of(compared->changes,
                             [&](const report::Change& c) { return c.costs && c.growth() > baseline.limit; });
}

}  // namespace warplens::cli
