#include "warplens/collect/settings/settings.h"

#include <cstdlib>
#include <string_view>

namespace warplens::collect {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

uint64_t seconds_ns(const char* name) {
  const double seconds = std::strtod(variable(name).c_str(), nullptr);
  return seconds > 0 ? static_cast<uint64_t>(seconds * 1e9) : 0;
}

bool has_level(std::string_view levels, std::string_view level) {
  while (!levels.empty()) {
    const size_t comma = levels.find(',');
    if (levels.substr(0, comma) == level) return true;
    levels = comma == std::string_view::npos ? std::string_view() : levels.substr(comma + 1);
  }
  return false;
}

void read_schedule(Schedule::Plan& plan) {
  const std::string text = variable(kScheduleVariable);
  uint64_t* const parts[] = {&plan.wait, &plan.warmup, &plan.active, &plan.repeat};
  const char* at = text.c_str();
  for (uint64_t* part : parts) {
    if (*at == '\0') return;
    char* end = nullptr;
    *part = std::strtoull(at, &end, 10);
    at = *end == ',' ? end + 1 : end;
  }
}

SlowStep read_slow_step() {
  const std::string text = variable(kWhenVariable);
  SlowStep out;
  if (text.starts_with("median ")) out.of_median = std::strtod(text.c_str() + 7, nullptr);
  if (text.starts_with("ns ")) out.longer_than_ns = std::strtoull(text.c_str() + 3, nullptr, 10);
  return out;
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  if (const std::string output = variable(kOutputVariable); !output.empty()) settings.output = output;
  settings.journal = variable(kJournalVariable);
  if (std::getenv(kLevelsVariable) != nullptr) {
    const std::string levels = variable(kLevelsVariable);
    settings.all_calls = has_level(levels, "all-calls");
    settings.calls = settings.all_calls || has_level(levels, "calls");
    settings.memory = has_level(levels, "memory");
    settings.without_cuda = has_level(levels, "host");
  }
  if (const uint64_t bytes = std::strtoull(variable(kMemoryVariable).c_str(), nullptr, 10); bytes > 0)
    settings.memory_limit_bytes = bytes;
  settings.sample_ns = 1000 * std::strtoull(variable(kSampleVariable).c_str(), nullptr, 10);
  settings.stack_ns = 1000 * std::strtoull(variable(kStacksVariable).c_str(), nullptr, 10);
  settings.ring_ns = seconds_ns(kRingVariable);
  settings.slow_step = read_slow_step();
  settings.dump_signal = static_cast<int>(std::strtol(variable(kSignalVariable).c_str(), nullptr, 10));
  settings.metrics_port = static_cast<uint16_t>(std::strtoul(variable(kMetricsVariable).c_str(), nullptr, 10));
  settings.plan.delay_ns = seconds_ns(kDelayVariable);
  settings.plan.duration_ns = seconds_ns(kDurationVariable);
  settings.plan.capture = variable(kCaptureVariable);
  read_schedule(settings.plan);
  settings.cupti_paths = variable(kCuptiVariable);
  return settings;
}

}  // namespace warplens::collect
