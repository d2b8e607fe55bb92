#include "warplens/report/baseline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "warplens/base/text.h"
#include "warplens/report/baseline_lines.h"

namespace warplens::report {
namespace {

constexpr int64_t kSchema = 1;  // of the reports that are written now

/// More requests, sectors, passes, instructions and divergence cost time; ratios and configuration do not say.
bool is_cost(std::string_view metric) {
  return metric.ends_with(".sum") && metric.find("launch__") == std::string_view::npos;
}

std::string text_of(const json::Value& launch, std::string_view key) {
  const json::Value* value = launch.find(key);
  return value && value->string() ? *value->string() : "";
}

std::string sizes(const json::Value* array) {
  std::string out;
  if (!array || !array->array()) return out;
  for (const json::Value& size : *array->array())
    out += (out.empty() ? "" : ",") + std::to_string(size.integer().value_or(0));
  return out;
}

template <typename Sizes>
void note_sizes(const json::Value& before, const char* key, const Sizes& now, const std::string& kernel,
                std::vector<std::string>* notes) {
  const std::string then = sizes(before.find(key)), current = fmt::format("{},{},{}", now[0], now[1], now[2]);
  if (!then.empty() && then != current)
    notes->push_back(fmt::format("{}: {} was {}, is {}", kernel, key, then, current));
}

void compare_metrics(const json::Value& before, const KernelReport& now, BaselineComparison* out) {
  const json::Value *metrics = before.find("metrics"), *fidelity = before.find("fidelity");
  if (!metrics || !fidelity) return;
  size_t lost = 0;
  for (const Metric& metric : now.metrics) {
    const json::Value *value = metrics->find(metric.name), *word = fidelity->find(metric.name);
    if (!value || !word || !word->string()) continue;
    const bool then = *word->string() == "exact", current = metric.fidelity == Fidelity::kExact;
    lost += then != current;
    if (!then || !current) continue;
    const double old = value->number().value_or(0);
    if (old != metric.value)
      out->changes.push_back({now.kernel, "", metric.name, old, metric.value, is_cost(metric.name)});
  }
  if (lost)
    out->notes.push_back(fmt::format("{}: {} counters are exact on one side alone and were not compared{}", now.kernel,
                                     lost, now.why_adjusted.empty() ? "" : ": " + now.why_adjusted));
}

void note_differences(const json::Value& before, const KernelReport& now, std::vector<std::string>* notes) {
  note_sizes(before, "grid", now.grid, now.kernel, notes);
  note_sizes(before, "block", now.block, now.kernel, notes);
  const std::string device = text_of(before, "device");
  if (!device.empty() && device != now.device->name)
    notes->push_back(fmt::format("{}: the GPU was {}, is {}", now.kernel, device, now.device->name));
}

/// The launches of a saved report, by kernel, in order.
std::map<std::string, std::vector<const json::Value*>> by_kernel(const std::vector<json::Value>& launches) {
  std::map<std::string, std::vector<const json::Value*>> out;
  for (const json::Value& launch : launches) out[text_of(launch, "kernel")].push_back(&launch);
  return out;
}

}  // namespace

Status check_baseline(const json::Value& base) {
  const json::Value* launches = base.find("launches");
  if (!launches || !launches->array())
    return invalid_input(
        "the baseline has no \"launches\"; make it with `warplens kernel ... --emulate --save base.json`");
  const json::Value* version = base.find("schema_version");
  if (version && version->integer().value_or(0) != kSchema)
    return invalid_input(fmt::format(
        "the baseline's schema_version is not {}: another version of warplens wrote it; save it again", kSchema));
  return {};
}

double Change::growth() const {
  if (before > 0) return after / before - 1;
  return after > 0 ? std::numeric_limits<double>::infinity() : 0;
}

Result<BaselineComparison> compare_with_baseline(const json::Value& base, const std::vector<const KernelReport*>& now) {
  WL_TRY(check_baseline(base));
  const auto saved = by_kernel(*base.find("launches")->array());
  BaselineComparison out;
  std::map<std::string, size_t> seen;
  std::vector<std::string> missing;
  for (const KernelReport* report : now) {
    const size_t number = seen[report->kernel]++;
    const auto found = saved.find(report->kernel);
    if (found == saved.end() || number >= found->second.size()) {
      missing.push_back(report->kernel);
      continue;
    }
    const json::Value& before = *found->second[number];
    ++out.launches;
    note_differences(before, *report, &out.notes);
    compare_metrics(before, *report, &out);
    compare_lines(before, *report, &out.changes);
  }
  if (out.launches == 0) {
    std::vector<std::string> names;
    for (const auto& [kernel, launches] : saved) names.push_back(kernel);
    return invalid_input(fmt::format("the baseline has none of these launches ({}); it has {}", join(missing, ", "),
                                     names.empty() ? "none at all" : join(names, ", ")));
  }
  for (const std::string& kernel : missing) out.notes.push_back(kernel + ": a launch that the baseline does not have");
  for (const auto& [kernel, launches] : saved)
    if (launches.size() > seen[kernel])
      out.notes.push_back(
          fmt::format("{}: {} launches of the baseline were not run", kernel, launches.size() - seen[kernel]));
  return out;
}

Table change_table(const std::vector<Change>& changes) {
  Table table{{{"kernel", "kernel"},
               {"where", "where"},
               {"metric", "metric"},
               {"before", "before", Kind::kNumber},
               {"after", "after", Kind::kNumber},
               {"change", "change"}},
              {}};
  for (const Change& change : changes) {
    const double growth = change.growth();
    const std::string told = growth > 1e6 ? "new" : fmt::format("{:+.4g} %", 100 * growth);
    table.rows.push_back({change.kernel, change.where, change.metric, change.before, change.after, told});
  }
  return table;
}

}  // namespace warplens::report
