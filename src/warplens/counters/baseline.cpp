#include "warplens/counters/baseline.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/counters/findings/findings.h"

namespace warplens::counters {
namespace {

/// More requests, sectors, passes, instructions and divergence cost time; ratios and configuration do not say.
bool is_cost(std::string_view metric) {
  return metric.ends_with(".sum") && metric.find("launch__") == std::string_view::npos;
}

void compare_metrics(const json::Value& before, const KernelReport& now, std::vector<Change>* out) {
  const json::Value *metrics = before.find("metrics"), *fidelity = before.find("fidelity");
  if (!metrics || !fidelity) return;
  for (const Metric& metric : now.metrics) {
    const json::Value *value = metrics->find(metric.name), *word = fidelity->find(metric.name);
    if (metric.fidelity != Fidelity::kExact || !value || !word || !word->string() || *word->string() != "exact")
      continue;
    const double old = value->number().value_or(0);
    if (old != metric.value) out->push_back({now.kernel, "", metric.name, old, metric.value, is_cost(metric.name)});
  }
}

struct LineMetric {
  const char* name;
  double (*of)(const LineCounts&);
};
const LineMetric kLineMetrics[] = {
    {"instructions_executed", [](const LineCounts& l) { return static_cast<double>(l.all.executions); }},
    {"global_load_sectors", [](const LineCounts& l) { return static_cast<double>(l.global_load.sectors); }},
    {"global_store_sectors", [](const LineCounts& l) { return static_cast<double>(l.global_store.sectors); }},
    {"shared_wavefronts",
     [](const LineCounts& l) { return static_cast<double>(l.shared_load.wavefronts + l.shared_store.wavefronts); }},
    {"local_sectors", [](const LineCounts& l) { return static_cast<double>(l.local.sectors); }},
};

void compare_lines(const json::Value& before, const KernelReport& now, std::vector<Change>* out) {
  const json::Value* lines = before.find("lines");
  if (!lines || !lines->array()) return;
  std::map<std::pair<std::string, int64_t>, const json::Value*> by_place;
  for (const json::Value& line : *lines->array()) {
    const json::Value *file = line.find("file"), *number = line.find("line");
    if (file && file->string() && number) by_place[{*file->string(), number->integer().value_or(0)}] = &line;
  }
  for (const LineCounts& line : now.lines) {
    const auto found = by_place.find({line.file, line.line});
    for (const LineMetric& metric : kLineMetrics) {
      const json::Value* value = found == by_place.end() ? nullptr : found->second->find(metric.name);
      const double old = value ? value->number().value_or(0) : 0, current = metric.of(line);
      if (old != current && line.line != 0) out->push_back({now.kernel, place(line), metric.name, old, current, true});
    }
  }
}

}  // namespace

Status check_baseline(const json::Value& base) {
  const json::Value* launches = base.find("launches");
  if (launches && launches->array()) return {};
  return invalid_input(
      "the baseline has no \"launches\"; make it with `warplens kernel ... --emulate --save base.json`");
}

Result<std::vector<Change>> compare_with_baseline(const json::Value& base,
                                                  const std::vector<const KernelReport*>& now) {
  WL_TRY(check_baseline(base));
  const json::Value* launches = base.find("launches");
  std::vector<Change> out;
  std::map<std::string, size_t> seen;
  for (const KernelReport* report : now) {
    size_t number = seen[report->kernel]++;
    const json::Value* before = nullptr;
    for (const json::Value& launch : *launches->array()) {
      const json::Value* kernel = launch.find("kernel");
      if (!kernel || !kernel->string() || *kernel->string() != report->kernel) continue;
      if (number-- == 0) {
        before = &launch;
        break;
      }
    }
    if (!before) {
      out.push_back({report->kernel, "", "(not in the baseline)", 0, 0, false});
      continue;
    }
    compare_metrics(*before, *report, &out);
    compare_lines(*before, *report, &out);
  }
  return out;
}

Table change_table(const std::vector<Change>& changes) {
  Table table{{{"kernel", "kernel"},
               {"where", "where"},
               {"metric", "metric"},
               {"before", "before", Kind::kNumber},
               {"after", "after", Kind::kNumber},
               {"change", "change", Kind::kShare}},
              {}};
  for (const Change& change : changes) {
    table.rows.push_back({change.kernel, change.where, change.metric, change.before, change.after, change.growth()});
  }
  return table;
}

}  // namespace warplens::counters
