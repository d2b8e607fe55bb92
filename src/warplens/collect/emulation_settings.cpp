#include "warplens/collect/emulation_settings.h"

#include <cstdlib>

#include "warplens/base/output_name.h"
#include "warplens/collect/counters/settings.h"

namespace warplens::collect {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

}  // namespace

EmulationSettings emulation_settings_from_environment() {
  EmulationSettings out;
  out.device = variable(kDeviceVariable, out.device);
  out.devices = variable(kDevicesVariable, out.devices);
  if (const std::string budget = variable(kBudgetVariable, ""); !budget.empty())
    out.budget_s = std::strtod(budget.c_str(), nullptr);
  out.checks = variable(kChecksVariable, "");
  out.sample = !variable(kSampledLaunchesVariable, "").empty();
  out.log = expand_output_name(variable(kLogVariable, ""));
  const std::string reports = variable(kReportsVariable, "");
  out.reports = !reports.empty();
  out.code = reports == "code";
  out.rules = count_settings_from_environment().rules;
  return out;
}

}  // namespace warplens::collect
