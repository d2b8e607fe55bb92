#include "warplens/brief/launches.h"

#include <fmt/format.h>

#include <algorithm>

#include "warplens/base/letter_case.h"
#include "warplens/base/units.h"
#include "warplens/brief/words.h"

namespace warplens::brief {
namespace {

using json::Value;

/// What was said against a run: it comes before what bounds it.
struct Faults {
  std::vector<std::string> wrong, defects;
  std::string fault;  // that ended the run
  double dropped = 0;
  bool is_checked = false;
  bool any() const { return !wrong.empty() || !defects.empty(); }
};

Faults faults_of(const Value& report) {
  Faults out;
  for (const Value& launch : array_of(report, "launches")) {
    for (const Value& defect : array_of(launch, "reports")) out.defects.push_back(defect_line(defect));
    if (const Value* const fault = launch.find("fault")) {
      out.fault = text_of(*fault, "message");
      if (array_of(launch, "reports").empty()) out.defects.push_back(defect_line(*fault));
    }
    out.dropped += number_of(launch, "reports_dropped");
    out.is_checked = out.is_checked || launch.find("precision");
  }
  for (const Value& each : array_of(report, "comparisons")) {
    if (const Value* const ok = each.find("ok"); ok && ok->boolean() && !*ok->boolean())
      out.wrong.push_back(wrong_line(each));
  }
  return out;
}

std::string counted(size_t count, const std::string& word, const std::string& ending) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : ending);
}

std::string launches_text(const Value& report) { return counted(array_of(report, "launches").size(), "launch", "es"); }

double estimate_ns(const Value& launch) {
  const Value* const time = launch.find("time");
  return time ? number_of(*time, "estimate_ns") : 0;
}

void add_check(const Value& report, const Faults& faults, Brief& brief) {
  brief.verdict = (faults.any() ? fmt::format("{} and {}; ", counted(faults.defects.size(), "defect", "s"),
                                              counted(faults.wrong.size(), "wrong result", "s"))
                                : "no defect seen; ") +
                  launches_text(report) + " checked for memory errors, races, unwritten reads and barriers";
  brief.not_known.emplace_back("only these inputs and sizes ran: others may have defects");
  brief.not_known.emplace_back("a check reports only defects: no counters, time or findings");
  if (array_of(report, "comparisons").empty())
    brief.not_known.emplace_back(
        "results were not compared: give `expect` in the launch file, or compare two versions");
  brief.next_step = "Profile the kernel to see what bounds it.";
}

/// What to try where no finding says it, by the unit that limits the longest launch.
struct UnitAdvice {
  std::string_view unit, advice;
};
constexpr UnitAdvice kUnitAdvice[] = {
    {"latency", "Warps wait for latency: give each thread several independent loads, or run more warps per SM."},
    {"DRAM", "Memory bandwidth limits it: move fewer bytes, by smaller types or by fusion with neighbouring kernels."},
    {"L2", "The L2 cache limits it: load each byte once per block, and use whole 32-byte sectors."},
    {"L1 and shared memory", "L1 limits it: keep data in registers, and load 16 bytes per thread at once."},
    {"load and store unit",
     "Memory instructions limit it: load 16 bytes per thread at once, and keep data in registers."},
    {"issue slots",
     "The number of instructions limits it: move work out of loops, and give each thread several elements."},
    {"block launches", "Launching blocks takes the time: launch fewer blocks, and give each thread several elements."},
};

std::string unit_advice(const Value& launch) {
  const Value* const time = launch.find("time");
  const std::string unit = time ? text_of(*time, "limited_by") : "";
  const auto* const found = std::ranges::find(kUnitAdvice, unit, &UnitAdvice::unit);
  return found == std::end(kUnitAdvice) ? "" : fmt::format("{} Then compare with this version.", found->advice);
}

void add_bounds(const Value& report, Brief& brief) {
  std::vector<const Value*> order, findings;
  for (const Value& launch : array_of(report, "launches")) {
    order.push_back(&launch);
    for (const Value& finding : array_of(launch, "findings")) findings.push_back(&finding);
    add_inexact(launch, brief.not_known);
  }
  std::ranges::stable_sort(order, std::greater<>(), [](const Value* launch) { return estimate_ns(*launch); });
  std::vector<std::string> lines;
  for (const Value* launch : order) {
    for (std::string& line : launch_lines(*launch)) lines.push_back(std::move(line));
  }
  brief.verdict = order.empty() ? "nothing was launched" : launches_text(report) + " ran";
  if (lines.empty()) {
    brief.not_known.emplace_back("nothing was counted");
  } else {
    brief.verdict =
        order.size() > 1 ? fmt::format("{}, the longest first: {}", launches_text(report), lines[0]) : lines[0];
    brief.details.assign(lines.begin() + 1, lines.end());
  }
  brief.not_known.emplace_back("defects were not checked: run a check for them");
  if (const std::string advice = best_advice(findings); !advice.empty())
    brief.next_step =
        advice + (advice.ends_with('.') ? " Then compare with this version." : ", then compare with this version.");
  else if (!order.empty()) brief.next_step = unit_advice(*order[0]);
}

