#include "warplens/report/writers/baseline.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/model/constants.h"
#include "warplens/model/time_model.h"
#include "warplens/report/writers/baseline_lines.h"
#include "warplens/report/writers/explaining_counters.h"

namespace warplens::report {
namespace {

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

/// Threads of a launch, from its grid and block in a report; 0 when it does not say.
int64_t threads_of(const json::Value& launch) {
  int64_t out = 1;
  for (const char* key : {"grid", "block"}) {
    const json::Value* array = launch.find(key);
    if (!array || !array->array()) return 0;
    for (const json::Value& size : *array->array()) out *= size.integer().value_or(0);
  }
  return out;
}

template <typename Sizes>
int64_t product(const Sizes& sizes) {
  return int64_t{sizes[0]} * sizes[1] * sizes[2];
}

template <typename Sizes>
void note_sizes(const json::Value& before, const char* key, const Sizes& now, const std::string& kernel,
                std::vector<std::string>* notes) {
  const std::string then = sizes(before.find(key)), current = fmt::format("{},{},{}", now[0], now[1], now[2]);
  if (!then.empty() && then != current)
    notes->push_back(fmt::format("{}: {} was {}, is {}", kernel, key, then, current));
}

/// Whether hardware counters of two runs tell of another program: what the program decides is the same in every run,
/// clocks, caches and neighbours are not.
bool differs_by_more_than_noise(std::string_view metric, double before, double after) {
  constexpr double kOfTimes = 0.1, kOfCounts = 0.005;
  constexpr std::string_view kTimed[] = {"time_duration", "cycles",  "dram__",   "lts__",     "hit_rate",
                                         "pct_of_peak",   "stalled", "eligible", "per_cycle", "bank_conflicts"};
  const bool timed = std::ranges::any_of(kTimed, [&](std::string_view part) { return contains(metric, part); });
  return std::abs(after - before) > (timed ? kOfTimes : kOfCounts) * std::max(std::abs(before), std::abs(after));
}

/// The time that a unit needs for a launch: 0 if the launch does not use it.
double unit_ns(const KernelReport& launch, std::string_view unit) {
  const auto found = std::ranges::find(launch.time.resources, unit, &Resource::name);
  return found == launch.time.resources.end() ? 0 : found->ns;
}
double unit_ns(const json::Value& launch, std::string_view unit) {
  const json::Value *time = launch.find("time"), *units = time ? time->find("resources") : nullptr;
  const json::Value* value = units ? units->find(std::string(unit) + "_ns") : nullptr;
  return value ? value->number().value_or(0) : 0;
}

void compare_metrics(const json::Value& before, const KernelReport& now, BaselineComparison* out) {
  const json::Value *metrics = before.find("metrics"), *fidelity = before.find("fidelity");
  if (!metrics || !fidelity) return;
  size_t lost = 0;
  std::vector<Change> changes;
  for (const Metric& metric : now.metrics) {
    const json::Value *value = metrics->find(metric.name), *word = fidelity->find(metric.name);
    if (!value || !word || !word->string()) continue;
    const double old = value->number().value_or(0);
    const bool measured = *word->string() == "measured" && metric.fidelity == Fidelity::kMeasured;
    const bool then = *word->string() == "exact", current = metric.fidelity == Fidelity::kExact;
    lost += then != current && *word->string() != "measured";  // hardware beside emulation: --verify tells
    if (measured ? !differs_by_more_than_noise(metric.name, old, metric.value) : !then || !current) continue;
    if (old != metric.value) changes.push_back({now.kernel, "", metric.name, old, metric.value});
  }
  order_by_explanation([&](std::string_view unit) { return std::abs(unit_ns(now, unit) - unit_ns(before, unit)); },
                       &changes);
  out->changes.insert(out->changes.end(), changes.begin(), changes.end());
  if (lost)
    out->notes.push_back(fmt::format("{}: {} counters are exact on only one side and were not compared{}", now.kernel,
                                     lost, now.why_adjusted.empty() ? "" : ": " + now.why_adjusted));
}

void compare_times(const json::Value& before, const KernelReport& now, BaselineComparison* out) {
  const json::Value* time = before.find("time");
  const json::Value* estimate = time ? time->find("estimate_ns") : nullptr;
  if (estimate && estimate->number())
    out->times.push_back({now.kernel, now.time.limited_by, *estimate->number(), now.time.ns});
  else out->other.push_back(now.kernel + ": the baseline has no time; save it again");
}

/// Units whose time differs by at least this share of the launch's time are listed.
constexpr double kListedShare = 0.01;

void compare_units(const json::Value& before, const KernelReport& now, BaselineComparison* out) {
  const json::Value *time = before.find("time"), *units = time ? time->find("resources") : nullptr;
  if (!units) return;
  std::vector<UnitChange> changed;
  for (const Resource& unit : now.time.resources) {
    const json::Value* then = units->find(unit.name + "_ns");
    if (!then || std::abs(then->number().value_or(0) - unit.ns) < kListedShare * now.time.ns) continue;
    changed.push_back({now.kernel, unit.name, then->number().value_or(0), unit.ns});
  }
  std::ranges::sort(changed, std::greater(), [](const UnitChange& c) { return std::abs(c.after_ns - c.before_ns); });
  out->units.insert(out->units.end(), changed.begin(), changed.end());
}

/// Where branches were the lesson and nothing changed: they may have been compiled to none.
void note_no_branch(const json::Value& before, const KernelReport& now, BaselineComparison* out) {
  constexpr const char* kDivergent = "smsp__sass_branch_targets_threads_divergent.sum";
  constexpr double kSame = 0.02;  // of the time
  const json::Value *metrics = before.find("metrics"), *time = before.find("time");
  const json::Value* value = metrics ? metrics->find(kDivergent) : nullptr;
  const json::Value* estimate = time ? time->find("estimate_ns") : nullptr;
  const Metric* current = now.metric(kDivergent);
  if (!value || !estimate || !current || value->number().value_or(1) != 0 || current->value != 0) return;
  if (std::fabs(now.time.ns / estimate->number().value_or(0) - 1) > kSame) return;
  out->notes.push_back(
      fmt::format("{}: takes the same time, and neither version has divergent branches: the compiler turned the "
                  "source's branches into code that does not diverge",
                  now.kernel));
}

/// A lesson may not apply: what was written differently is compiled to the same.
void note_same_code(const json::Value& before, const KernelReport& now, BaselineComparison* out) {
  const std::string then = text_of(before, "machine_code");
  if (then.empty()) return;
  if (then != now.code_digest) return note_no_branch(before, now, out);
  const std::string kernel = text_of(before, "kernel");
  out->notes.push_back(fmt::format("{}: its machine code is the same as {}, instruction by instruction", now.kernel,
                                   kernel == now.kernel ? "before" : kernel + "'s"));
}

/// Another number of threads is other work, and so is another GPU; another shape of as many threads may be what
/// changed.
void note_differences(const json::Value& before, const KernelReport& now, bool other_kernel, BaselineComparison* out) {
  const int64_t then = threads_of(before), current = product(now.grid) * product(now.block);
  std::vector<std::string>& sizes = other_kernel || then == 0 || then == current ? out->notes : out->other;
  note_sizes(before, "grid", now.grid, now.kernel, &sizes);
  note_sizes(before, "block", now.block, now.kernel, &sizes);
  const std::string device = text_of(before, "device");
  if (!device.empty() && device != now.device->name)
    out->other.push_back(fmt::format("{}: the GPU was {}, is {}", now.kernel, device, now.device->name));
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
  if (version && version->integer().value_or(0) != kSchemaVersion)
    return invalid_input(
        fmt::format("the baseline's schema_version is not {}: another version of warplens wrote it; save it again",
                    kSchemaVersion));
  const auto tells = [](const json::Value& launch) { return launch.find("metrics") || launch.find("time"); };
  if (!launches->array()->empty() && std::ranges::none_of(*launches->array(), tells))
    return invalid_input(
        "the baseline is a launch file and has no times; make one with `warplens kernel ... --emulate --save "
        "base.json`");
  return {};
}

double Change::growth() const {
  if (before > 0) return after / before - 1;
  return after > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double TimeChange::growth() const {
  const double before = std::max(before_ns - model::kLaunchNs, 1.0), after = std::max(after_ns - model::kLaunchNs, 1.0);
  return after / before - 1;
}

Result<BaselineComparison> compare_with_baseline(const json::Value& base, const std::vector<const KernelReport*>& now,
                                                 const BaselineOptions& options) {
  WL_TRY(check_baseline(base));
  const auto saved = by_kernel(*base.find("launches")->array());
  BaselineComparison out;
  std::map<std::string, size_t> seen;
  std::vector<std::string> missing;
  for (const KernelReport* report : now) {
    const std::string& wanted = options.as.empty() ? report->kernel : options.as;
    const size_t number = seen[wanted]++;
    const auto found = saved.find(wanted);
    if (found == saved.end() || (options.as.empty() && number >= found->second.size())) {
      missing.push_back(wanted);
      continue;
    }
    const json::Value& before = *found->second[std::min(number, found->second.size() - 1)];
    ++out.matched;
    note_differences(before, *report, !options.as.empty(), &out);
    note_same_code(before, *report, &out);
    compare_times(before, *report, &out);
    compare_units(before, *report, &out);
    compare_metrics(before, *report, &out);
    if (options.as.empty()) compare_lines(before, *report, &out);
  }
  if (out.matched == 0) {
    std::vector<std::string> names;
    for (const auto& [kernel, launches] : saved) names.push_back(kernel);
    out.other.push_back(
        fmt::format("the baseline has none of these launches ({}); it has {}{}", join(missing, ", "),
                    names.empty() ? "none at all" : join(names, ", "),
                    options.as.empty() && !names.empty() ? ": --as NAME compares with a kernel of another name" : ""));
    return out;
  }
  for (const std::string& kernel : missing) out.other.push_back(kernel + ": a launch that the baseline does not have");
  for (const auto& [kernel, launches] : saved) {
    if (launches.size() > seen[kernel] && !options.some && options.as.empty())
      out.other.push_back(
          fmt::format("{}: {} launches of the baseline were not run", kernel, launches.size() - seen[kernel]));
  }
  return out;
}

void write_comparison(json::Writer& writer, const BaselineComparison& compared) {
  writer.begin_object().member("matched", static_cast<int64_t>(compared.matched)).key("times");
  write_rows(writer, time_table(compared.times));
  writer.key("units");
  write_rows(writer, unit_table(compared.units));
  writer.key("changes");
  write_rows(writer, change_table(compared.changes));
  writer.list("notes", compared.notes).list("other", compared.other).end_object();
}

Table time_table(const std::vector<TimeChange>& times) {
  Table table{{{"kernel", "kernel"},
               {"before_ns", "time before", Kind::kTimeNs},
               {"after_ns", "time now", Kind::kTimeNs},
               {"change", "without the launch"},
               {"limited_by", "limited by"}},
              {}};
  for (const TimeChange& t : times)
    table.rows.push_back({t.kernel, t.before_ns, t.after_ns,
                          t.before_ns == t.after_ns ? "the same" : fmt::format("{:+.3g} %", 100 * t.growth()),
                          t.limited_by});
  return table;
}

Table unit_table(const std::vector<UnitChange>& units) {
  Table table{{{"kernel", "kernel"},
               {"unit", "unit"},
               {"before_ns", "busy before", Kind::kTimeNs},
               {"after_ns", "busy now", Kind::kTimeNs}},
              {}};
  for (const UnitChange& u : units) table.rows.push_back({u.kernel, u.unit, u.before_ns, u.after_ns});
  return table;
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
