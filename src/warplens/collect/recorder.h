// The recorder of this process: the events of the program's threads, and the thread that writes them.
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

/// From now on, events go to `take`, on the thread that makes them, and stop_recorder() calls `stop`: for a recording
/// that is made elsewhere. This recorder then never starts.
struct HostSink {
  void (*take)(const HostRecord& record);  // its ticks are 0
  void (*tell_cost)(std::string_view key, uint64_t cost_ns);
  void (*stop)();
};
void send_host_events(HostSink sink);

/// From any thread. Costs about as much as copying the text.
void record_host_event(HostEvent event, uint32_t domain, uint64_t id, std::string_view text);

/// An operator begins. Its name is the first `name_bytes` of `text`, its shapes the rest; kPop ends it. Only this text
/// has that key; 0: no key is known.
void record_operator(std::string_view text, size_t name_bytes, int64_t sequence, uint64_t key);
/// The same for a key whose text is kept. False: it is not, and nothing is recorded.
bool record_known_operator(uint64_t key, int64_t sequence);
/// True if events are kept now.
bool is_recording();
/// From `begins` to its end, events of this thread take the full cost of recording but are not kept. So the first
/// moments of a program measure the cost of recording.
void rehearse(bool begins);
/// That measurement: nanoseconds that recording one event adds, as metadata of the recording. Keys:
/// profile/recording_cost.h.
void tell_cost(std::string_view key, uint64_t cost_ns);
/// The state of the recorder: absent, recording or paused.
bool is_running();

/// A look at another thread at that time (of ticks()); `stack`: "file(line): function", outermost first, joined by ';'.
void record_sample(uint32_t thread, HostState state, uint64_t at, std::string_view stack);

/// Threads of the program that handed something in: ids of the system's.
std::vector<uint32_t> recorded_threads();

/// True if CUDA is not used, or its start is over and kernels run: the driver's start makes many system calls.
bool cuda_has_started();

/// The sources of step ends. Of several, the last in this list counts: the program's own marks precede a profiler's,
/// which precede optimizer calls.
enum class StepWord : uint8_t { kOptimizer, kProfiler, kProgram };

/// The end of one step and the beginning of the next: for schedules, slow steps and metrics. Only steps that the
/// program marks are recorded as ranges. Those of profilers and optimizers have ranges of their own, and readers
/// choose.
void record_step(StepWord word);

/// A stretch that the program itself requests. It is recorded into a file of its own, complete when end_cycle()
/// returns. The texts describe errors and are empty on success.
std::string begin_cycle(const std::string& path);
std::string end_cycle();
/// Steps as begin_cycle()'s callers number them: the one that is open ends; `number` begins unless it is negative.
void mark_step(int64_t number);

/// Ends in order: everything is flushed and the file has its end mark.
void stop_recorder();

}  // namespace warplens::collect
