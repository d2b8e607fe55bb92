// The events of torch's own operator table, rebuilt from a trace with every rule and quirk of torch 2.11.
// Quirks, kept because the table must equal torch's:
// - Runtime calls and profiler overhead that no operator caused are moved to the thread that stopped the profiler, and
//   nest there by time.
// - Such a call, and overhead, gets the kernels of the operator that its correlation id happens to name. Overhead takes
//   the id of the operator around it, so the operators above count those kernels twice.
// - An operator whose only child has its name is merged with it and loses kernels of its own.
// - Memory is charged to everything that was open at that time, on any thread.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/program/analysis/forest.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

enum class TorchSource : uint8_t { kOperator, kCall, kOverhead, kPython, kMemory };

/// Host-side events, one an element. Sums over children are after merging; merged events count no more.
struct TorchEvents {
  std::vector<TorchSource> source;
  std::vector<uint32_t> source_row;  // row of operators, calls, overheads, python_frames or allocations
  std::vector<StringId> name;        // the first ProfilerStep#N represents all of them
  std::vector<int64_t> start_ns, duration_ns;
  std::vector<uint32_t> thread;  // row of threads
  std::vector<bool> merged;      // into its parent
  std::vector<uint32_t> parent;  // the event around it that is not merged, or kNone
  std::vector<int64_t> self_cpu_ns, device_ns, self_device_ns;
  std::vector<int64_t> cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes;

  size_t size() const { return source.size(); }
};

/// With `python_frames` the Python functions are events too, as they are when the profiler runs with verbose=True.
TorchEvents torch_events(const Profile& profile, bool python_frames);

/// Whether the profiler ran with stacks and verbose=True: only then torch's events know their stacks.
bool recorded_verbose_stacks(const Profile& profile);

/// For each rank, the row of the thread whose torch.profiler stopped the recording: the process's first thread.
std::vector<uint32_t> stopping_threads(const Profile& profile);

/// For each row of overheads the operator or call around it as torch's event tree has it: an id to look up kernels by.
std::vector<int64_t> overhead_ids(const Profile& profile, const std::vector<uint32_t>& stopping_thread);

}  // namespace warplens::analysis
