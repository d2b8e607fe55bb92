#include "warplens/report/verify.h"

#include <cmath>
#include <limits>
#include <map>

#include "warplens/base/text.h"

namespace warplens::report {
namespace {

using Launches = std::map<std::string, std::vector<const json::Value*>>;  // by kernel

std::string text_of(const json::Value& launch, std::string_view key) {
  const json::Value* value = launch.find(key);
  return value != nullptr && value->string() != nullptr ? *value->string() : "";
}

Launches counted_launches(const json::Value& report) {
  Launches out;
  const json::Value* launches = report.find("launches");
  if (launches == nullptr || launches->array() == nullptr) return out;
  for (const json::Value& launch : *launches->array()) {
    if (launch.find("metrics") != nullptr) out[text_of(launch, "kernel")].push_back(&launch);
  }
  return out;
}

void compare(const json::Value& hardware, const KernelReport& emulated, size_t number,
             std::vector<VerifiedMetric>* out) {
  const json::Value* metrics = hardware.find("metrics");
  for (const Metric& metric : emulated.metrics) {
    const json::Value* value = metrics->find(metric.name);
    if (value == nullptr || !value->number()) continue;
    out->push_back({emulated.kernel, number, metric.name, metric.value, *value->number(), metric.fidelity});
  }
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

double VerifiedMetric::difference() const {
  if (emulated == hardware) return 0;
  return hardware != 0 ? emulated / hardware - 1 : std::numeric_limits<double>::infinity();
}

const char* VerifiedMetric::reason() const {
  constexpr double kNoise = 0.02;
  if (equal()) return "equal";
  if (fidelity == Fidelity::kEstimated) return "modelled";
  if (fidelity == Fidelity::kAdjusted) return "adjusted";
  if (has(metric, "_op_red") || has(metric, "_op_atom")) return "combined";
  if (has(metric, "bank_conflicts") || (has(metric, "wavefronts") && std::abs(difference()) < kNoise))
    return "arbitration";
  return "unexplained";
}

bool is_hardware(const json::Value& report) { return text_of(report, "source") == "hardware"; }

Result<std::vector<VerifiedMetric>> verify(const json::Value& hardware,
                                           const std::vector<const KernelReport*>& emulated) {
  const Launches counted = counted_launches(hardware);
  std::map<std::string, size_t> of_kernel, seen;
  for (const KernelReport* report : emulated) ++of_kernel[report->kernel];
  std::vector<VerifiedMetric> out;
  for (const KernelReport* report : emulated) {
    const size_t number = seen[report->kernel]++;
    const auto found = counted.find(report->kernel);
    if (found == counted.end()) continue;
    const size_t times = std::max<size_t>(1, found->second.size() / of_kernel[report->kernel]);
    if (number * times < found->second.size()) compare(*found->second[number * times], *report, number, &out);
  }
  if (!out.empty()) return out;
  std::vector<std::string> names;
  for (const auto& [kernel, launches] : counted) names.push_back(kernel);
  return invalid_input(fmt::format("the hardware counted none of these launches{}",
                                   names.empty() ? "" : "; it counted " + join(names, ", ")));
}

Table verify_table(const std::vector<VerifiedMetric>& metrics) {
  Table table{{{"kernel", "kernel"},
               {"launch", "#", Kind::kCount},
               {"metric", "metric"},
               {"emulated", "emulated", Kind::kNumber},
               {"hardware", "hardware", Kind::kNumber},
               {"difference", "difference"},
               {"reason", "reason"}},
              {}};
  for (const VerifiedMetric& m : metrics) {
    const double difference = m.difference();
    const std::string told = m.equal()                ? ""
                             : std::isinf(difference) ? "none counted"
                                                      : fmt::format("{:+.3g} %", 100 * difference);
    table.rows.push_back(
        {m.kernel, static_cast<int64_t>(m.launch), m.metric, m.emulated, m.hardware, told, std::string(m.reason())});
  }
  return table;
}

std::string verify_summary(const std::vector<VerifiedMetric>& metrics) {
  std::map<std::string, size_t> counts;
  for (const VerifiedMetric& m : metrics) ++counts[m.reason()];
  std::string out = fmt::format("{} of {} counters are equal", counts["equal"], metrics.size());
  constexpr const char* kMeanings[][2] = {
      {"modelled", "modelled (caches, clocks and time are not functions of the program)"},
      {"adjusted", "adjusted (counted on PTX, corrected for ptxas)"},
      {"arbitration", "arbitration (the hardware counts repeated attempts)"},
      {"combined", "combined (the hardware joins atomics on their way)"},
      {"unexplained", "unexplained"}};
  for (const auto& [reason, meaning] : kMeanings) {
    if (counts[reason] > 0) out += fmt::format("; {} {}", counts[reason], meaning);
  }
  return out + "\n";
}

}  // namespace warplens::report
