// The settings of `warplens counters -- PROGRAM` for the library: environment variables, as the recorder's.
#pragma once
#include <string>
#include <vector>

#include "warplens/collect/counters/choice.h"

namespace warplens::collect {

inline constexpr const char* kCountOutputVariable = "WARPLENS_COUNT_OUTPUT";    // file name; setting it starts counting
inline constexpr const char* kCountMetricsVariable = "WARPLENS_COUNT_METRICS";  // names in full, with commas between
inline constexpr const char* kCountKernelVariable = "WARPLENS_COUNT_KERNEL";    // ChoiceRules
inline constexpr const char* kCountRangeVariable = "WARPLENS_COUNT_NVTX";
inline constexpr const char* kCountSkipVariable = "WARPLENS_COUNT_SKIP";
inline constexpr const char* kCountCountVariable = "WARPLENS_COUNT_COUNT";

inline constexpr const char* kCountWhatVariable = "WARPLENS_COUNT_WHAT";          // in place of metrics: see Wanted
inline constexpr const char* kCountIntervalVariable = "WARPLENS_COUNT_INTERVAL";  // ns, for sampling over time

// "kernel": CUPTI replays each launch; "range": the program comes to its ranges again, one pass each time
inline constexpr const char* kCountReplayVariable = "WARPLENS_COUNT_REPLAY";
inline constexpr const char* kCountCachesVariable = "WARPLENS_COUNT_CACHES";  // "none": caches are left as they are

/// The kinds of counting: "", "samples", "instructions" and "time" in kCountWhatVariable.
enum class Wanted : uint8_t { kMetrics, kSamples, kInstructions, kOverTime };

struct CountSettings {
  std::string output;  // "": nothing is counted
  std::string journal, cupti_paths;
  std::vector<std::string> metrics;
  ChoiceRules rules;
  bool flushes_caches = true;  // before each run of a launch
  bool in_batches = true;      // launches are kept and run again together, in place of CUPTI's replay of each
  bool in_ranges = false;      // NVTX ranges are counted as wholes, in place of launches
  Wanted wanted = Wanted::kMetrics;
  uint64_t interval_ns = 10000;
};

CountSettings count_settings_from_environment();

}  // namespace warplens::collect
