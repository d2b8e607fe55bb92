// The tables of `warplens timeline`.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/table.h"
#include "warplens/program/analysis/critical_path/path.h"
#include "warplens/program/analysis/timeline/collective_work.h"
#include "warplens/program/analysis/timeline/matrix_work.h"
#include "warplens/program/analysis/timeline/timeline.h"

namespace warplens::cli {

Table steps_table(const Profile& profile, const analysis::Timeline& timeline);
/// "row all: from the first to the last work on the GPU, 186 ms of 338 ms recorded"; "" if that is nearly everything.
std::string span_line(const Profile& profile, const analysis::Timeline& timeline);
Table launches_table(const Profile& profile, const analysis::Timeline& timeline);
/// Gaps of all devices by cause and by the host's activity, the costliest first. `limit` 0: all.
Table gaps_table(const Profile& profile, const analysis::Timeline& timeline, size_t limit);
/// The critical path by kind and name, the costliest first.
Table path_table(const Profile& profile, const analysis::CriticalPath& path, size_t limit);
Table matrix_table(const Profile& profile, const std::vector<analysis::MatrixWork>& work, size_t limit);
/// Collectives by kind and message; bandwidth as nccl-tests counts it. Durations include waiting for other ranks.
Table collectives_table(const Profile& profile, const std::vector<analysis::CollectiveWork>& work, size_t limit);
/// "98.8 % of matrix products, convolutions and attention (27.3 ms) ran on tensor cores"; "" if there are none.
std::string tensor_line(const std::vector<analysis::MatrixWork>& work);

/// The queue of each device over its whole trace, drawn and as JSON.
struct DeviceQueue {
  uint32_t device;
  analysis::QueueOverTime queue;
};
std::vector<DeviceQueue> device_queues(const Profile& profile, const analysis::Causes& causes,
                                       const analysis::Timeline& timeline, size_t slots);
std::string draw_queues(const Profile& profile, const std::vector<DeviceQueue>& queues);
void write_queues(json::Writer& writer, const Profile& profile, const std::vector<DeviceQueue>& queues);

}  // namespace warplens::cli
