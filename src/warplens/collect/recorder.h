// The recorder of this process: what the program's threads hand in, and the thread that writes it down.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/collect/log/thread_log.h"
#include "warplens/collect/stacks/host_state.h"

namespace warplens::collect {

/// Starts the recorder if it does not run yet: with NVTX's first range or CUDA's initialisation, whichever comes first.
void start_recorder();
/// Begins to record CUDA; called while CUDA initialises.
void attach_cuda();

/// What threads hand in goes to `take` from now on, on the thread that hands it in, and stop_recorder() calls `stop`:
/// for a recording that is made elsewhere. This recorder then never starts.
struct HostSink {
  void (*take)(const HostRecord& record);  // its ticks are 0
  void (*stop)();
};
void send_host_events(HostSink sink);

/// From any thread. Costs about as much as copying the text.
void record_host_event(HostEvent event, uint32_t domain, uint64_t id, std::string_view text);

/// An operator begins, whose name is the first `name_bytes` of `text`, its shapes the rest; kPop ends it.
void record_operator(std::string_view text, size_t name_bytes, int64_t sequence);
/// Whether what is handed in is kept now.
bool is_recording();
/// Between `begins` and its end, what this thread hands in takes all the time that recording takes, and is kept
/// nowhere: so a program's first moments measure what recording costs it.
void rehearse(bool begins);
/// What was measured so: nanoseconds that recording one event adds, metadata of the recording. Keys:
/// profile/recording_cost.h.
void tell_cost(std::string_view key, uint64_t cost_ns);
/// Whether the recorder is there, at work or paused.
bool is_running();

/// A look at another thread at that time (of ticks()); `stack`: "file(line): function", outermost first, joined by ';'.
void record_sample(uint32_t thread, HostState state, uint64_t at, std::string_view stack);

/// Threads of the program that handed something in: ids of the system's.
std::vector<uint32_t> recorded_threads();

/// Whether CUDA is not used, or its start is over and kernels run: the driver asks the system for much while it starts.
bool cuda_has_started();

/// Who says that a step is over. Of several the one that comes last here is heard: the program's own word goes before
/// a profiler's, that before calls of an optimizer.
enum class StepWord : uint8_t { kOptimizer, kProfiler, kProgram };

/// The end of one step and the beginning of the next: for schedules, slow steps and metrics. Only steps that the
/// program tells are recorded as ranges; those of profilers and optimizers have ranges of their own, and readers
/// choose.
void record_step(StepWord word);

/// A stretch that the program itself asks for: it is recorded into a file of its own, whole when end_cycle() returns.
/// The texts say what went wrong and are empty when all is well.
std::string begin_cycle(const std::string& path);
std::string end_cycle();
/// Steps as begin_cycle()'s callers number them: the one that is open ends; `number` begins unless it is negative.
void mark_step(int64_t number);

/// Ends in order: everything is flushed and the file has its end mark.
void stop_recorder();

}  // namespace warplens::collect
