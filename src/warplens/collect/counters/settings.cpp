#include "warplens/collect/counters/settings.h"

#include <cstdlib>

#include "warplens/collect/settings/settings.h"

namespace warplens::collect {
namespace {

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

CountSettings count_settings_from_environment() {
  CountSettings out;
  out.output = text_of(kCountOutputVariable);
  out.journal = text_of(kJournalVariable);
  out.cupti_paths = text_of(kCuptiVariable);
  std::string metrics = text_of(kCountMetricsVariable);
  for (size_t begin = 0; begin < metrics.size();) {
    const size_t comma = std::min(metrics.find(',', begin), metrics.size());
    if (comma > begin) out.metrics.push_back(metrics.substr(begin, comma - begin));
    begin = comma + 1;
  }
  out.rules.kernel = text_of(kCountKernelVariable);
  out.rules.range = text_of(kCountRangeVariable);
  out.rules.skip = std::strtoull(text_of(kCountSkipVariable).c_str(), nullptr, 10);
  out.rules.count = std::strtoull(text_of(kCountCountVariable).c_str(), nullptr, 10);
  out.flushes_caches = text_of(kCountCachesVariable) != "none";
  out.in_ranges = text_of(kCountReplayVariable) == "range";
  out.in_batches = text_of(kCountReplayVariable) != "kernel" && !out.in_ranges;
  const std::string what = text_of(kCountWhatVariable);
  out.wanted = what == "samples"        ? Wanted::kSamples
               : what == "instructions" ? Wanted::kInstructions
               : what == "time"         ? Wanted::kOverTime
                                        : Wanted::kMetrics;
  if (const uint64_t ns = std::strtoull(text_of(kCountIntervalVariable).c_str(), nullptr, 10); ns > 0)
    out.interval_ns = ns;
  return out;
}

}  // namespace warplens::collect
