#include "warplens/cli/kernel_annotations.h"

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/report/findings/findings.h"

namespace warplens::cli {
namespace {

using explain::Annotation;
using explain::Level;
using explain::Location;
using explain::Scope;

Annotation of_finding(const report::KernelReport& report, const Finding& finding) {
  Annotation out{finding.id, Scope::kKernel, explain::level_of(level_name(finding.level)), "", {}};
  out.message = fmt::format("{}: {}: {}\n{}", report.kernel, finding.title, finding.detail, finding.advice);
  if (finding.saving_fraction)
    out.message += fmt::format("\nwould save about {} of the time on {}", format_share(*finding.saving_fraction),
                               report.device->name);
  for (const std::string& where : finding.where) {
    if (const report::LineCounts* line = report::line_at(report, where))
      out.locations.push_back({line->file, line->line});
  }
  return out;
}

/// Of an inlined function the call comes second.
void add_location(const simt::Place& place, std::vector<Location>* out) {
  if (!place.file.empty()) out->push_back({place.file, place.line});
  if (!place.caller_file.empty()) out->push_back({place.caller_file, place.caller_line});
}

Annotation of_report(const simt::Report& report) {
  Annotation out{report.id, Scope::kCheck, Level::kError, report.message, {}};
  if (!report.place.kernel.empty()) out.message += "\nat " + report.place.text();
  if (report.other) out.message += "\nand " + report.other->text();
  add_location(report.place, &out.locations);
  if (report.other) add_location(*report.other, &out.locations);
  return out;
}

Annotation of_fault(const simt::Fault& fault) {
  Annotation out{std::string(simt::name(fault.kind)), Scope::kCheck, Level::kError, fault.text(), {}};
  add_location(fault.place, &out.locations);
  return out;
}

}  // namespace

std::vector<Annotation> annotations(const std::vector<simt::Report>& reports) {
  std::vector<Annotation> out;
  for (const simt::Report& report : reports) out.push_back(of_report(report));
  return out;
}

std::vector<Annotation> annotations(const launch::RunResult& result) {
  std::vector<Annotation> out;
  for (const launch::Outcome& outcome : result.outcomes) {
    if (outcome.counted) {
      for (const Finding& finding : outcome.counted->findings) out.push_back(of_finding(*outcome.counted, finding));
    }
    if (!outcome.emulated) continue;
    for (const simt::Report& report : outcome.emulated->reports) out.push_back(of_report(report));
    if (outcome.emulated->fault) out.push_back(of_fault(*outcome.emulated->fault));
  }
  for (const launch::Comparison& comparison : result.comparisons) {
    if (!comparison.ok()) out.push_back({"unexpected-output", Scope::kCheck, Level::kError, comparison.text(), {}});
  }
  return out;
}

}  // namespace warplens::cli
