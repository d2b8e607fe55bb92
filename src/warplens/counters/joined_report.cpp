#include "warplens/counters/joined_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "warplens/counters/measured_report.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"

namespace warplens::counters {
namespace {

using report::Fidelity;
using report::KernelReport;

constexpr double kKept = 0.5;     // of the model's error, that a mended launch still has
constexpr double kMostError = 3;  // beyond it the model speaks of something else

/// `saving` of the modelled time, of the one that was measured.
double of_measured_time(double saving, double model_ns, double measured_ns) {
  const double off = std::clamp(model_ns / (measured_ns + model::kLaunchNs), 1 / kMostError, kMostError);
  return std::max(0.0, 1 - (1 - saving) * std::pow(off, kKept));
}

void join_metrics(KernelReport* emulated, const KernelReport& hardware) {
  for (const report::Metric& metric : hardware.metrics) {
    const auto known = std::ranges::find(emulated->metrics, metric.name, &report::Metric::name);
    if (known == emulated->metrics.end()) emulated->metrics.push_back(metric);
    else if (known->fidelity != Fidelity::kExact) *known = metric;
  }
  std::ranges::sort(emulated->metrics, {}, &report::Metric::name);
}

}  // namespace

void join_hardware(KernelReport* emulated, const KernelReport& hardware) {
  if (!hardware.measured || hardware.measured->ns <= 0) return;
  for (Finding& finding : emulated->findings) {
    if (finding.saving_fraction.value_or(0) <= 0) continue;
    finding.evidence.push_back({"modelled_saving", *finding.saving_fraction});
    const double modelled = *finding.saving_fraction;
    finding.saving_fraction = of_measured_time(modelled, emulated->time.ns, hardware.measured->ns);
    if (finding.beside_fraction) *finding.beside_fraction *= *finding.saving_fraction / modelled;
  }
  join_metrics(emulated, hardware);
  emulated->measured = hardware.measured;
  emulated->time.ns = hardware.measured->ns;
  emulated->roofline = report::roofline(emulated->work, *emulated->device, emulated->measured->ns, emulated->peaks);
  if (emulated->measured->passes > 0) find_on_hardware(emulated);
}

size_t join_hardware(const std::vector<KernelReport*>& emulated, const std::vector<const KernelReport*>& hardware) {
  std::map<std::string, std::vector<const KernelReport*>> counted;
  std::map<std::string, size_t> of_kernel, seen;
  for (const KernelReport* report : hardware) counted[report->kernel].push_back(report);
  for (const KernelReport* report : emulated) ++of_kernel[report->kernel];
  size_t joined = 0;
  for (KernelReport* report : emulated) {
    const std::vector<const KernelReport*>& of = counted[report->kernel];
    const size_t times = std::max<size_t>(1, of.size() / of_kernel[report->kernel]);
    const size_t place = seen[report->kernel]++ * times;
    if (place >= of.size()) continue;
    join_hardware(report, *of[place]);
    ++joined;
  }
  return joined;
}

}  // namespace warplens::counters