std::string time_line(const Value& of_baseline) {
  const double before = number_of(of_baseline, "before_ns"), after = number_of(of_baseline, "after_ns");
  const std::string text = fmt::format("{}: {} now, {} in the baseline", text_of(of_baseline, "kernel"),
                                       format_ns(after), format_ns(before));
  if (before == after || before <= 0 || after <= 0) return text + ", the same";
  return fmt::format("{}, {:.3g} times {}", text, std::max(before, after) / std::min(before, after),
                     after < before ? "faster" : "slower");
}

/// The comparison of --baseline: launches' times, then the units and counters that explain them most.
void add_baseline(const Value& compared, Brief& brief) {
  constexpr size_t kMostUnits = 3, kMostCounters = 6;
  std::vector<std::string> lines;
  for (const Value& each : array_of(compared, "times")) lines.push_back(time_line(each));
  if (lines.size() == 1) {
    brief.verdict = lines[0] + ", by a model; now " + brief.verdict;
    lines.clear();
  }
  const auto& units = array_of(compared, "units");
  for (size_t i = 0; i < std::min(units.size(), kMostUnits); ++i)
    lines.push_back(fmt::format("{}: {} busy {} now, {} in the baseline", text_of(units[i], "kernel"),
                                text_of(units[i], "unit"), format_ns(number_of(units[i], "after_ns")),
                                format_ns(number_of(units[i], "before_ns"))));
  const auto& changes = array_of(compared, "changes");
  for (size_t i = 0; i < std::min(changes.size(), kMostCounters); ++i) {
    const Value& each = changes[i];
    const std::string where = text_of(each, "where");
    lines.push_back(fmt::format("{}{}: {} {}, from {} to {}", text_of(each, "kernel"),
                                where.empty() ? "" : " at " + where, text_of(each, "metric"), text_of(each, "change"),
                                value_text("", *each.find("before")), value_text("", *each.find("after"))));
  }
  if (changes.size() > kMostCounters)
    lines.push_back(
        fmt::format("{} more counters changed: they are in the whole report", changes.size() - kMostCounters));
  if (changes.empty() && number_of(compared, "matched") > 0)
    lines.emplace_back("no exact counter changed since the baseline");
  for (const auto& [list, into] : {std::pair{"notes", &lines}, {"other", &brief.not_known}}) {
    for (const Value& each : array_of(compared, list)) {
      if (each.string()) into->push_back(*each.string());
    }
  }
  brief.details.insert(brief.details.begin(), lines.begin(), lines.end());
}

}  // namespace

std::string best_advice(const std::vector<const Value*>& findings) {
  const Value* best = nullptr;
  for (const Value* each : findings) {
    if (!each->object()) continue;
    if (!best || number_of(*each, "saving_fraction") > number_of(*best, "saving_fraction")) best = each;
  }
  return best ? capitalized(text_of(*best, "advice")) : "";
}

void add_launches(const Value& report, Brief& brief) {
  const Faults faults = faults_of(report);
  if (faults.is_checked) add_check(report, faults, brief);
  else add_bounds(report, brief);
  if (const Value* const compared = report.find("baseline")) add_baseline(*compared, brief);
  if (faults.dropped > 0)
    brief.not_known.push_back(fmt::format("{} more reports of defects were dropped", faults.dropped));
  if (!faults.any()) return;
  brief.ok = false;
  if (!faults.fault.empty()) brief.verdict = "the run ended early: " + faults.fault;
  else if (!faults.is_checked)
    brief.verdict = fmt::format("{}; {}", counted(faults.wrong.size(), "wrong result", "s"), brief.verdict);
  brief.next_step = faults.wrong.empty() ? "Fix the first defect, then check again."
                                         : "Fix the first wrong result, then run it again.";
  brief.details.insert(brief.details.begin(), faults.defects.begin(), faults.defects.end());
  brief.details.insert(brief.details.begin(), faults.wrong.begin(), faults.wrong.end());
}

void add_defects(const Value& report, Brief& brief) {
  const auto& defects = array_of(report, "defects");
  brief.verdict =
      (defects.empty() ? "no defect seen; " : counted(defects.size(), "defect", "s") + "; ") + brief.verdict;
  std::vector<std::string> lines;
  for (const Value& defect : defects) lines.push_back(defect_line(defect));
  brief.details.insert(brief.details.begin(), lines.begin(), lines.end());
  brief.not_known.emplace_back("only these inputs ran: others may have defects");
  if (defects.empty()) return;
  brief.ok = false;
  brief.next_step = "Fix the first defect, then check again.";
}

}  // namespace warplens::brief
