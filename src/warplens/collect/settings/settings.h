// The settings of `warplens record` for the library: environment variables, because a program's children inherit them.
#pragma once
#include <csignal>
#include <cstdint>
#include <string>

#include "warplens/collect/settings/schedule.h"
#include "warplens/collect/settings/step_watch.h"

namespace warplens::collect {

// The one list of variables; the verb sets them, the library reads them.
inline constexpr const char* kOutputVariable = "WARPLENS_RECORD_OUTPUT";    // file name; %p, %h, %q{VAR} are filled in
inline constexpr const char* kJournalVariable = "WARPLENS_RECORD_JOURNAL";  // names of recordings, and refusals
inline constexpr const char* kLevelsVariable = "WARPLENS_RECORD_LEVELS";    // of "calls,all-calls,memory,host"
inline constexpr const char* kMemoryVariable = "WARPLENS_RECORD_MEMORY";    // bytes
inline constexpr const char* kScheduleVariable = "WARPLENS_RECORD_SCHEDULE";  // "wait,warmup,active,repeat"
inline constexpr const char* kDelayVariable = "WARPLENS_RECORD_DELAY";        // seconds
inline constexpr const char* kDurationVariable = "WARPLENS_RECORD_DURATION";  // seconds
inline constexpr const char* kCaptureVariable = "WARPLENS_RECORD_CAPTURE";    // cupti::kProfilerRange or an NVTX range
inline constexpr const char* kRingVariable = "WARPLENS_RECORD_RING";          // seconds
inline constexpr const char* kWhenVariable = "WARPLENS_RECORD_WHEN";          // SlowStep: "median 1.3" or "ns 50000000"
inline constexpr const char* kSignalVariable = "WARPLENS_RECORD_SIGNAL";  // number of the signal that dumps the ring
inline constexpr const char* kSampleVariable = "WARPLENS_RECORD_CPU";  // microseconds between samples of host threads
inline constexpr const char* kStacksVariable = "WARPLENS_RECORD_STACKS";    // microseconds between stacks of launches
inline constexpr const char* kMetricsVariable = "WARPLENS_RECORD_METRICS";  // port on the loopback
inline constexpr const char* kCuptiVariable = "WARPLENS_RECORD_CUPTI";      // paths to try, separated by ':'

/// Asks a running thread for a copy of its stack. Programs ignore it by default, and C libraries do not use it.
inline constexpr int kStackSignal = SIGURG;

struct Settings {
  std::string output = "recording.wlens";
  std::string journal;
  bool calls = true;  // launches, copies, allocations, synchronizations
  bool all_calls = false;
  bool memory = false;
  bool without_cuda = false;  // record processes that never use CUDA too
  uint64_t memory_limit_bytes = uint64_t{64} << 20;
  uint64_t sample_ns = 0;  // between samples of host threads; 0: none are taken
  uint64_t stack_ns = 0;   // between stacks of a thread's launches; 0: none are taken
  uint64_t ring_ns = 0;    // 0: stream to the file
  SlowStep slow_step;      // dumps the ring
  int dump_signal = 0;     // 0: none
  uint16_t metrics_port = 0;
  Schedule::Plan plan;
  std::string cupti_paths;
};

Settings settings_from_environment();

}  // namespace warplens::collect
