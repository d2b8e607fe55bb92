// torch's key_averages() and export_stacks(), from a trace alone.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct TorchTableOptions {
  bool by_shape = false;
  size_t by_stack = 0;  // group by that many innermost Python frames
};

struct TorchRow {
  std::string name;
  bool on_device = false, is_user_annotation = false;
  std::string input_shapes;        // as torch prints them; empty unless by_shape
  std::vector<std::string> stack;  // innermost first
  int64_t count = 0;
  int64_t cpu_ns = 0, self_cpu_ns = 0, device_ns = 0, self_device_ns = 0;
  int64_t cpu_bytes = 0, self_cpu_bytes = 0, device_bytes = 0, self_device_bytes = 0;
  int64_t flops = 0;
};

struct TorchTable {
  std::vector<TorchRow> rows;                   // in order of their first event, as torch has them before sorting
  int64_t self_cpu_ns = 0, self_device_ns = 0;  // totals that torch prints under its table
  bool has_memory = false, has_flops = false;   // the profiler ran with profile_memory, with_flops
};

TorchTable torch_table(const Profile& profile, const TorchTableOptions& options);

/// Sorts by any key that torch's table() takes ("cuda" and "device" mean the same), stable, largest first.
Status sort_torch_rows(std::vector<TorchRow>& rows, const std::string& key);
/// The names of those keys.
std::vector<std::string> torch_sort_keys();

/// torch's export_stacks: one line an event that has a Python stack and a metric of at least 1 us. Metrics are
/// self_cpu_time_total and self_cuda_time_total.
Status torch_stacks(const Profile& profile, const std::string& metric, const ByteSink& to);

}  // namespace warplens::analysis
